/* oxlint-disable jsx-a11y/no-interactive-element-to-noninteractive-role -- the rule takes a table for a grid; these are the roles it has */
import type { ReactNode } from 'react';
import { Trans, useLingui } from '@lingui/react/macro';
import { formatDecimals } from '../../lib/format.ts';
import styles from './info.module.css';

/**
 * Percentages printed by `npm run bench:polling` and by the server's leaving-simulation.proof.test.ts.
 * docs/privacy.md has the same figures.
 */
const people = [100, 500, 2000, 10_000] as const;
const figures = {
  polling: [68, 32, 11, 3],
  dayAlone: [4.2, 0.9, 0.2, 0],
  besideAnother: [66, 27, 10, 3],
  leaving: [87, 24, 6, 1],
} as const;

/** Residual risks: what others can still find out, and with which probability. */
export function ResidualRisks() {
  const { t } = useLingui();
  return (
    <>
      {/* On a phone each row is displayed as a card. The roles keep the table semantics for screen
          readers. */}
      <table role="table" className={styles.who} aria-label={t`Who can still learn what`}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              <Trans>Who</Trans>
            </th>
            <th role="columnheader" scope="col">
              <Trans>What they can still learn</Trans>
            </th>
            <th role="columnheader" scope="col">
              <Trans>What helps</Trans>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          <Row
            who={<Trans>Someone who keeps checking the site, day and night</Trans>}
            can={
              <Trans>
                The minute of your comment. We show only the day, but they can note when it appeared. If your
                name is on it, they can look for vents of those minutes and guess. They also see vents that
                follow each other within minutes.
              </Trans>
            }
            helps={
              <Trans>
                Comment as Anonymous, or not right after a vent. Leave time between two vents. How often the
                guess is right is in the second table.
              </Trans>
            }
          />
          <Row
            who={<Trans>Someone who watches people leave</Trans>}
            can={
              <Trans>
                Which vents and comments vanish, and that each belonged to one of those who left around then.
                If four people left in those 30 days, a guess is right one time in four. If you're the only
                one, every time.
              </Trans>
            }
            helps={<Trans>Take the 30 days, or leave your words here, cut from you for good.</Trans>}
          />
          <Row
            who={<Trans>Someone suggested to you, or matched with you</Trans>}
            can={
              <Trans>
                Your profile, while you two are still deciding or after you've both said yes. The feelings you
                both named. With more than one account, all the feelings you named, and those they can compare
                with the vents of those weeks. If they look all the time: when you say yes.
              </Trans>
            }
            helps={
              <Trans>
                Name no feelings, or only ones that many share. Leave out of your profile what you also vent
                about.
              </Trans>
            }
          />
          <Row
            who={<Trans>Someone with your phone</Trans>}
            can={
              <Trans>
                Everything your account shows, if you're still signed in or they can read your SMS. The SMS
                itself, and the browser's history.
              </Trans>
            }
            helps={
              <Trans>Log out, delete the SMS, use a private window. Leave is for when it's urgent.</Trans>
            }
          />
          <Row
            who={<Trans>Someone who steals a copy of the database</Trans>}
            can={
              <Trans>
                All words and profiles, a vent's minute, a comment's day, and in which half of a month you
                named your feelings. Not who wrote what. Comparing days alone, a guess is rarely right: see
                the second table.
              </Trans>
            }
            helps={<Trans>Write so that your words don't give you away.</Trans>}
          />
          <Row
            who={<Trans>Someone who steals the database's own files, or its log, unencrypted</Trans>}
            can={
              <Trans>
                Also the moment of a comment, for as long as those files are kept. With names from the site
                they can guess like someone who has kept checking all along.
              </Trans>
            }
            helps={<Trans>The operator has to keep such copies encrypted. Comment as Anonymous.</Trans>}
          />
          <Row
            who={<Trans>We, with the secret keys and the database together</Trans>}
            can={
              <Trans>
                Which vents, comments, reactions and matches are whose, and with a lot of computing which
                number an account has. We keep the two apart, but we could. A court could order it.
              </Trans>
            }
            helps={
              <Trans>
                Delete your account: the tie to your number and profile goes at once, and from backups within
                30 days. Until your words are gone, we could still tell that they belong together, and under
                which name you commented.
              </Trans>
            }
          />
          <Row
            who={<Trans>Anyone who sees a vent that never took comments</Trans>}
            can={<Trans>That it's by one of those who post with comments off. There may be few.</Trans>}
            helps={<Trans>Post with comments on, and close them later.</Trans>}
          />
          <Row
            who={<Trans>Anyone watching while you close or delete several vents in one go</Trans>}
            can={<Trans>That they have one author. Not who it is.</Trans>}
            helps={<Trans>One now, another on some other day.</Trans>}
          />
          <Row
            who={<Trans>Someone who knows you</Trans>}
            can={<Trans>You, by your way of writing or by a story few people know.</Trans>}
            helps={<Trans>Change or leave out what points to you.</Trans>}
          />
        </tbody>
      </table>

      <h3 id="guesses">
        <Trans>How often such guesses are right</Trans>
      </h3>
      <table className={styles.figures} aria-labelledby="guesses">
        <thead>
          <tr>
            <th scope="col">
              <Trans>People here</Trans>
            </th>
            {people.map((count) => (
              <th key={count} scope="col">
                {formatDecimals(count, 0)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Figures shares={figures.polling}>
            <Trans>Your name on a comment, laid beside a vent of the same minutes</Trans>
          </Figures>
          <Figures shares={figures.dayAlone} decimals={1}>
            <Trans>The same, when only the day is known</Trans>
          </Figures>
          <Figures shares={figures.besideAnother}>
            <Trans>Two vents within five minutes: both by one person</Trans>
          </Figures>
          <Figures shares={figures.leaving}>
            <Trans>A vent that vanished after somebody left: whose it was, over 30 days</Trans>
          </Figures>
        </tbody>
      </table>
      <p className={styles.small}>
        <Trans>
          Computed for made-up communities: people come once or twice a week and often comment under their
          name, and one in 500 leaves each week. With fewer names on comments, fewer guesses are right. Anyone
          who has our source can compute it again: npm run bench:polling.
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
        <td key={people[at]}>{formatDecimals(share, decimals)}%</td>
      ))}
    </tr>
  );
}
