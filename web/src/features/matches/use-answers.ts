import { useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import type { OpenMatch } from './match-view.ts';
import { dropMatch } from './matches.api.ts';

/** Why a card stays after its match left the list: both accepted, or the reply came too late. */
export type Outcome = { readonly isMutual: true } | { readonly isMutual: false; readonly sentence: string };

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
  const client = useQueryClient();
  const list = useRef<HTMLUListElement>(null);
  const [pinned, setPinned] = useState<readonly PinnedCard<M>[]>([]);
  const leaving = useRef<{ readonly id: string; readonly index: number }>(null);
  const shown = withPinned(matches, pinned);

  const settle = (match: M, outcome?: Outcome) => {
    const index = shown.findIndex((one) => one.match.id === match.id);
    leaving.current = { id: match.id, index };
    if (outcome) setPinned((others) => [...others, { match, outcome, index }]);
    dropMatch(client, match.id);
  };

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

  return { shown, list, settle };
}
