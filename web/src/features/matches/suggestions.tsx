import type { SelfUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { memo, useEffect, useId, useState, type Ref } from 'react';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { EmotionChips } from '../../ui/emotion.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { UserText } from '../../ui/user-text.tsx';
import type { Outcome } from './answer-queue.ts';
import { Answers, isHeld } from './answers.tsx';
import { FeelingsCard } from './feelings-card.tsx';
import { MatchCard, Score, type OnPerson } from './match-card.tsx';
import { MatchQuery } from './match-query.tsx';
import { toSuggestion, type Suggestion } from './match-view.ts';
import { suggestionsQuery } from './matches.api.ts';
import { Reason } from './reason.tsx';
import { useAnswers, useAnswerState, type ShownCard } from './use-answers.ts';
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
  const [hadCards] = useState(query.data !== undefined);
  const { shown, list } = useAnswers(matches, onEmptied);

  return (
    <>
      <MatchQuery query={query} failure={t`Couldn't load suggestions.`} hasTallCards>
        {() =>
          shown.length > 0 ? (
            <>
              <p className={styles.soft}>
                <Trans>
                  If you both say yes, your profiles stay open to each other. There's no chat yet.
                </Trans>
              </p>
              <CardList key="cards" cards={shown} listRef={list} onPerson={onPerson} isWhole={hadCards} />
            </>
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
              <Trans>No one new right now. Check back later.</Trans>
            </EmptyState>
          )
        }
      </MatchQuery>
      {/* Below: the first screen is for one whole card. Not below the skeleton, which is shorter: it would move. */}
      {!query.isPending && <FeelingsCard self={self} />}
    </>
  );
}

/** As many cards as a phone shows at once, and how many more each further frame renders. */
const firstCards = 3;
const cardsPerFrame = 2;

interface CardListProps {
  readonly cards: readonly ShownCard<Suggestion>[];
  readonly listRef: Ref<HTMLUListElement>;
  readonly onPerson: OnPerson;
  /** The list was there before: it comes back at once, with its scroll position. */
  readonly isWhole: boolean;
}

/** Renders the cards in steps: all at once they would block a slow phone for a quarter of a second. */
function CardList({ cards, listRef, onPerson, isWhole }: CardListProps) {
  const [count, setCount] = useState(isWhole ? Infinity : firstCards);
  const isShort = count < cards.length;
  useEffect(() => {
    if (!isShort) return;
    const frame = requestAnimationFrame(() => setCount(count + cardsPerFrame));
    return () => cancelAnimationFrame(frame);
  }, [isShort, count]);
  return (
    <ul role="list" ref={listRef} className={styles.list}>
      {cards.slice(0, count).map(({ match, outcome }) => (
        <li key={match.id}>
          <SuggestionCard match={match} outcome={outcome} onPerson={onPerson} />
        </li>
      ))}
    </ul>
  );
}

interface SuggestionCardProps {
  readonly match: Suggestion;
  readonly outcome: Outcome | undefined;
  readonly onPerson: OnPerson;
}

/** Memoized: a further step renders the new cards only. */
const SuggestionCard = memo(function SuggestionCard({ match, outcome, onPerson }: SuggestionCardProps) {
  const { t } = useLingui();
  const state = useAnswerState(match.id);
  const { other, score, bio, hasTheirYes, commonEmotions, commonInterests } = match;
  // Shared interests are chips. A reason newer than this page is shown as it is.
  const reasons = match.reasons.filter(({ kind }) => kind !== 'shared_interest');
  return (
    <MatchCard
      other={other}
      onName={() => onPerson(other, isHeld(state) || outcome ? undefined : match)}
      about={
        !outcome &&
        hasTheirYes && (
          <p className={styles.yes}>
            <Trans>Said yes to you.</Trans>
          </p>
        )
      }
    >
      {bio !== '' && (
        <p className={styles.bio}>
          <UserText>{bio}</UserText>
        </p>
      )}
      {commonEmotions.length > 0 && (
        // Below the picture, not beside it: three chips fit on one line of a phone.
        <EmotionChips emotions={commonEmotions} label={t`Feelings you share`} />
      )}
      {commonInterests.length > 0 && <CommonInterests interests={commonInterests} />}
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
        {commonEmotions.length + commonInterests.length + reasons.length === 0 && (
          <p className={cx(styles.soft, styles.reasons)}>
            <Trans>You haven't named anything in common yet. You're both here to be heard.</Trans>
          </p>
        )}
        <Answers match={match} outcome={outcome} />
      </div>
      {/* Last, and small: a figure is no reason to say yes. */}
      <Score score={score} />
    </MatchCard>
  );
});

function CommonInterests({ interests }: { readonly interests: readonly string[] }) {
  const id = useId();
  return (
    <div className={styles.common}>
      <span id={id}>
        <Trans>You both:</Trans>
      </span>
      <ul role="list" aria-labelledby={id}>
        {interests.map((interest) => (
          <li key={interest}>
            <UserText>{interest}</UserText>
          </li>
        ))}
      </ul>
    </div>
  );
}
