import type { SelfUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { failureText } from '../../lib/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { EmotionChips } from '../../ui/emotion.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Answers } from './answers.tsx';
import { FeelingsCard } from './feelings-card.tsx';
import { MatchCard, MatchListSkeleton, Score, type OnPerson } from './match-card.tsx';
import { toSuggestion, type Suggestion } from './match-view.ts';
import { suggestionsQuery } from './matches.api.ts';
import { Reason } from './reason.tsx';
import { useAnswers, type Ending } from './use-answers.ts';
import refresh from '@material-symbols/svg-400/rounded/refresh.svg?path';
import styles from './matches.module.css';

interface SuggestionsProps {
  readonly self: SelfUser;
  readonly onPerson: OnPerson;
  /** Everybody has been answered: focus needs another place. */
  readonly onEmptied: () => void;
}

export function Suggestions({ self, onPerson, onEmptied }: SuggestionsProps) {
  const { t } = useLingui();
  const { data, error, isFetching, refetch } = useQuery(suggestionsQuery);
  const matches = (data ?? []).map((match) => toSuggestion(match, self._id));
  const { shown, list, settle } = useAnswers(matches, onEmptied);

  return (
    <>
      <FeelingsCard self={self} />
      {error && (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, t`Your suggestions did not come.`)}
        </ErrorCard>
      )}
      {shown.length > 0 ? (
        <ul role="list" ref={list} className={styles.list}>
          {shown.map(({ match, ending }) => (
            <li key={match.id}>
              <SuggestionCard
                match={match}
                ending={ending}
                onPerson={onPerson}
                onSettled={(ending) => settle(match, ending)}
              />
            </li>
          ))}
        </ul>
      ) : data ? (
        <EmptyState
          title={<Trans>No match suggestions available.</Trans>}
          action={
            <Button variant="outlined" icon={refresh} isBusy={isFetching} onClick={() => void refetch()}>
              <Trans>Look again</Trans>
            </Button>
          }
        >
          <Trans>Nobody new just now. Others come by every day.</Trans>
        </EmptyState>
      ) : (
        !error && <MatchListSkeleton isTall />
      )}
    </>
  );
}

interface SuggestionCardProps {
  readonly match: Suggestion;
  readonly ending: Ending | undefined;
  readonly onPerson: OnPerson;
  readonly onSettled: (ending?: Ending) => void;
}

/** Two reasons at most: more would be an argument. */
const reasonsShown = 2;

function SuggestionCard({ match, ending, onPerson, onSettled }: SuggestionCardProps) {
  const { t } = useLingui();
  const { other, score, hasTheirYes, commonEmotions } = match;
  const reasons = match.reasons.slice(0, reasonsShown);
  return (
    <MatchCard
      other={other}
      onPerson={onPerson}
      about={
        !ending &&
        hasTheirYes && (
          <p className={styles.yes}>
            <Trans>Has said yes to you.</Trans>
          </p>
        )
      }
    >
      {commonEmotions.length > 0 && (
        // Beneath the picture, not beside it: three of them fit on one line of a phone.
        <EmotionChips emotions={commonEmotions} label={t`Feelings you share`} />
      )}
      <Score score={score} />
      <div className={styles.foot}>
        {reasons.length > 0 && (
          <ul role="list" className={styles.reasons} aria-label={t`Why you two`}>
            {reasons.map((reason) => (
              <li key={reason.text}>
                <Reason reason={reason} />
              </li>
            ))}
          </ul>
        )}
        <Answers match={match} ending={ending} onSettled={onSettled} />
      </div>
    </MatchCard>
  );
}
