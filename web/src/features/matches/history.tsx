import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { failureText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { BothSaidYes, MatchCard, MatchListSkeleton, Standing, type OnPerson } from './match-card.tsx';
import { sidesOf } from './match-view.ts';
import { historyQuery } from './matches.api.ts';
import styles from './matches.module.css';

interface HistoryProps {
  readonly selfId: string;
  readonly onPerson: OnPerson;
}

/** What became of the people one has answered, newest first. */
export function History({ selfId, onPerson }: HistoryProps) {
  const { t } = useLingui();
  const { data, error, isFetching, refetch } = useQuery(historyQuery);
  return (
    <>
      {error && (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, t`Your history did not come.`)}
        </ErrorCard>
      )}
      {!data ? (
        !error && <MatchListSkeleton />
      ) : data.length === 0 ? (
        <EmptyState
          title={<Trans>No match history available.</Trans>}
          action={
            <ButtonLink to={paths.matches} variant="outlined">
              <Trans>See suggestions</Trans>
            </ButtonLink>
          }
        >
          <Trans>Once you have answered somebody, what became of it stands here.</Trans>
        </EmptyState>
      ) : (
        <ul role="list" className={styles.list}>
          {data.map((match) => {
            const { self, other } = sidesOf(match, selfId);
            return (
              <li key={match.matchId}>
                <MatchCard
                  other={other}
                  selfPicture={self.picture}
                  onPerson={onPerson}
                  about={<Standing status={match.status} score={match.matchScore} day={match.timestamp} />}
                >
                  {match.status === 'accepted' && <BothSaidYes />}
                </MatchCard>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
