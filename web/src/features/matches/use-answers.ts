import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  use,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { createAnswerQueue, type AnswerQueue, type AnswerState, type Outcome } from './answer-queue.ts';
import type { OpenMatch } from './match-view.ts';

const QueueContext = createContext<AnswerQueue | null>(null);
export const AnswerQueueProvider = QueueContext.Provider;

/** The page's queue. */
export function useNewAnswerQueue(): AnswerQueue {
  const client = useQueryClient();
  const [queue] = useState(() => createAnswerQueue(client));
  return queue;
}

export function useAnswerQueue(): AnswerQueue {
  const queue = use(QueueContext);
  if (!queue) throw new Error('no answer queue');
  return queue;
}

export function useAnswerState(id: string): AnswerState | undefined {
  const { states } = useAnswerQueue();
  return useSyncExternalStore(states.subscribe, () => states.get().get(id));
}

export interface ShownCard<M> {
  readonly match: M;
  readonly outcome?: Outcome;
}

interface PinnedCard<M> extends Required<ShownCard<M>> {
  readonly index: number;
}

/** The list from the server, with the pinned cards at their former positions. */
export function withPinned<M extends OpenMatch>(
  matches: readonly M[],
  pinned: readonly PinnedCard<M>[],
): readonly ShownCard<M>[] {
  const shown: ShownCard<M>[] = matches
    .filter(({ id }) => !pinned.some(({ match }) => match.id === id))
    .map((match) => ({ match }));
  for (const { index, match, outcome } of pinned.toSorted((a, b) => a.index - b.index)) {
    shown.splice(index, 0, { match, outcome });
  }
  return shown;
}

/**
 * Cards that wait for a reply. After a reply the card is removed and focus moves to the next one. A card with
 * an outcome stays pinned until the list is left.
 */
export function useAnswers<M extends OpenMatch>(matches: readonly M[], onEmptied: () => void) {
  const queue = useAnswerQueue();
  const list = useRef<HTMLUListElement>(null);
  const [pinned, setPinned] = useState<readonly PinnedCard<M>[]>([]);
  const leaving = useRef<{ readonly id: string; readonly index: number }>(null);
  const shown = withPinned(matches, pinned);

  const settle = useEffectEvent((id: string, outcome: Outcome | undefined) => {
    const index = shown.findIndex(({ match }) => match.id === id);
    const match = shown[index]?.match;
    if (!match) return;
    leaving.current = { id, index };
    if (outcome) setPinned((others) => [...others, { match, outcome, index }]);
  });
  useEffect(() => queue.onSettled(({ id }, outcome) => settle(id, outcome)), [queue]);
  // Sends what can no longer be undone: the list was left for another tab or page.
  useEffect(() => () => void queue.flush(), [queue]);

  useLayoutEffect(() => {
    const last = leaving.current;
    if (!last || shown.some(({ match, outcome }) => match.id === last.id && !outcome)) return;
    leaving.current = null;
    // Focus is elsewhere already: leave it there.
    if (document.activeElement !== document.body) return;
    const card = list.current?.children[Math.min(last.index, shown.length - 1)]?.firstElementChild;
    if (card instanceof HTMLElement) card.focus({ preventScroll: true });
    else onEmptied();
  });

  return { shown, list };
}
