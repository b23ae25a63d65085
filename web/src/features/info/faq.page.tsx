import type { ReactNode } from 'react';
import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Prose } from '../../ui/prose.tsx';
import { InfoLinks } from './info-links.tsx';
import { Placeholder } from './placeholder.tsx';
import styles from './info.module.css';

export function FaqPage() {
  const { t } = useLingui();

  return (
    <Prose
      title={t`Questions you may have`}
      lead={
        <Trans>
          It's good to be careful with a place like this. These answers are honest, even where we wish we
          could say something nicer.
        </Trans>
      }
    >
      <h2>{t`Being recognised`}</h2>

      <Question asked={t`Can anyone find out who wrote a vent?`}>
        <p>
          <Trans>
            Unsaid doesn't show it to anyone. A vent has an emotion and a time, but no name and no picture.
            Nothing on it says that two vents are by the same person. When you reply on your own vent, you
            appear as “Author”.
          </Trans>
        </p>
        <p>
          <Trans>
            What we can't hide is your own words. Someone close to you may recognise the way you write, a
            place, a date, or a story only a few people know. Change or leave out what points to you. On
            someone else’s vent you're Anonymous, unless you choose to show your name. If you show it right
            after you've vented, someone who's watching could link the two.
          </Trans>
        </p>
        <p>
          <Trans>
            Your vents don't decide who you're suggested to either. Your profile does, and the feelings you
            name there, if you name any. The other person sees which feelings you share, and could find out
            the rest.
          </Trans>
        </p>
      </Question>

      <Question asked={t`Could someone take a screenshot of what I write?`}>
        <p>
          <Trans>
            Yes. Anyone who can read your words can copy them or take a screenshot, and we can't stop that or
            undo it. Deleting a vent takes it off Unsaid, not off someone's phone. So write in a way that a
            copy couldn't hurt you.
          </Trans>
        </p>
      </Question>

      <Question asked={t`What happens when I close comments?`}>
        <p>
          <Trans>
            You choose for each vent, when you post it or any time later. Nobody can comment on a closed vent,
            not even you. Comments that are already there stay. The switch in your profile only sets how your
            new vents start out.
          </Trans>
        </p>
        <p>
          <Trans>
            In Update Profile you can also close all your vents at once. Someone who's watching closely could
            see which ones closed together, and guess that one person wrote them. They still don't know who.
            If it can wait, close one now and another later.
          </Trans>
        </p>
        <p>
          <Trans>
            We know that, and we kept the button anyway. If you're being attacked, you should be able to close
            everything at once.
          </Trans>
        </p>
      </Question>

      <Question asked={t`Could the people who run Unsaid find out who I am?`}>
        <p>
          <Trans>
            Other users can't. Someone who steals a copy of our database can't. But we won't pretend about
            ourselves: a person with both our secret keys and the database could link vents to an account, and
            an account to a phone number. That's why we keep the two apart.
          </Trans>
        </p>
        <p>
          <Trans>If that's too big a risk for what you want to say, please don't say it here.</Trans>
        </p>
      </Question>

      <Question asked={t`Will you give my data to the police?`}>
        <p>
          <Trans>
            Only when the law makes us, and then only what we have. We don't have your name, your address,
            your location or a list of phone numbers. But if someone comes with a number, the keys and the
            database together can show if it has an account, and what that account wrote. We can't promise
            that no court will ever ask.
          </Trans>
        </p>
      </Question>

      <h2>{t`Your phone`}</h2>

      <Question asked={t`Who gets to see my phone number?`}>
        <p>
          <Trans>
            We use your number to send you an OTP. We don't store it. We only keep a scrambled version, made
            with a secret key. It lets us recognise the same number again, and nothing more.
          </Trans>
        </p>
        <p>
          <Trans>
            The company that sends our SMS and your phone network see your number, that the message came from
            Unsaid, and when. The message says nothing about feelings. Your internet provider can see that you
            visit Unsaid, but not what you write.
          </Trans>
        </p>
      </Question>

      <Question asked={t`I share my phone. How do I stay safe?`}>
        <ul>
          <li>
            <Trans>Log out when you're done. That removes your session and your drafts from the phone.</Trans>
          </li>
          <li>
            <Trans>Delete the SMS with the OTP. It names Unsaid, and it may show on the lock screen.</Trans>
          </li>
          <li>
            <Trans>Use a private (incognito) window, so the browser doesn't remember the visit.</Trans>
          </li>
          <li>
            <Trans>In Settings, check where you're logged in, and end any session.</Trans>
          </li>
          <li>
            <Trans>
              You can also give the tab a neutral name and icon there. The web address still shows where you
              are.
            </Trans>
          </li>
        </ul>
        <p>
          <Trans>
            If someone walks in, tap Leave at the top, or press Escape three times. The page goes blank and a
            weather search opens instead. That site isn't told where you came from. After that, Back skips
            Unsaid, as far as your browser lets us.
          </Trans>
        </p>
        <p>
          <Trans>
            Leave can't clean up after you. The browser history still shows Unsaid, Forward may lead back
            here, and other tabs stay open. You stay logged in and your draft stays, so you can come back to
            it.
          </Trans>
        </p>
        <p>
          <Trans>
            To open offline, your browser keeps a copy of the Unsaid app: the same files everyone gets in your
            language, with the helplines in them. Nothing you or others wrote is in that copy. Your draft is
            stored separately, and shown only while you're logged in.
          </Trans>
        </p>
        <p>
          <Trans>
            One more thing: anyone who can read the SMS that come to your number can log in as you. If someone
            else has your SIM, that number isn't safe for Unsaid.
          </Trans>
        </p>
      </Question>

      <Question asked={t`What if I lose my number and someone else gets it?`}>
        <p>
          <Trans>
            In India, a number that hasn't been used for 90 days can be given to someone else. So if an
            account has been silent for more than 90 days, and the OTP is entered on a device we don't know,
            Unsaid opens a new, empty account and says nothing about the old one.
          </Trans>
        </p>
        <p>
          <Trans>
            If it was you, your recovery code brings the old account back. Enter it in Settings within 30
            days. Keep the code somewhere only you can find it. We can't warn you before the 90 days are over,
            because we don't have your number. If someone else gets your number sooner than that, they could
            log in. So delete your account before you give a number up.
          </Trans>
        </p>
      </Question>

      <h2>{t`About Unsaid`}</h2>

      <Question asked={t`What happens when I delete my account?`}>
        <p>
          <Trans>
            You're logged out everywhere, and the link between you and your words is cut, right away. Then
            it's your choice. Over 30 days, each vent and comment goes at its own random time, so someone
            who's watching can't tell which of the people who left in those weeks wrote it. Within 3 days is
            faster, but you may be the only one leaving then, and that shows. Or your words stay, with no link
            to you: nothing disappears, but nobody can delete them for you later.
          </Trans>
        </p>
        <p>
          <Trans>
            Comments under your name can still show it for up to 30 days. Backups are gone within 30 days. If
            something was reported, an encrypted copy stays with the case, until 30 days after it's closed.
            The button is in Settings. We ask for a new OTP first, so nobody else can press it for you.
          </Trans>
        </p>
      </Question>

      <Question asked={t`Who looks after this place?`}>
        <p>
          <Trans>
            People do. You can report a vent, a comment or a profile. A moderator reads it, without seeing who
            wrote it or who reported it, and we never tell the author that it was you. Nobody watches round
            the clock: we look at dangerous things within 36 hours, and at everything within 7 days.
          </Trans>
        </p>
        <p>
          <Trans>
            If we take something of yours down, you get a notice with the rule, and you can ask for a second
            look. Someone else decides then. <Link to={paths.ledger}>What moderators did</Link> shows the
            figures, month by month. You can also write to the{' '}
            <Link to={paths.grievance}>grievance officer</Link>.
          </Trans>
        </p>
        <p>
          <Trans>
            If someone could be in danger, don't wait for us. The numbers under{' '}
            <Link to={paths.support}>Support</Link> are faster.
          </Trans>
        </p>
      </Question>

      <Question asked={t`Is this therapy?`}>
        <p>
          <Trans>
            No. The people who reply to you are people like you, not counsellors or doctors. Unsaid doesn't
            treat anything or judge anyone. If you'd like to talk to someone who's trained to listen, see{' '}
            <Link to={paths.support}>Support</Link>.
          </Trans>
        </p>
      </Question>

      <Question asked={t`What does it cost?`}>
        <p>
          <Trans>
            Nothing. There are no ads, and we don't sell what you write. Your phone company may charge you for
            data.
          </Trans>
        </p>
      </Question>

      <p>
        <Trans>
          Everything we keep, and for how long, is listed under <Link to={paths.privacy}>Privacy</Link>.
        </Trans>
      </p>
      <p>
        <Trans>
          These answers apply from{' '}
          <Placeholder of="termsFrom">[effective date to be set by the operator]</Placeholder>. For anything
          else, write to <Placeholder of="support">[support contact to be set by the operator]</Placeholder>.
        </Trans>
      </p>
      <InfoLinks />
    </Prose>
  );
}

function Question({ asked, children }: { asked: string; children: ReactNode }) {
  return (
    <details className={styles.question}>
      <summary>{asked}</summary>
      <div className={styles.answer}>{children}</div>
    </details>
  );
}
