import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Prose } from '../../ui/prose.tsx';
import { Placeholder } from './placeholder.tsx';

export function TermsPage() {
  const { t } = useLingui();

  return (
    <Prose title={t`Terms`}>
      <p>
        <Trans>
          In effect from <Placeholder>[effective date to be set by the operator]</Placeholder>. Unsaid is run
          by <Placeholder>[name and address to be set by the operator]</Placeholder>, called “we” here. By
          signing up you agree to these terms. We have tried to keep them short.
        </Trans>
      </p>

      <h2>
        <Trans>What Unsaid is, and is not</Trans>
      </h2>
      <p>
        <Trans>
          Unsaid is a place to say anonymously what you can say to nobody you know, and to be heard by other
          people. Those people are not counsellors or doctors, and neither are we. Nothing here is medical
          advice, and nothing here treats anything.
        </Trans>
      </p>
      <p>
        <Trans>
          Unsaid is no emergency service. Nobody watches it day and night. If you or someone else may be in
          danger, please call one of the numbers under <Link to={paths.support}>Support</Link>.
        </Trans>
      </p>

      <h2>
        <Trans>Who may use it</Trans>
      </h2>
      <p>
        <Trans>
          You must be 18 or over, and use a phone number that is yours to use. It costs nothing. Whoever
          receives the codes sent to that number can sign in, so look after it. If you give the number up,
          delete your account first.
        </Trans>
      </p>

      <h2>
        <Trans>Your words</Trans>
      </h2>
      <p>
        <Trans>
          What you write stays yours. You allow us to store it and to show it to people who are signed in to
          Unsaid, and nothing beyond that: we do not sell it, and we do not put it into advertisements. You
          can delete it at any time. What others have copied by then is out of our hands.
        </Trans>
      </p>
      <p>
        <Trans>
          Everything here is written by people we do not know. We do not check it before it appears, and it
          may hurt to read. You are answerable for what you write, also when nobody sees your name.
        </Trans>
      </p>

      <h2>
        <Trans>What we ask of you</Trans>
      </h2>
      <p>
        <Trans>
          Be gentle. Whoever reads you may be having the worst night of their life. Please do not:
        </Trans>
      </p>
      <ul>
        <li>
          <Trans>harass, threaten, shame or hate anyone;</Trans>
        </li>
        <li>
          <Trans>push anyone to hurt themselves or others, or describe ways to do it;</Trans>
        </li>
        <li>
          <Trans>
            post names, numbers, addresses or anything else that shows who someone is, yourself included;
          </Trans>
        </li>
        <li>
          <Trans>try to find out who wrote something, or claim to know;</Trans>
        </li>
        <li>
          <Trans>write anything that is meant to arouse, or that makes a child an object of desire;</Trans>
        </li>
        <li>
          <Trans>advertise, sell, collect money or post spam;</Trans>
        </li>
        <li>
          <Trans>pretend to be a counsellor, a doctor or one of us;</Trans>
        </li>
        <li>
          <Trans>collect what people write with a program, or disturb the service;</Trans>
        </li>
        <li>
          <Trans>do anything here that the law forbids.</Trans>
        </li>
      </ul>
      <p>
        <Trans>
          Saying what was done to you, that you are hurting, or that you have thought of not living any more,
          breaks no rule. You may say it here.
        </Trans>
      </p>

      <h2>
        <Trans>What we may do</Trans>
      </h2>
      <p>
        <Trans>
          If something breaks these rules, report it. We may hide or remove it, and we may pause or close an
          account that keeps breaking them. If you think we were wrong, write to us at the address below. A
          paused account can still export its data and delete itself.
        </Trans>
      </p>

      <h2>
        <Trans>Leaving</Trans>
      </h2>
      <p>
        <Trans>
          You can delete your account under Settings whenever you like. You are signed out at once, and choose
          whether your vents and comments go over 30 days, within 3 days, or stay without you. An account that
          nobody has used for a year is deleted. What is kept, and for how long, is under{' '}
          <Link to={paths.privacy}>Privacy</Link>.
        </Trans>
      </p>

      <h2>
        <Trans>What we can promise</Trans>
      </h2>
      <p>
        <Trans>
          We work with care, and we say openly what we cannot protect you from: see{' '}
          <Link to={paths.privacy}>Privacy</Link> and <Link to={paths.faq}>FAQ</Link>. We cannot promise that
          Unsaid is always there, free of faults, or that anyone will answer. As far as the law allows, we are
          not liable for what other people write here, or for loss that comes from using Unsaid. Nothing here
          takes away rights that the law gives you.
        </Trans>
      </p>

      <h2>
        <Trans>Changes, law and contact</Trans>
      </h2>
      <p>
        <Trans>
          If these terms change, their date changes with them. The law that applies, and its courts:{' '}
          <Placeholder>[to be set by the operator]</Placeholder>. Write to{' '}
          <Placeholder>[support contact to be set by the operator]</Placeholder>. The grievance officer is{' '}
          <Placeholder>[name and contact to be set by the operator]</Placeholder>.
        </Trans>
      </p>
    </Prose>
  );
}
