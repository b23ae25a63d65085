import type { ReactNode } from 'react';
import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Prose } from '../../ui/prose.tsx';
import { Placeholder } from './placeholder.tsx';
import styles from './info.module.css';

export function FaqPage() {
  const { t } = useLingui();

  return (
    <Prose
      title={t`Questions you may have`}
      lead={
        <Trans>
          It is right to be careful with a place like this. These are honest answers, also where they are not
          the ones we would like to give.
        </Trans>
      }
    >
      <p>
        <Trans>
          Parts of Unsaid are still being built and open one after the other. What is said about a part holds
          from the day it opens.
        </Trans>
      </p>

      <h2>
        <Trans>Being recognised</Trans>
      </h2>

      <Question asked={t`Can anyone find out who wrote a vent?`}>
        <p>
          <Trans>
            Unsaid does not show it to anyone. A vent carries its emotion and its time, no name and no
            picture, and nothing on it says that two vents come from one person. When you answer under your
            own vent, you appear as “Author”.
          </Trans>
        </p>
        <p>
          <Trans>
            What we cannot hide is your own words. The way you write, a place, a date, a story that few people
            know: someone close to you may know you by them. Change or leave out what points to you. On
            someone else’s vent you're Anonymous, unless you choose to show your name. Show it right after
            you've vented, and someone who's watching could link the two.
          </Trans>
        </p>
        <p>
          <Trans>
            Your vents don't decide who you're suggested to either. That goes by your profile and by the
            feelings you name there, if you name any. The other sees which ones you have in common, and could
            find out the rest.
          </Trans>
        </p>
      </Question>

      <Question asked={t`Could someone take a screenshot of what I write?`}>
        <p>
          <Trans>
            Yes. Whoever can read your words can copy them or take a picture, and we cannot prevent it or undo
            it. Deleting a vent takes it off Unsaid. It does not take back a copy. Write so that a copy could
            not hurt you.
          </Trans>
        </p>
      </Question>

      <Question asked={t`What happens when I close comments?`}>
        <p>
          <Trans>
            You choose for each vent: when you post it, and whenever you like after that. On a closed vent
            nobody can add a comment, not even you. The ones already there stay. The switch in your profile is
            only how your new vents start out.
          </Trans>
        </p>
        <p>
          <Trans>
            Under Update Profile you can also close all your vents at once. Someone who watches closely could
            see which ones closed together, and guess that one person wrote them. They still don't learn who.
            If it can wait, close one now and another later.
          </Trans>
        </p>
        <p>
          <Trans>
            We know, and kept that button anyway: someone who's being attacked must be able to shut every door
            at once.
          </Trans>
        </p>
      </Question>

      <Question asked={t`Could the people who run Unsaid find out who I am?`}>
        <p>
          <Trans>
            Other users cannot. Someone who steals a copy of our database cannot. But we will not pretend
            about ourselves: a person who holds the secret keys and the database together could connect vents
            with an account, and an account with a phone number. That is why the two are kept apart.
          </Trans>
        </p>
        <p>
          <Trans>If that is too great a risk for what you need to say, please do not say it here.</Trans>
        </p>
      </Question>

      <Question asked={t`Will you give my data to the police?`}>
        <p>
          <Trans>
            Only when the law obliges us, and then only what we have. We have no name, no address, no location
            and no list of phone numbers. But if someone comes with a number, the keys and the database
            together can tell whether that number has an account, and what it wrote. We cannot promise you
            that no court will ever ask.
          </Trans>
        </p>
      </Question>

      <h2>
        <Trans>Your phone</Trans>
      </h2>

      <Question asked={t`Who gets to see my phone number?`}>
        <p>
          <Trans>
            We use your number to send you a code, and do not store it. What stays is a mark, made from the
            number with a secret key. It lets us recognise the same number again, and nothing more.
          </Trans>
        </p>
        <p>
          <Trans>
            The company that carries our SMS, and your phone network, see your number, that the message came
            from Unsaid, and when. The message says nothing about feelings. Your internet provider can see
            that you visit us, but not what you read or write.
          </Trans>
        </p>
      </Question>

      <Question asked={t`I share my phone. How do I stay safe?`}>
        <ul>
          <li>
            <Trans>
              Log out when you are done. This removes your session and your drafts from the phone.
            </Trans>
          </li>
          <li>
            <Trans>
              Delete the SMS with the code. It names Unsaid, and it may show while the phone is locked.
            </Trans>
          </li>
          <li>
            <Trans>Use a private window, so that the browser does not remember the visit.</Trans>
          </li>
          <li>
            <Trans>Under Settings, see where you are signed in, and end any session there.</Trans>
          </li>
          <li>
            <Trans>
              There you can also give the tab a neutral name and icon. The address still says where you are.
            </Trans>
          </li>
        </ul>
        <p>
          <Trans>
            If someone comes in, press Leave at the top of the page, or Escape three times. The page is empty
            at once, and a search for the weather opens in its place; that site is not told where you came
            from. Going back then leads past Unsaid, as far as your browser lets us.
          </Trans>
        </p>
        <p>
          <Trans>
            Leave cannot clean up behind you. The browser’s list of visited pages still names Unsaid, going
            forward may lead here, and other tabs stay open. You stay signed in and your draft stays, so that
            you can come back to it.
          </Trans>
        </p>
        <p>
          <Trans>
            So that it opens without a connection, your browser keeps a copy of Unsaid itself: the same files
            that everybody is sent, with the helplines in them. Nothing that you or others wrote is in that
            copy. Your draft is kept apart, and shown only while you are signed in.
          </Trans>
        </p>
        <p>
          <Trans>
            Please know this too: whoever can read the SMS that come to your number can sign in as you. If
            someone else holds your SIM, that number is not safe for Unsaid.
          </Trans>
        </p>
      </Question>

      <Question asked={t`What if I lose my number, and someone else gets it?`}>
        <p>
          <Trans>
            In India, a number that has not been used for 90 days can be given to another person. So when an
            account has been silent for more than 90 days, and the code is entered on a device we do not know,
            Unsaid opens a fresh, empty account and says nothing about the old one.
          </Trans>
        </p>
        <p>
          <Trans>
            If it was you, your recovery code brings the old account back. Enter it under Settings within 30
            days. Keep the code somewhere only you can reach. We cannot warn you before the 90 days are over,
            because we have no number to write to. If your number changes hands sooner than that, its new
            holder could sign in: delete your account before you give a number up.
          </Trans>
        </p>
      </Question>

      <h2>
        <Trans>Unsaid itself</Trans>
      </h2>

      <Question asked={t`What happens when I delete my account?`}>
        <p>
          <Trans>
            You are signed out everywhere, and the tie between you and your words is cut, both at once. Then
            it's your choice. Over 30 days, each vent and comment goes at its own random moment: someone
            watching can't tell which of the people who left in those weeks it belonged to. Within 3 days is
            faster, but you may be the only one leaving then, and that shows. Or your words stay, cut from you
            for good: nothing vanishes, but nobody can delete them for you later.
          </Trans>
        </p>
        <p>
          <Trans>
            Comments under your name can show it for up to 30 days. Backups are gone within 30 days. If a vent
            was reported, a copy stays with the report for up to 90 days, without your account. You find the
            button under Settings; we ask for a fresh code first, so that nobody else can press it for you.
          </Trans>
        </p>
      </Question>

      <Question asked={t`Who looks after this place?`}>
        <p>
          <Trans>
            People do. A report is kept together with a copy of the vent, for the people who run Unsaid to
            read. It carries no name, neither yours nor the author’s, and the author never learns who
            reported. There is no team that watches day and night. Telling the author why a vent was taken
            down, and a way to object, are still being built.
          </Trans>
        </p>
        <p>
          <Trans>
            If someone may be in danger, do not wait for us. The numbers under{' '}
            <Link to={paths.support}>Support</Link> are faster.
          </Trans>
        </p>
      </Question>

      <Question asked={t`Is this therapy?`}>
        <p>
          <Trans>
            No. The people who answer you here are people like you, not counsellors or doctors. Unsaid treats
            nothing and judges nothing. If you would like to talk with someone who is trained to listen, see{' '}
            <Link to={paths.support}>Support</Link>.
          </Trans>
        </p>
      </Question>

      <Question asked={t`What does it cost?`}>
        <p>
          <Trans>
            Nothing. There are no advertisements, and what you write is not sold. Your phone company may
            charge you for the internet you use.
          </Trans>
        </p>
      </Question>

      <p>
        <Trans>
          What is kept, and for how long, is listed line by line under <Link to={paths.privacy}>Privacy</Link>
          .
        </Trans>
      </p>
      <p>
        <Trans>
          These answers hold from <Placeholder>[effective date to be set by the operator]</Placeholder>. For
          anything else, write to <Placeholder>[support contact to be set by the operator]</Placeholder>.
        </Trans>
      </p>
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
