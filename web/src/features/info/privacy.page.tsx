import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { Icon } from '../../ui/icon.tsx';
import { Prose } from '../../ui/prose.tsx';
import { InfoLinks } from './info-links.tsx';
import { Placeholder } from './placeholder.tsx';
import { StaysEnglish } from './stays-english.tsx';
import { WaysIn } from './ways-in.tsx';
import person from '@material-symbols/svg-400/rounded/person.svg?path';
import phone from '@material-symbols/svg-400/rounded/call.svg?path';
import sms from '@material-symbols/svg-400/rounded/sms.svg?path';
import styles from './info.module.css';

const legal = lazyPart(() => import('./legal-parts.ts'), {
  catalogue: ['legal', 'info'],
  route: paths.privacy,
});
const ResidualRisks = legal.as('ResidualRisks');
const RetentionTable = legal.as('RetentionTable');

export function PrivacyPage() {
  const { t } = useLingui();

  return (
    <Prose
      title={t`Privacy`}
      lead={<Trans>We keep as little about you as we can. This page lists all of it.</Trans>}
    >
      <Apart />
      <h2>{t`Who can learn what`}</h2>
      <dl className={styles.learn}>
        <Learns who={t`People here`}>
          <Trans>Your words, the feeling, the time. Not who you are.</Trans>
        </Learns>
        <Learns who={t`A match`}>
          <Trans>Your profile, and feelings you both named. Never your vents.</Trans>
        </Learns>
        <Learns who={t`The SMS company`}>
          <Trans>Your number, and that Unsaid sent you an OTP.</Trans>
        </Learns>
        <Learns who={t`Your internet`}>
          <Trans>That you visit. Not what you read or write.</Trans>
        </Learns>
        <Learns who={t`Who has your phone`}>
          <Trans>Everything, while you're logged in.</Trans>
        </Learns>
        <Learns who={t`A thief of our data`}>
          <Trans>What people wrote. Not who wrote it.</Trans>
        </Learns>
        <Learns who={t`We, with our keys`}>
          <Trans>Who wrote what, if we tried or a court ordered it.</Trans>
        </Learns>
        <Learns who={t`Who knows you`}>
          <Trans>Perhaps you, by your story or how you write.</Trans>
        </Learns>
      </dl>
      <Details title={t`In short`}>
        <ul>
          <li>
            <Trans>We don't store your phone number.</Trans>
          </li>
          <li>
            <Trans>
              We don't show other people who wrote a vent, or that two vents are by the same person.
            </Trans>
          </li>
          <li>
            <Trans>Even a stolen copy of our database doesn't link a vent to an account.</Trans>
          </li>
          <li>
            <Trans>
              Your profile and the feelings you name there decide who you're suggested to. Your vents don't.
            </Trans>
          </li>
          <li>
            <Trans>
              No ads, no tracking, and nothing loaded from other companies. The only company we send anything
              to is the one that delivers the SMS with your OTP.
            </Trans>
          </li>
          <li>
            <Trans>We never ask for your name, email, birthday, contacts, location or a photo.</Trans>
          </li>
        </ul>
      </Details>
      <Details title={t`What we keep, and for how long`}>
        <p>
          <Trans>
            Two words to know: “scrambled” means we can recognise something again, but can't read it back. A
            “secret tag” is stored next to what you write, in place of your account. It's made with a key that
            isn't in the database.
          </Trans>
        </p>
        <StaysEnglish>
          <RetentionTable />
        </StaysEnglish>
      </Details>
      <Details title={t`What your browser keeps`}>
        <p>
          <Trans>
            Your session, drafts you haven't sent, two encrypted notes of what you've opened in your inbox and
            what was there when you last looked, what you chose under Listen and how many you answered today,
            your choice of language, theme and neutral tab, and which of our first screens you've seen. While
            you enter an OTP, your number stays in the open tab, for 5 minutes at most.
          </Trans>
        </p>
        <p>
          <Trans>
            Up to three cookies: one for 10 minutes while you enter an OTP, the random one for devices you've
            used, for 180 days, and one for 10 minutes so you see right away what you wrote. We don't use any
            of them to follow you.
          </Trans>
        </p>
        <p>
          <Trans>
            Logging out removes the session, the drafts, the notes, the settings of Listen, your number and
            the first cookie, and what the second one knows about your number. To remove the rest, clear this
            site's data in your browser.
          </Trans>
        </p>
        <p>
          <Trans>
            This browser reads what you write to offer help, and nobody learns what it found. If a vent speaks
            of a plan to die, lists show other people “Heavy” before its words. That is read from the words
            each time and stored nowhere. If you made your account here, the browser remembers when, so that
            Listen starts gently; logging out removes it.
          </Trans>
        </p>
        <p>
          <Trans>
            Also a copy of the Unsaid app in your language, so it opens offline: the same files for everyone
            who reads it, and nothing anyone wrote. It shows that this browser has been here, just like its
            history does.
          </Trans>
        </p>
      </Details>
      <Details title={t`Who else finds out something`}>
        <ul>
          <li>
            <Trans>
              The company that delivers our SMS,{' '}
              <Placeholder of="smsCompany">[to be named by the operator]</Placeholder>, and your phone
              network: your number, that Unsaid sent you an OTP to sign in or to confirm a change, and when.
              The company keeps this for{' '}
              <Placeholder of="smsKeeps">[time to be set by the operator]</Placeholder>.
            </Trans>
          </li>
          <li>
            <Trans>
              Your internet provider, and the people who run the Wi-Fi: that you visit Unsaid, when, and when
              you post something. Not what you write. From how much is sent they can sometimes guess which
              vent you opened.
            </Trans>
          </li>
          <li>
            <Trans>
              A court or an authority, when the law makes us answer. They can get what we have, and nothing
              more.
            </Trans>
          </li>
        </ul>
        <p>
          <Trans>
            We don't send anything to anyone else. If you tap Leave, your browser opens a weather search on
            Google. Google sees that visit, but not that you came from here. Our servers are with{' '}
            <Placeholder of="hosting">[hosting company and country, to be set by the operator]</Placeholder>.
          </Trans>
        </p>
      </Details>
      <Details title={t`What other people see`}>
        <p>
          <Trans>
            On a vent: the words, the emotion, the hashtags, what would help, when it'll be gone, the time,
            and whether comments are open. On your comments on other people’s vents: the day, and “Anonymous”,
            or your username and picture if you choose to show them. Only someone you're suggested to sees
            your profile, while you two are still deciding, and after you've both said yes. It never lists
            your vents or your feelings. Of those, the other person sees the ones you both named.
          </Trans>
        </p>
      </Details>
      <Details title={t`Who could still find out what`}>
        <p>
          <Trans>
            No place like this can hide everything, and the smaller it is, the less it hides. Here's what we
            know of.
          </Trans>
        </p>
        <StaysEnglish>
          <ResidualRisks />
        </StaysEnglish>
      </Details>
      <Details title={t`What you can do`}>
        <ul>
          <li>
            <Trans>
              See everything we have about you: Export my data, in Settings. We'll send an OTP to your number
              first.
            </Trans>
          </li>
          <li>
            <Trans>Change your profile any time, or leave it empty.</Trans>
          </li>
          <li>
            <Trans>Check where you're logged in, and end any session.</Trans>
          </li>
          <li>
            <Trans>
              Delete your account, in Settings. The account, your number and your matches go right away, and
              the link to your words is cut. You choose if your vents and comments go over 30 days, go within
              3 days, or stay here with no link to you. Each goes at its own random time, so they don't
              disappear together. Comments under your name can still show it for up to 30 days. Backups are
              gone within 30 days. If something was reported, an encrypted copy stays until 30 days after that
              case is closed. What was reported for a serious reason goes once its case is closed.
            </Trans>
          </li>
        </ul>
      </Details>
      <Details title={t`Who can get into your account`}>
        <WaysIn />
      </Details>
      <Details title={t`If you stay away`}>
        <p>
          <Trans>
            After 90 days of silence, an OTP entered on a device we don't know opens a new account, because
            your number may belong to someone else by then. Your recovery code brings the old one back, for 30
            days. After 180 days we delete the scrambled version of your number. After 365 days we delete the
            account. We have no way to remind you.
          </Trans>
        </p>
      </Details>
      <Details title={t`Age`}>
        <p>
          <Trans>Unsaid is for people who are 18 or over. We don't ask for your birthday.</Trans>
        </p>
      </Details>
      <Details title={t`Changes and questions`}>
        <p>
          <Trans>
            If this page changes in a way that matters to you, we'll ask you again when you're here. You
            agreed to it when you signed up, and you can take that back any time: delete your account in
            Settings, or write to the <Link to={paths.grievance}>grievance officer</Link>. You can write there
            with any question, too. You'll find more answers under <Link to={paths.faq}>FAQ</Link>.
          </Trans>
        </p>
      </Details>
      <p>
        <Trans>
          In effect from <Placeholder of="termsFrom">[effective date to be set by the operator]</Placeholder>.
          Unsaid is run by{' '}
          <Placeholder of="nameAndAddress">[name and address to be set by the operator]</Placeholder>.
        </Trans>
      </p>
      <InfoLinks />
    </Prose>
  );
}

interface DetailsProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A heading that opens. Closed, its text is in the page: the browser's own search finds it. */
function Details({ title, children }: DetailsProps) {
  return (
    <details className={styles.question}>
      <summary>
        <h2 className={styles.topic}>{title}</h2>
      </summary>
      <div className={styles.answer}>{children}</div>
    </details>
  );
}

function Learns({ who, children }: { readonly who: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{who}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The number, the account and the words: which of them we keep, and that nothing joins the last two. */
function Apart() {
  const { t } = useLingui();
  const boxes = [
    [phone, t`Your number`, t`not stored`],
    [person, t`Your account`, t`no name, no email`],
    [sms, t`Your words`, t`no link to you`],
  ] as const;
  return (
    <ul role="list" className={styles.apart}>
      {boxes.map(([icon, name, said]) => (
        <li key={name}>
          <Icon path={icon} size={28} />
          <strong>{name}</strong>
          <span>{said}</span>
        </li>
      ))}
    </ul>
  );
}
