import { limits } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';

/** Who can get into an account, as docs/ways-in.md has it. */
export function WaysIn() {
  const { recoveryIdleDays, recoveryWaitHours, replacedCodeDays, accountEventDays } = limits;
  return (
    <ul>
      <li>
        <Trans>Anyone who gets an OTP on your number can log in right away.</Trans>
      </li>
      <li>
        <Trans>An open session works for up to 30 days. You can end it in Settings.</Trans>
      </li>
      <li>
        <Trans>
          A recovery code works right away if no one's used the account for {recoveryIdleDays} days.
        </Trans>
      </li>
      <li>
        <Trans>
          If someone has, it takes {recoveryWaitHours} hours. Every open session, every login and your inbox
          say so, and an OTP to your number stops it.
        </Trans>
      </li>
      <li>
        <Trans>
          A code you replaced or cancelled still works for {replacedCodeDays} days, so no one holding your
          phone can lock you out.
        </Trans>
      </li>
      <li>
        <Trans>
          An open session plus an OTP or your recovery code can move the account to another number. An older
          recovery code gets it back for {replacedCodeDays} days, and the new number can't stop it.
        </Trans>
      </li>
      <li>
        <Trans>
          Making, replacing or using a code, or changing the number, shows in your inbox for{' '}
          {accountEventDays} days.
        </Trans>
      </li>
      <li>
        <Trans>The cookie that remembers this device opens nothing by itself.</Trans>
      </li>
    </ul>
  );
}
