import { limits } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';

/** Who can get into an account, as docs/ways-in.md has it. */
export function WaysIn() {
  const { recoveryWaitHours, replacedCodeDays, accountEventDays } = limits;
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
          A recovery code works after {recoveryWaitHours} hours. Every open session, every login and your
          inbox say so at once, and an OTP to your number stops it.
        </Trans>
      </li>
      <li>
        <Trans>A code you replaced or cancelled stops working right away.</Trans>
      </li>
      <li>
        <Trans>
          An open session plus an OTP or your recovery code can move the account to another number. For{' '}
          {replacedCodeDays} days the old number plus a recovery code, even a cancelled one, gets it back, and
          the new number can't stop it. So no one holding your phone can lock you out.
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
