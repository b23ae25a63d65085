/* oxlint-disable jsx-a11y/no-interactive-element-to-noninteractive-role -- the rule takes a table for a grid; these are the roles it has */
import type { ReactNode } from 'react';
import { Trans, useLingui } from '@lingui/react/macro';
import { formatDecimals } from '../../lib/format.ts';
// Percentages printed by `npm run bench:polling` and by the server's leaving-simulation.proof.test.ts. `npm run docs`
// writes docs/known-exceptions.md from the same file.
import guesses from './guesses.json';
import styles from './info.module.css';

/** Residual risks: what others can still find out, and with which probability. */
export function ResidualRisks() {
  const { t } = useLingui();
  return (
    <>
      {/* On a phone each row is displayed as a card. The roles keep the table semantics for screen
          readers. */}
      <table role="table" className={styles.who} aria-label={t`Who could still find out what`}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">{t`Who`}</th>
            <th role="columnheader" scope="col">{t`What they could find out`}</th>
            <th role="columnheader" scope="col">{t`What helps`}</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          <Row
            who={<Trans>Someone who checks the site all day and all night</Trans>}
            can={
              <Trans>
                The minute of your comment. We only show the day, but they can note when it appeared. If your
                name is on it, they can look for vents from those minutes and guess. They also see vents
                posted within minutes of each other.
              </Trans>
            }
            helps={
              <Trans>
                Comment as Anonymous, or not right after a vent. Leave time between two vents. The second
                table shows how often the guess is right.
              </Trans>
            }
          />
          <Row
            who={<Trans>Someone who watches people leave</Trans>}
            can={
              <Trans>
                Which vents and comments disappear, and that each was by someone who left around then. If four
                people left in those 30 days, a guess is right one time in four. If you're the only one, every
                time.
              </Trans>
            }
            helps={<Trans>Choose 30 days, or let your words stay with no link to you.</Trans>}
          />
          <Row
            who={<Trans>Someone you're suggested to or matched with</Trans>}
            can={
              <Trans>
                Your profile, while you two are still deciding or after you've both said yes. The feelings you
                both named. With more than one account, all the feelings you named, which they can compare
                with the vents of those weeks. If they look all the time, when you said yes.
              </Trans>
            }
            helps={
              <Trans>
                Don't name any feelings, or only ones many people share. Keep what you vent about out of your
                profile.
              </Trans>
            }
          />
          <Row
            who={<Trans>Someone with your phone</Trans>}
            can={
              <Trans>
                Everything your account shows, if you're still logged in or they can read your SMS. The SMS
                itself, and the browser history.
              </Trans>
            }
            helps={
              <Trans>
                Log out, delete the SMS, use a private window. Leave is for when you're in a hurry.
              </Trans>
            }
          />
          <Row
            who={<Trans>Someone who steals a copy of the database</Trans>}
            can={
              <Trans>
                Everything people wrote, all profiles, the minute of a vent, the day of a comment, and in
                which half of the month you named your feelings. Not who wrote what. With only the days to
                compare, a guess is rarely right: see the second table.
              </Trans>
            }
            helps={<Trans>Leave out words that give you away.</Trans>}
          />
          <Row
            who={<Trans>Someone who steals the database's own files or its log, unencrypted</Trans>}
            can={
              <Trans>
                Also the exact time of a comment, as long as those files are kept. With the names on the site,
                they can guess just like someone who checked all along.
              </Trans>
            }
            helps={
              <Trans>
                The people who run Unsaid have to keep such copies encrypted. You can comment as Anonymous.
              </Trans>
            }
          />
          <Row
            who={<Trans>Us, with the secret keys and the database together</Trans>}
            can={
              <Trans>
                Who wrote which vents and comments, who reacted, who matched, and with a lot of computing,
                which number an account has. We keep the keys and the database apart, but we could do it. A
                court could order it.
              </Trans>
            }
            helps={
              <Trans>
                Delete your account. The link to your number and profile goes right away, and from backups
                within 30 days. Until your words are gone, we could still tell that they belong together, and
                which name you commented under.
              </Trans>
            }
          />
          <Row
            who={<Trans>Anyone who sees a vent that never took comments</Trans>}
            can={<Trans>That it's by someone who posts with comments off. There may be only a few.</Trans>}
            helps={<Trans>Post with comments on, and close them later.</Trans>}
          />
          <Row
            who={<Trans>Anyone watching while you close or delete several vents at once</Trans>}
            can={<Trans>That they're by the same person. Not who it is.</Trans>}
            helps={<Trans>Do one now and another some other day.</Trans>}
          />
          <Row
            who={<Trans>Anyone who saw us take down your vent</Trans>}
            can={
              <Trans>
                That someone falls silent around then. While you can't post, you can't post under your name
                either. In a small place they could guess that it was you.
              </Trans>
            }
            helps={
              <Trans>
                Most limits start at a random moment within six hours. If we were wrong, ask for a second
                look.
              </Trans>
            }
          />
          <Row
            who={<Trans>Someone whose profile you report</Trans>}
            can={
              <Trans>
                That it was you, if you're the only one who can see their profile. Only people they're
                suggested to or matched with can report it.
              </Trans>
            }
            helps={<Trans>We never tell them. You can hide their name, too. That ends the match.</Trans>}
          />
          <Row
            who={<Trans>Someone whose vent you report</Trans>}
            can={
              <Trans>
                That someone reported it, if they report it too from other accounts and watch when it's
                hidden. Not who it was.
              </Trans>
            }
            helps={<Trans>There's nothing you need to do. We never tell them who it was.</Trans>}
          />
          <Row
            who={<Trans>A moderator who took something of yours down</Trans>}
            can={
              <Trans>
                That something else of yours is by the same person, if they handle that on a later day. Not
                who you are.
              </Trans>
            }
            helps={
              <Trans>
                They only see this while they're working on it, and each time goes into a log that others
                check.
              </Trans>
            }
          />
          <Row
            who={<Trans>Someone who knows you</Trans>}
            can={<Trans>That it's you, from the way you write or from a story few people know.</Trans>}
            helps={<Trans>Change or leave out what points to you.</Trans>}
          />
        </tbody>
      </table>

      <h3 id="guesses">{t`How often these guesses are right`}</h3>
      <table className={styles.figures} aria-labelledby="guesses">
        <thead>
          <tr>
            <th scope="col">{t({ message: 'People here', context: 'how many' })}</th>
            {guesses.people.map((count) => (
              <th key={count} scope="col">
                {formatDecimals(count, 0)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Figures shares={guesses.polling}>
            <Trans>Your name on a comment, compared with a vent from the same minutes</Trans>
          </Figures>
          <Figures shares={guesses.dayAlone} decimals={1}>
            <Trans>The same, when only the day is known</Trans>
          </Figures>
          <Figures shares={guesses.besideAnother}>
            <Trans>Two vents within five minutes: both by one person</Trans>
          </Figures>
          <Figures shares={guesses.leaving}>
            <Trans>A vent that disappeared after someone left: whose it was, over 30 days</Trans>
          </Figures>
        </tbody>
      </table>
      <p className={styles.small}>
        <Trans>
          Worked out for made-up communities: people come once or twice a week and often comment under their
          name, and one in 500 leaves each week. With fewer names on comments, fewer guesses are right. Anyone
          with our source code can work it out again: npm run bench:polling.
        </Trans>
      </p>
    </>
  );
}

interface RowProps {
  readonly who: ReactNode;
  readonly can: ReactNode;
  readonly helps: ReactNode;
}

function Row({ who, can, helps }: RowProps) {
  const { t } = useLingui();
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
        {who}
      </th>
      <td role="cell">{can}</td>
      <td role="cell" data-column={t`What helps`}>
        {helps}
      </td>
    </tr>
  );
}

interface FiguresProps {
  readonly shares: readonly number[];
  readonly decimals?: number;
  readonly children: ReactNode;
}

function Figures({ shares, decimals = 0, children }: FiguresProps) {
  return (
    <tr>
      <th scope="row">{children}</th>
      {shares.map((share, at) => (
        <td key={guesses.people[at]}>{formatDecimals(share, decimals)}%</td>
      ))}
    </tr>
  );
}
