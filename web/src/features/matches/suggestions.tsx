import type { SelfUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { EmotionChips } from '../../ui/emotion.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { Outcome } from './answer-queue.ts';
import { Answered, Answers, isHeld } from './answers.tsx';
import { FeelingsCard } from './feelings-card.tsx';
import { MatchCard, Score, type OnPerson } from './match-card.tsx';
import { MatchQuery } from './match-query.tsx';
import { toSuggestion, type Suggestion } from './match-view.ts';
import { suggestionsQuery } from './matches.api.ts';
import { Reason } from './reason.tsx';
import { useAnswers, useAnswerState } from './use-answers.ts';
import refresh from '@material-symbols/svg-400/rounded/refresh.svg?path';
import styles from './matches.module.css';

interface SuggestionsProps {
  readonly self: SelfUser;
  readonly onPerson: OnPerson;
  /** Called when the list becomes empty, to move focus. */
  readonly onEmptied: () => void;
}

export function Suggestions({ self, onPerson, onEmptied }: SuggestionsProps) {
  const { t } = useLingui();
  const query = useQuery(suggestionsQuery);
  const matches = (query.data ?? []).map((match) => toSuggestion(match, self._id));
  const { shown, list } = useAnswers(matches, onEmptied);

  return (
    <>
      <FeelingsCard self={self} />
      <MatchQuery query={query} failure={t`Your suggestions did not come.`} hasTallCards>
        {() =>
          shown.length > 0 ? (
            <ul role="list" ref={list} className={styles.list}>
              {shown.map(({ match, outcome }) => (
                <li key={match.id}>
                  <SuggestionCard match={match} outcome={outcome} onPerson={onPerson} />
                </li>
              ))}
            </ul>
          ) : (
            <EmptyState
              title={<Trans>No match suggestions available.</Trans>}
              action={
                <Button
                  variant="outlined"
                  icon={refresh}
                  isBusy={query.isFetching}
                  onClick={() => void query.refetch()}
                >
                  <Trans>Look again</Trans>
                </Button>
              }
            >
              <Trans>Nobody new just now. Others come by every day.</Trans>
            </EmptyState>
          )
        }
      </MatchQuery>
    </>
  );
}

interface SuggestionCardProps {
  readonly match: Suggestion;
  readonly outcome: Outcome | undefined;
  readonly onPerson: OnPerson;
}

/** More than two would be too much to read. */
const reasonsShown = 2;

function SuggestionCard({ match, outcome, onPerson }: SuggestionCardProps) {
  const { t } = useLingui();
  const state = useAnswerState(match.id);
  const { other, score, hasTheirYes, commonEmotions } = match;
  const reasons = match.reasons.slice(0, reasonsShown);
  return (
    <MatchCard
      other={other}
      onName={() => onPerson(other, isHeld(state) || outcome ? undefined : match)}
      isInert={isHeld(state)}
      about={
        isHeld(state) ? (
          <Answered match={match} state={state} />
        ) : (
          !outcome &&
          hasTheirYes && (
            <p className={styles.yes}>
              <Trans>Has said yes to you.</Trans>
            </p>
          )
        )
      }
    >
      {commonEmotions.length > 0 && (
        // Below the picture, not beside it: three chips fit on one line of a phone.
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
        <Answers match={match} outcome={outcome} />
      </div>
    </MatchCard>
  );
}
