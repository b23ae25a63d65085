import type { ReactNode } from 'react';
import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Prose } from '../../ui/prose.tsx';
import { InfoLinks } from './info-links.tsx';
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
          You come here to say what you can't say to anyone you know. So we keep as little about you as we
          can. This page lists all of it.
        </Trans>
      }
    >
      <p>
        <Trans>
          In effect from <Placeholder>[effective date to be set by the operator]</Placeholder>. Unsaid is run
          by <Placeholder>[name and address to be set by the operator]</Placeholder>.
        </Trans>
      </p>

      <h2>
        <Trans>In short</Trans>
      </h2>
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
            No ads, no tracking, and nothing loaded from other companies. The only company we send anything to
            is the one that delivers the SMS with your OTP.
          </Trans>
        </li>
        <li>
          <Trans>We never ask for your name, email, birthday, contacts, location or a photo.</Trans>
        </li>
      </ul>

      <h2>
        <Trans>What we keep, and for how long</Trans>
      </h2>
      <p>
        <Trans>
          Two words to know: “scrambled” means we can recognise something again, but can't read it back. A
          “secret tag” is stored next to what you write, in place of your account. It's made with a key that
          isn't in the database.
        </Trans>
      </p>
      <dl className={styles.retention}>
        <RetentionRow
          what={<Trans>Your phone number</Trans>}
          howLong={
            <Trans>
              the number, until the SMS is sent, 10 minutes at most. The scrambled version, as long as your
              account, but no longer than 180 days after you last used it.
            </Trans>
          }
        >
          <Trans>
            It's held in memory, or encrypted, while the SMS is being sent, and then it's gone. We store a
            scrambled version. Making it is slow and needs a secret key, so trying out all numbers is hard.
          </Trans>
        </RetentionRow>
        <RetentionRow what={<Trans>The OTP</Trans>} howLong={<Trans>5 minutes.</Trans>}>
          <Trans>Only a scrambled version. It works once.</Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Where you're logged in</Trans>}
          howLong={<Trans>14 days without use, 30 days at most, or until you log out.</Trans>}
        >
          <Trans>
            Your session, scrambled, with a rough label like “Chrome on Android”, the day it started and the
            day it was last used. Only days, no times. We don't store an IP address with your account.
          </Trans>
        </RetentionRow>
        <RetentionRow what={<Trans>Devices you've used</Trans>} howLong={<Trans>180 days.</Trans>}>
          <Trans>
            A random cookie, scrambled, so a stranger who asks for OTPs with your number can't lock you out.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your profile</Trans>}
          howLong={
            <Trans>
              until you change it or delete your account. If you give up a username, nobody else can take it
              for 30 days.
            </Trans>
          }
        >
          <Trans>
            What you fill in: username, bio, interests, likes, dislikes, match preference, whether you want
            anonymous chat, and whether your new vents take comments. How you've been feeling, if you say so,
            and in which half of the month you said it, not the day. A random value that your picture is drawn
            from, others that your secret tags are made from, and the days you joined and were last here.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your recovery code</Trans>}
          howLong={<Trans>as long as your account.</Trans>}
        >
          <Trans>Only a scrambled version, and the day it was made. We can't show it to you again.</Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Notices and limits</Trans>}
          howLong={<Trans>180 days, or until a ban is over.</Trans>}
        >
          <Trans>
            Only if we took something of yours down: the rule, the day, and until when you can't post. Each is
            under a secret tag of its own and apart from your profile, so they don't show that they're about
            one person. If you ask for a second look, what you write, encrypted.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your number, if you leave while you can't post</Trans>}
          howLong={<Trans>30 days, after a ban 180.</Trans>}
        >
          <Trans>Only the scrambled version, without an account and without a reason.</Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>What you hide or mute</Trans>}
          howLong={<Trans>until you change it or delete your account.</Trans>}
        >
          <Trans>Encrypted. The people you hide don't find out.</Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>What you agreed to</Trans>}
          howLong={<Trans>as long as your account.</Trans>}
        >
          <Trans>The version of this page, and the day.</Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your vents</Trans>}
          howLong={<Trans>until you delete them. If you leave, you choose what happens to them.</Trans>}
        >
          <Trans>
            Title, text, emotion, hashtags, the minute you posted it, and whether people can comment. The
            secret tag is different on every vent, and others don't see it.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your comments</Trans>}
          howLong={
            <Trans>
              until they or the vent are deleted. If you leave, you choose what happens to them. The scrambled
              note stays, but once your account is deleted, nobody can tell whose it was, not even us.
            </Trans>
          }
        >
          <Trans>
            The words, the day, and whether you showed your name. The secret tag is different on every
            comment. We don't store the time of day. For each vent and comment there's also a scrambled note
            that you wrote one more, so your export finds them all.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>What's new on your vents</Trans>}
          howLong={<Trans>nothing on our side.</Trans>}
        >
          <Trans>
            We work out what's new when you look. Your vents don't record that you looked. Your browser
            remembers where you left off.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your reactions</Trans>}
          howLong={<Trans>until you take them back or the vent is deleted.</Trans>}
        >
          <Trans>
            Under a secret tag that's different on every vent. Nobody can make a list of what you reacted to,
            not even for you.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Your matches</Trans>}
          howLong={<Trans>118 days. If you both said yes, as long as your account.</Trans>}
        >
          <Trans>
            Who was suggested to you and on which day, under secret tags. Encrypted: the score, what you two
            have in common, your answer and its day, and the name they had then. It's worked out from both
            your profiles, never from vents. If you say no, the other person isn't told.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Reports</Trans>}
          howLong={
            <Trans>
              the words, until 30 days after the case is closed. The rest, and what we took down, until 180
              days after.
            </Trans>
          }
        >
          <Trans>
            The reason and the time, what you added, and a copy of what was reported. Words and author are
            encrypted. You're stored under a secret tag that's different for each report. What moderators did
            is kept in a log, without names and without words.
          </Trans>
        </RetentionRow>
        <RetentionRow
          what={<Trans>Counters against abuse</Trans>}
          howLong={<Trans>24 hours at most. The count of name changes, 30 days.</Trans>}
        >
          <Trans>
            How often something was tried from one number, one internet address or one account, so nobody can
            guess OTPs or flood the place. The number and the address are scrambled.
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
            What kind of page was asked for, and whether it worked. No phone number, no OTP, nothing you
            wrote, and no account next to anything about vents.
          </Trans>
        </RetentionRow>
        <RetentionRow what={<Trans>Backups</Trans>} howLong={<Trans>30 days at most.</Trans>}>
          <Trans>Copies of the database, in case it breaks. The secret keys aren't in them.</Trans>
        </RetentionRow>
      </dl>

      <h2>
        <Trans>What your browser keeps</Trans>
      </h2>
      <p>
        <Trans>
          Your session, drafts you haven't sent, an encrypted note of what you've seen in your inbox, what its
          bell counts, your choice of language, theme and neutral tab, and which of our first screens you've
          seen. If you show your name in comments, that's remembered for the open tab only. While you enter an
          OTP, your number stays in that open tab, for 5 minutes at most.
        </Trans>
      </p>
      <p>
        <Trans>
          Two cookies: one for 10 minutes while you enter an OTP, and the random one for devices you've used,
          for 180 days. We don't use either to follow you.
        </Trans>
      </p>
      <p>
        <Trans>
          Logging out removes the session, the drafts, the note, the bell's settings, the choice of name, your
          number and the first cookie, and what the second one knows about your number. To remove the rest,
          clear this site's data in your browser.
        </Trans>
      </p>
      <p>
        <Trans>
          Also a copy of the Unsaid app, so it opens offline: the same files for everyone, and nothing anyone
          wrote. It shows that this browser has been here, just like its history does.
        </Trans>
      </p>

      <h2>
        <Trans>Who else finds out something</Trans>
      </h2>
      <ul>
        <li>
          <Trans>
            The company that delivers our SMS, <Placeholder>[to be named by the operator]</Placeholder>, and
            your phone network: your number, that Unsaid sent you an OTP, and when. The company keeps this for{' '}
            <Placeholder>[time to be set by the operator]</Placeholder>.
          </Trans>
        </li>
        <li>
          <Trans>Your internet provider: that you visit Unsaid, and when. Not what you read or write.</Trans>
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
          <Placeholder>[hosting company and country, to be set by the operator]</Placeholder>.
        </Trans>
      </p>

      <h2>
        <Trans>What other people see</Trans>
      </h2>
      <p>
        <Trans>
          On a vent: the words, the emotion, the hashtags, the time, and whether comments are open. On your
          comments on other people’s vents: the day, and “Anonymous”, or your username and picture if you
          choose to show them. Only someone you're suggested to sees your profile, while you two are still
          deciding, and after you've both said yes. It never lists your vents or your feelings. Of those, the
          other person sees the ones you both named.
        </Trans>
      </p>

      <h2>
        <Trans>Who could still find out what</Trans>
      </h2>
      <p>
        <Trans>
          No place like this can hide everything, and the smaller it is, the less it hides. Here's what we
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
            Delete your account, in Settings. The account, your number and your matches go right away, and the
            link to your words is cut. You choose if your vents and comments go over 30 days, go within 3
            days, or stay here with no link to you. Each goes at its own random time, so they don't disappear
            together. Comments under your name can still show it for up to 30 days. Backups are gone within 30
            days. If something was reported, an encrypted copy stays until 30 days after that case is closed.
            What was reported for a serious reason goes once its case is closed.
          </Trans>
        </li>
      </ul>

      <h2>
        <Trans>If you stay away</Trans>
      </h2>
      <p>
        <Trans>
          After 90 days of silence, an OTP entered on a device we don't know opens a new account, because your
          number may belong to someone else by then. Your recovery code brings the old one back, for 30 days.
          After 180 days we delete the scrambled version of your number. After 365 days we delete the account.
          We have no way to remind you.
        </Trans>
      </p>

      <h2>
        <Trans>Age</Trans>
      </h2>
      <p>
        <Trans>Unsaid is for people who are 18 or over. We don't ask for your birthday.</Trans>
      </p>

      <h2>
        <Trans>Changes and questions</Trans>
      </h2>
      <p>
        <Trans>
          If this page changes in a way that matters to you, we'll ask you again when you're here. You agreed
          to it when you signed up, and you can take that back any time: delete your account in Settings, or
          write to the <Link to={paths.grievance}>grievance officer</Link>. You can write there with any
          question, too. You'll find more answers under <Link to={paths.faq}>FAQ</Link>.
        </Trans>
      </p>
      <InfoLinks />
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
