import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { paths } from '../../lib/paths.ts';
import { BothSaidYes, MatchCard, Standing, type OnPerson } from './match-card.tsx';
import { MatchQuery, NoMatches } from './match-query.tsx';
import { sidesOf, statusMeaning } from './match-view.ts';
import { historyQuery } from './matches.api.ts';
import styles from './matches.module.css';

interface HistoryProps {
  readonly selfId: string;
  readonly onPerson: OnPerson;
}

/** Past matches with their outcome, newest first. */
export function History({ selfId, onPerson }: HistoryProps) {
  const { t } = useLingui();
  const query = useQuery(historyQuery);
  return (
    <MatchQuery query={query} failure={t`Couldn't load your history.`}>
      {(history) =>
        history.length === 0 ? (
          <NoMatches
            title={<Trans>No match history available.</Trans>}
            to={paths.matches}
            action={<Trans>See suggestions</Trans>}
          >
            <Trans>People you've said yes or no to will show up here.</Trans>
          </NoMatches>
        ) : (
          <ul role="list" className={styles.list}>
            {history.map((match) => {
              const { self, other } = sidesOf(match, selfId);
              return (
                <li key={match.matchId}>
                  <MatchCard
                    other={other}
                    selfPicture={self.picture}
                    onName={() => onPerson(other)}
                    about={<Standing status={match.status} score={match.matchScore} day={match.timestamp} />}
                  >
                    {match.status === 'accepted' ? (
                      <BothSaidYes />
                    ) : (
                      <p className={styles.soft}>{statusMeaning(match.status, match.takenBack)}</p>
                    )}
                  </MatchCard>
                </li>
              );
            })}
          </ul>
        )
      }
    </MatchQuery>
  );
}
