import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Prose } from '../../ui/prose.tsx';
import { InfoLinks } from './info-links.tsx';
import { Placeholder } from './placeholder.tsx';
import { ResidualRisks } from './residual-risks.tsx';
import { RetentionTable } from './retention-table.tsx';
import { WaysIn } from './ways-in.tsx';

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
          In effect from <Placeholder of="termsFrom">[effective date to be set by the operator]</Placeholder>.
          Unsaid is run by{' '}
          <Placeholder of="nameAndAddress">[name and address to be set by the operator]</Placeholder>.
        </Trans>
      </p>

      <h2>{t`In short`}</h2>
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

      <h2>{t`What we keep, and for how long`}</h2>
      <p>
        <Trans>
          Two words to know: “scrambled” means we can recognise something again, but can't read it back. A
          “secret tag” is stored next to what you write, in place of your account. It's made with a key that
          isn't in the database.
        </Trans>
      </p>
      <RetentionTable />

      <h2>{t`What your browser keeps`}</h2>
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

      <h2>{t`Who else finds out something`}</h2>
      <ul>
        <li>
          <Trans>
            The company that delivers our SMS,{' '}
            <Placeholder of="smsCompany">[to be named by the operator]</Placeholder>, and your phone network:
            your number, that Unsaid sent you an OTP, and when. The company keeps this for{' '}
            <Placeholder of="smsKeeps">[time to be set by the operator]</Placeholder>.
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
          <Placeholder of="hosting">[hosting company and country, to be set by the operator]</Placeholder>.
        </Trans>
      </p>

      <h2>{t`What other people see`}</h2>
      <p>
        <Trans>
          On a vent: the words, the emotion, the hashtags, the time, and whether comments are open. On your
          comments on other people’s vents: the day, and “Anonymous”, or your username and picture if you
          choose to show them. Only someone you're suggested to sees your profile, while you two are still
          deciding, and after you've both said yes. It never lists your vents or your feelings. Of those, the
          other person sees the ones you both named.
        </Trans>
      </p>

      <h2>{t`Who could still find out what`}</h2>
      <p>
        <Trans>
          No place like this can hide everything, and the smaller it is, the less it hides. Here's what we
          know of.
        </Trans>
      </p>
      <ResidualRisks />

      <h2>{t`What you can do`}</h2>
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

      <h2>{t`Who can get into your account`}</h2>
      <WaysIn />

      <h2>{t`If you stay away`}</h2>
      <p>
        <Trans>
          After 90 days of silence, an OTP entered on a device we don't know opens a new account, because your
          number may belong to someone else by then. Your recovery code brings the old one back, for 30 days.
          After 180 days we delete the scrambled version of your number. After 365 days we delete the account.
          We have no way to remind you.
        </Trans>
      </p>

      <h2>{t`Age`}</h2>
      <p>
        <Trans>Unsaid is for people who are 18 or over. We don't ask for your birthday.</Trans>
      </p>

      <h2>{t`Changes and questions`}</h2>
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
