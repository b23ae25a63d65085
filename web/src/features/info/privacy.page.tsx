import type { ReactNode } from 'react';
import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Prose } from '../../ui/prose.tsx';
import styles from './info.module.css';
import { Placeholder } from './placeholder.tsx';
import { ResidualRisks } from './residual-risks.tsx';

export function PrivacyPage() {
  const { t } = useLingui();

  return (
    <Prose
      title={t`Privacy`}
      lead={
        <Trans>
          You come here to say what you can say to nobody you know. So we keep as little about you as we can,
          and this page names all of it.
        </Trans>
      }
    >
      <p>
        <Trans>
          In effect from <Placeholder>[effective date to be set by the operator]</Placeholder>. Unsaid is run
          by <Placeholder>[name and address to be set by the operator]</Placeholder>.
        </Trans>
      </p>
      <p>
        <Trans>
          Parts of Unsaid are still being built. What is said about a part holds from the day it opens.
        </Trans>
      </p>

      <h2>
        <Trans>In short</Trans>
      </h2>
      <ul>
        <li>
          <Trans>Your phone number is not stored.</Trans>
        </li>
        <li>
          <Trans>Other people are not shown who wrote a vent, nor that two vents have one author.</Trans>
        </li>
        <li>
          <Trans>A stolen copy of the database joins no vent to any account.</Trans>
        </li>
        <li>
          <Trans>
            Who you're suggested to goes by your profile and the feelings you name there. Your vents play no
            part.
          </Trans>
        </li>
        <li>
          <Trans>
            No advertising, no tracking, and nothing loaded from other companies. The one company we send
            anything to carries the SMS with your code.
          </Trans>
        </li>
        <li>
          <Trans>
            We never ask for your name, your e-mail, your birthday, your contacts, your location or a photo.
          </Trans>
        </li>
      </ul>

      <h2>
        <Trans>What is kept, and for how long</Trans>
      </h2>
      <p>
        <Trans>
          Below, a “mark” is what remains when something is scrambled so that it can be recognised again but
          not read. A “sealed key” stands for you beside what you write. It is made with a secret that is not
          in the database.
        </Trans>
      </p>
      <dl className={styles.retention}>
        <RetentionRow
          what={<Trans>Your phone number</Trans>}
          howLong={
            <Trans>
              the number until the SMS has left, 10 minutes at most; the mark as long as your account, and no
              longer than 180 days after you last used it.
            </Trans>
          }
        >
          <Trans>
            It is held in memory, or encrypted, while the SMS is sent to you, and then it is gone. A mark of
            it is stored. The mark is made slowly and with a secret key, so that trying out all numbers is
            hard.
          </Trans>
        </RetentionRow>
        <RetentionRow what={<Trans>The code</Trans>} howLong={<Trans>5 minutes.</Trans>}>
          <Trans>Only a mark of it. It works once.</Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Where you are signed in</Trans>}
          howLong={<Trans>14 days without use, 30 days at most, or until you log out.</Trans>}
        >
          <Trans>
            A mark of your session, a rough label such as “Chrome on Android”, the day it began and the day it
            was last used. Days only, no hours. No IP address is stored with your account.
          </Trans>
        </RetentionRow>
        <RetentionRow what={<Trans>Devices you have used</Trans>} howLong={<Trans>180 days.</Trans>}>
          <Trans>
            A mark of a random cookie, so that a stranger who asks for codes in your name cannot lock you out.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your profile</Trans>}
          howLong={
            <Trans>
              until you change it or delete your account. A username you give up is held back for 30 days, so
              that nobody can take your place.
            </Trans>
          }
        >
          <Trans>
            Username, bio, interests, likes, dislikes, match preference, whether you want anonymous chat, and
            whether your new vents take comments: as far as you fill them in. How you've been feeling, if you
            say so, and in which half of a month you said it, not the day. A random value from which your
            picture is drawn, others from which your sealed keys are made, and the days you joined and were
            last here.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your recovery code</Trans>}
          howLong={<Trans>as long as your account.</Trans>}
        >
          <Trans>Only a mark of it and the day it was made. We cannot show it to you again.</Trans>
        </RetentionRow>
        <RetentionRow what={<Trans>A pause</Trans>} howLong={<Trans>until the pause is over.</Trans>}>
          <Trans>
            Only after a breach of the rules: the day until which you can't write, under a sealed key and
            apart from your profile.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your vents</Trans>}
          howLong={<Trans>until you delete them. When you leave, as you choose then.</Trans>}
        >
          <Trans>
            Title, text, emotion, hashtags, the minute it was posted, and whether people can comment. They're
            under a sealed key that is different on every vent, and that others don't see.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your comments</Trans>}
          howLong={
            <Trans>
              until they or the vent are deleted. When you leave, as you choose then. The mark stays; once
              your account is deleted, nobody can tell whose it was, not even we.
            </Trans>
          }
        >
          <Trans>
            The words, the day, and whether you showed your name, under a sealed key that is different on
            every comment. We store no time of day. For each vent and each comment there is also a mark that
            you have written one more, so that your export finds them all.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>“Since you were here”</Trans>}
          howLong={<Trans>nothing on our side.</Trans>}
        >
          <Trans>
            What your vents were given is worked out when you look. That you looked isn't stored with your
            vents. Where you left off is kept in your browser.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your reactions</Trans>}
          howLong={<Trans>until you take them back, or the vent is deleted.</Trans>}
        >
          <Trans>
            Under a sealed key that is different on every vent. Nobody can make a list of what you reacted to,
            not even for you.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your matches</Trans>}
          howLong={<Trans>118 days; if you both said yes, as long as your account.</Trans>}
        >
          <Trans>
            Who was suggested to you and on which day, under sealed keys. Encrypted: the score, what you two
            have in common, your answer and its day, and the name they had then. It's worked out from what you
            both say in your profiles, never from vents. The other person is not told that you said no.
          </Trans>
        </RetentionRow>
        <RetentionRow what={<Trans>Reports</Trans>} howLong={<Trans>90 days.</Trans>}>
          <Trans>
            The reason, and a copy of what was reported. Whoever reports stands there under a sealed key.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Counters against abuse</Trans>}
          howLong={<Trans>24 hours at most; the count of name changes 30 days.</Trans>}
        >
          <Trans>
            How often something was tried from one number, one internet address or one account, so that nobody
            can guess codes or flood the place. They are kept under marks, not under the number or the address
            itself.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Logs</Trans>}
          howLong={
            <Trans>
              <Placeholder>[time to be set by the operator]</Placeholder>.
            </Trans>
          }
        >
          <Trans>
            What kind of page was asked for, and whether it worked. No number, no code, nothing you wrote, and
            no account beside anything about vents.
          </Trans>
        </RetentionRow>
        <RetentionRow what={<Trans>Backups</Trans>} howLong={<Trans>30 days at most.</Trans>}>
          <Trans>Copies of the database, in case it breaks. The secret keys are not in them.</Trans>
        </RetentionRow>
      </dl>

      <h2>
        <Trans>What your browser keeps</Trans>
      </h2>
      <p>
        <Trans>
          Your session, drafts you have not sent, a sealed note of what you've already been told about your
          vents, and your choice of language, of light or dark and of a neutral tab. If you show your name in
          comments, it's remembered for the open tab only. Two cookies: one for 10 minutes while you enter a
          code, and the random one for devices you have used, for 180 days. Neither is used to follow you.
          Logging out removes the session, the drafts, the note, the choice of name, the first cookie, and
          from the second what it knows about your number. To remove the rest, clear the data of this site in
          your browser.
        </Trans>
      </p>
      <p>
        <Trans>
          Also a copy of Unsaid itself, so that it opens without a connection: the same files for everybody,
          and nothing that anybody wrote. It shows that this browser has been here, as its history does.
        </Trans>
      </p>

      <h2>
        <Trans>Who else learns something</Trans>
      </h2>
      <ul>
        <li>
          <Trans>
            The company that carries our SMS, <Placeholder>[to be named by the operator]</Placeholder>, and
            your phone network: your number, that Unsaid sent you a code, and when. It keeps this for{' '}
            <Placeholder>[time to be set by the operator]</Placeholder>.
          </Trans>
        </li>
        <li>
          <Trans>Your internet provider: that you visit Unsaid, and when. Not what you read or write.</Trans>
        </li>
        <li>
          <Trans>
            A court or an authority, when the law obliges us to answer. They can get what we hold, and no
            more.
          </Trans>
        </li>
      </ul>
      <p>
        <Trans>
          We don't send anything to anyone else. If you tap Leave, your browser opens a weather search at
          Google: Google sees that visit, but not that you came from here. Our machines stand with{' '}
          <Placeholder>[hosting company and country, to be set by the operator]</Placeholder>.
        </Trans>
      </p>

      <h2>
        <Trans>What other people see</Trans>
      </h2>
      <p>
        <Trans>
          On a vent: its words, its emotion, its hashtags, its time, and whether comments are open. On your
          comments under other people’s vents: the day, and “Anonymous”, or your username and picture if you
          choose to show them. Your profile is seen only by someone you're suggested to, while you two are
          still deciding, and after you've both said yes. It never lists your vents, nor your feelings: of
          those, the other sees what you both named.
        </Trans>
      </p>

      <h2>
        <Trans>Who can still learn what</Trans>
      </h2>
      <p>
        <Trans>
          No place like this can hide everything, and the smaller it is, the less it hides. This is what we
          know of.
        </Trans>
      </p>
      <ResidualRisks />

      <h2>
        <Trans>What you can do</Trans>
      </h2>
      <ul>
        <li>
          <Trans>
            See everything we hold about you: Export my data, under Settings. We'll send a code to your number
            first.
          </Trans>
        </li>
        <li>
          <Trans>Change your profile at any time, or leave it empty.</Trans>
        </li>
        <li>
          <Trans>See where you are signed in, and end any session.</Trans>
        </li>
        <li>
          <Trans>
            Delete your account, under Settings. Account, number and matches go at once, and the tie to your
            words is cut. You choose whether your vents and comments go over 30 days, within 3 days, or stay
            here, cut from you for good. Each goes at its own random moment, so that they don't vanish
            together. Comments under your name can show it for up to 30 days. Backups follow within 30 days,
            and copies in reports within 90.
          </Trans>
        </li>
      </ul>

      <h2>
        <Trans>When you stay away</Trans>
      </h2>
      <p>
        <Trans>
          After 90 days of silence, a code entered on a device we do not know opens a fresh account, because
          your number may belong to someone else by then. Your recovery code brings the old one back, for 30
          days. After 180 days we delete the mark of your number. After 365 days we delete the account. We
          have no way to remind you.
        </Trans>
      </p>

      <h2>
        <Trans>Age</Trans>
      </h2>
      <p>
        <Trans>Unsaid is for people of 18 and over. We do not ask for a birthday.</Trans>
      </p>

      <h2>
        <Trans>Changes and questions</Trans>
      </h2>
      <p>
        <Trans>
          If this page changes, its date changes with it. Write to{' '}
          <Placeholder>[privacy contact to be set by the operator]</Placeholder>. The grievance officer is{' '}
          <Placeholder>[name and contact to be set by the operator]</Placeholder>. More answers are under{' '}
          <Link to={paths.faq}>FAQ</Link>.
        </Trans>
      </p>
    </Prose>
  );
}

function RetentionRow({
  what,
  howLong,
  children,
}: {
  what: ReactNode;
  howLong: ReactNode;
  children: ReactNode;
}) {
  return (
    <div>
      <dt>{what}</dt>
      <dd>{children}</dd>
      <dd className={styles.small}>
        <Trans>Kept:</Trans> {howLong}
      </dd>
    </div>
  );
}
