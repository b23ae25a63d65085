import type { ReactNode } from 'react';
import { Trans } from '@lingui/react/macro';
import styles from './info.module.css';
import { Placeholder } from './placeholder.tsx';

/** What is kept, and for how long. */
export function RetentionTable() {
  return (
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
          Your session, scrambled, with a rough label like “Chrome on Android”, the day it started and the day
          it was last used. Only days, no times. We don't store an IP address with your account.
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
            until you change it or delete your account. If you give up a username, nobody else can take it for
            30 days.
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
          under a secret tag of its own and apart from your profile, so they don't show that they're about one
          person. If you ask for a second look, what you write, encrypted.
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
        howLong={
          <Trans>
            until you delete them, or for the 24 hours or 7 days you chose. If you leave, you choose what
            happens to them. While someone checks a serious report, the vent stays with us, but nobody sees
            it.
          </Trans>
        }
      >
        <Trans>
          Title, text, emotion, hashtags, what would help, how long it stays, its language, the minute you
          posted it, and whether people can comment. The secret tag is different on every vent, and others
          don't see it.
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
          The words, the day, and whether you showed your name. The secret tag is different on every comment.
          We don't store the time of day. For each vent and comment there's also a scrambled note that you
          wrote one more, so your export finds them all.
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
          Who was suggested to you and in which week, under secret tags that change every week. Encrypted: the
          score, what you two have in common, your answer and its day, and the name they had then. It's worked
          out from both your profiles, never from vents. If you say no, the other person isn't told.
        </Trans>
      </RetentionRow>
      <RetentionRow
        what={<Trans>Reports</Trans>}
        howLong={
          <Trans>
            the words, until 30 days after the case is closed. The rest, and what we took down, until 180 days
            after.
          </Trans>
        }
      >
        <Trans>
          The reason and the time, what you added, and a copy of what was reported. Words and author are
          encrypted. You're stored under a secret tag that's different for each report. What moderators did is
          kept in a log, without names and without words.
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
            <Placeholder of="smsKeeps">[time to be set by the operator]</Placeholder>.
          </Trans>
        }
      >
        <Trans>
          What kind of page was asked for, and whether it worked. No phone number, no OTP, nothing you wrote,
          and no account next to anything about vents.
        </Trans>
      </RetentionRow>
      <RetentionRow what={<Trans>Backups</Trans>} howLong={<Trans>30 days at most.</Trans>}>
        <Trans>Copies of the database, in case it breaks. The secret keys aren't in them.</Trans>
      </RetentionRow>
    </dl>
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
