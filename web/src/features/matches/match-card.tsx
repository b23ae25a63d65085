import type { MatchStatus } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useId, type ReactNode } from 'react';
import { formatDay } from '../../lib/format.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Note } from '../../ui/note.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { UserText } from '../../ui/user-text.tsx';
import {
  formatScore,
  percentOf,
  scoreLabel,
  statusLabel,
  type OpenMatch,
  type Person,
} from './match-view.ts';
import chevron from '@material-symbols/svg-400/rounded/chevron_right.svg?path';
import styles from './matches.module.css';

/** Opens a person's profile, with the answers that are left: Accept and Reject, or the end of a mutual match. */
export type OnPerson = (person: Person, match?: OpenMatch, said?: 'mutual') => void;

interface MatchCardProps {
  readonly other: Person;
  readonly onName: () => void;
  /** Heading level of the name on the page. */
  readonly heading?: 2 | 3;
  /** Set in history, which shows both people of the pair. */
  readonly selfPicture?: string;
  /** Shown below the name. */
  readonly about: ReactNode;
  readonly children?: ReactNode;
}

/** The frame of all match lists: who it is, and a button that opens the profile. */
export function MatchCard({ other, onName, heading = 2, selfPicture, about, children }: MatchCardProps) {
  const id = useId();
  const Heading = `h${heading}` as const;
  const name = (
    <button type="button" aria-haspopup="dialog" className={styles.name} onClick={onName}>
      <UserText>{other.name}</UserText>
      <Icon path={chevron} size={20} />
    </button>
  );
  return (
    <Card as="article" tabIndex={-1} aria-labelledby={id} className={styles.card}>
      <header className={styles.who}>
        {selfPicture && <Avatar src={selfPicture} size={44} />}
        <Avatar src={other.picture} size={selfPicture ? 44 : 56} />
        <div className={styles.about}>
          <Heading id={id} className={styles.heading}>
            {selfPicture ? <Trans>You and {name}</Trans> : name}
          </Heading>
          {about}
        </div>
      </header>
      {children}
    </Card>
  );
}

/** The score in words, with two decimals, and as a bar, in one line. */
export function Score({ score }: { readonly score: number }) {
  const { t } = useLingui();
  const percent = percentOf(score);
  return (
    <div className={styles.score}>
      <p>
        {scoreLabel(score)} <span>{formatScore(score)}</span>
      </p>
      <div
        role="meter"
        aria-label={t`Match score`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${percent}%`}
        className={styles.bar}
      >
        <div style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}

interface StandingProps {
  readonly status: MatchStatus;
  readonly score: number;
  readonly day?: string;
}

/** Status of a match, in one line. */
export function Standing({ status, score, day }: StandingProps) {
  const number = formatScore(score);
  return (
    <p className={styles.standing}>
      <span>{statusLabel(status)}</span>
      <span>
        <Trans>Match score {number}</Trans>
      </span>
      {day !== undefined && <time dateTime={day}>{formatDay(day)}</time>}
    </p>
  );
}

export function BothSaidYes() {
  return (
    <Note>
      <strong>
        <Trans>You both said yes.</Trans>
      </strong>{' '}
      <Trans>Chat isn't ready yet. We'll show it here when it is.</Trans>
    </Note>
  );
}

/** Placeholder cards. */
export function MatchListSkeleton({ isTall }: { readonly isTall?: boolean }) {
  return (
    <Loading className={styles.list}>
      {[1, 2, 3].map((key) => (
        <Card key={key} className={styles.card}>
          <div className={styles.who}>
            <Bar height={56} isRound />
            <div className={styles.about}>
              <Bar width="45%" height={22} />
              <Bar width="70%" height={22} />
            </div>
          </div>
          {isTall && (
            <>
              <Bar height={36} />
              <Bar height={44} />
            </>
          )}
        </Card>
      ))}
    </Loading>
  );
}
