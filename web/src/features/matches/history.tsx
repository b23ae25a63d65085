import type { MatchHistoryItem } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { paths } from '../../lib/paths.ts';
import { Answers, isHeld } from './answers.tsx';
import { BothSaidYes, MatchCard, Standing, type OnPerson } from './match-card.tsx';
import { MatchQuery, NoMatches } from './match-query.tsx';
import { sidesOf, statusMeaning } from './match-view.ts';
import { historyQuery } from './matches.api.ts';
import { useAnswerQueue, useAnswerState } from './use-answers.ts';
import styles from './matches.module.css';

interface HistoryProps {
  readonly selfId: string;
  readonly onPerson: OnPerson;
}

/** Past matches with their outcome, newest first. */
export function History({ selfId, onPerson }: HistoryProps) {
  const { t } = useLingui();
  const query = useQuery(historyQuery);
  const queue = useAnswerQueue();
  // Sends what can no longer be undone: the list was left for another tab or page.
  useEffect(() => () => void queue.flush(), [queue]);
  return (
    <MatchQuery query={query} failure={t`Couldn't load your history.`}>
      {(history) =>
        history.length === 0 ? (
          <NoMatches
            title={<Trans>No match history available.</Trans>}
            to={paths.matches}
            action={<Trans>See suggestions</Trans>}
          >
            <Trans>No yes or no yet.</Trans>
          </NoMatches>
        ) : (
          <ul role="list" className={styles.list}>
            {history.map((match) => (
              <li key={match.matchId}>
                <PastMatch match={match} selfId={selfId} onPerson={onPerson} />
              </li>
            ))}
          </ul>
        )
      }
    </MatchQuery>
  );
}

interface PastMatchProps extends HistoryProps {
  readonly match: MatchHistoryItem;
}

function PastMatch({ match, selfId, onPerson }: PastMatchProps) {
  const { matchId: id, matchScore: score, status, takenBack, timestamp } = match;
  const { self, other } = sidesOf(match, selfId);
  const state = useAnswerState(id);
  const isMutual = status === 'accepted';
  const mutual = { id, other, score, hasTheirYes: true };
  return (
    <MatchCard
      other={other}
      selfPicture={self.picture}
      onName={() => (isMutual && !isHeld(state) ? onPerson(other, mutual, 'mutual') : onPerson(other))}
      about={<Standing status={status} score={score} day={timestamp} />}
    >
      {isMutual ? (
        <>
          <BothSaidYes />
          <div className={styles.foot}>
            <Answers match={mutual} said="mutual" />
          </div>
        </>
      ) : (
        <p className={styles.soft}>{statusMeaning(status, takenBack)}</p>
      )}
    </MatchCard>
  );
}
