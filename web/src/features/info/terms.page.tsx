import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Prose } from '../../ui/prose.tsx';
import { InfoLinks } from './info-links.tsx';
import { Placeholder } from './placeholder.tsx';
import { StaysEnglish } from './stays-english.tsx';

export function TermsPage() {
  const { t } = useLingui();

  return (
    <Prose title={t`Terms`}>
      <StaysEnglish>
        <TermsText />
      </StaysEnglish>
      <InfoLinks />
    </Prose>
  );
}

function TermsText() {
  const { t } = useLingui();
  return (
    <>
      <p>
        <Trans>
          In effect from <Placeholder of="termsFrom">[effective date to be set by the operator]</Placeholder>.
          Unsaid is run by{' '}
          <Placeholder of="nameAndAddress">[name and address to be set by the operator]</Placeholder> (“we” on
          this page). When you sign up, you agree to these terms. We've kept them short.
        </Trans>
      </p>

      <h2>{t`What Unsaid is, and isn't`}</h2>
      <p>
        <Trans>
          Unsaid is a place to say, anonymously, what you can't say to anyone you know, and to be heard by
          other people. They're not counsellors or doctors, and neither are we. Nothing here is medical advice
          or treatment.
        </Trans>
      </p>
      <p>
        <Trans>
          Unsaid isn't an emergency service. Nobody watches it round the clock. If you or someone else could
          be in danger, please call one of the numbers under <Link to={paths.support}>Support</Link>.
        </Trans>
      </p>

      <h2>{t`Who can use it`}</h2>
      <p>
        <Trans>
          You need to be 18 or over, with a phone number that's yours to use. It's free. Anyone who gets the
          OTPs sent to that number can log in, so keep it safe. If you're giving the number up, delete your
          account first.
        </Trans>
      </p>

      <h2>{t`Your words`}</h2>
      <p>
        <Trans>
          What you write is yours. You let us store it and show it to people who are logged in to Unsaid, and
          that's all. We don't sell it or use it in ads. You can delete it any time. We can't take back what
          others have already copied.
        </Trans>
      </p>
      <p>
        <Trans>
          Everything here is written by people we don't know. We don't check it before it appears, and it may
          hurt to read. You're responsible for what you write, even when nobody sees your name.
        </Trans>
      </p>

      <h2>{t`What we ask of you`}</h2>
      <p>
        <Trans>
          Be gentle. The person reading may be having the worst night of their life. Please don't:
        </Trans>
      </p>
      <ul>
        <li>
          <Trans>harass, threaten, shame or hate on anyone;</Trans>
        </li>
        <li>
          <Trans>push anyone to hurt themselves or others, or describe ways to do it;</Trans>
        </li>
        <li>
          <Trans>
            post names, numbers, addresses or anything else that shows who someone is, including you;
          </Trans>
        </li>
        <li>
          <Trans>try to find out who wrote something, or claim you know;</Trans>
        </li>
        <li>
          <Trans>post anything meant to arouse, or anything that sexualises a child;</Trans>
        </li>
        <li>
          <Trans>advertise, sell, collect money or spam;</Trans>
        </li>
        <li>
          <Trans>pretend to be a counsellor, a doctor or one of us;</Trans>
        </li>
        <li>
          <Trans>use a program to collect what people write, or disrupt the service;</Trans>
        </li>
        <li>
          <Trans>do anything here that's against the law.</Trans>
        </li>
      </ul>
      <p>
        <Trans>
          Talking about what was done to you, that you're hurting, or that you've thought of not living any
          more doesn't break any rule. You can say it here.
        </Trans>
      </p>

      <h2>{t`What we may do`}</h2>
      <p>
        <Trans>
          If something breaks these rules, report it. We may hide or remove it, and we may limit, suspend or
          ban an account that keeps breaking them. You get a notice with the rule, and you can ask for a
          second look: someone else decides then. You can also write to the{' '}
          <Link to={paths.grievance}>grievance officer</Link>. Even if your account is suspended, you can
          export your data and delete the account.
        </Trans>
      </p>

      <h2>{t`Leaving`}</h2>
      <p>
        <Trans>
          You can delete your account any time, in Settings. You're logged out right away, and you choose if
          your vents and comments go over 30 days, go within 3 days, or stay without you. If an account isn't
          used for a year, we delete it. What we keep, and for how long, is under{' '}
          <Link to={paths.privacy}>Privacy</Link>.
        </Trans>
      </p>

      <h2>{t`What we can promise`}</h2>
      <p>
        <Trans>
          We're careful, and we're open about what we can't protect you from: see{' '}
          <Link to={paths.privacy}>Privacy</Link> and <Link to={paths.faq}>FAQ</Link>. We can't promise that
          Unsaid will always be up or free of bugs, or that someone will answer. As far as the law allows,
          we're not liable for what other people write here, or for any loss from using Unsaid. Nothing here
          takes away the rights the law gives you.
        </Trans>
      </p>

      <h2>{t`Changes, law and contact`}</h2>
      <p>
        <Trans>
          If these terms change, the date at the top changes too. The law and the courts that apply:{' '}
          <Placeholder of="courts">[to be set by the operator]</Placeholder>. Write to{' '}
          <Placeholder of="support">[support contact to be set by the operator]</Placeholder>, or to the{' '}
          <Link to={paths.grievance}>grievance officer</Link>.
        </Trans>
      </p>
    </>
  );
}
