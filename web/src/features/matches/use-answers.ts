import { useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { dropMatch } from './matches.api.ts';
import type { OpenMatch } from './match-view.ts';

/** Why a card stays although its match has left the list: two yeses, or an answer that came too late. */
export type Ending = { readonly isMutual: true } | { readonly isMutual: false; readonly sentence: string };

export interface Shown<M> {
  readonly match: M;
  readonly ending?: Ending;
}

interface Kept<M> extends Required<Shown<M>> {
  readonly index: number;
}

/** The list as the server has it, with the cards that stay for now where they were. */
export function withKept<M extends OpenMatch>(
  matches: readonly M[],
  kept: readonly Kept<M>[],
): readonly Shown<M>[] {
  const shown: Shown<M>[] = matches
    .filter(({ id }) => !kept.some(({ match }) => match.id === id))
    .map((match) => ({ match }));
  for (const { index, match, ending } of kept.toSorted((a, b) => a.index - b.index)) {
    shown.splice(index, 0, { match, ending });
  }
  return shown;
}

/**
 * People to answer, one card each. An answered card goes, and focus moves to the one that takes its place;
 * a card with something left to say stays until the list is left.
 */
export function useAnswers<M extends OpenMatch>(matches: readonly M[], onEmptied: () => void) {
  const client = useQueryClient();
  const list = useRef<HTMLUListElement>(null);
  const [kept, setKept] = useState<readonly Kept<M>[]>([]);
  const leaving = useRef<{ readonly id: string; readonly index: number }>(null);
  const shown = withKept(matches, kept);

  const settle = (match: M, ending?: Ending) => {
    const index = shown.findIndex((one) => one.match.id === match.id);
    leaving.current = { id: match.id, index };
    if (ending) setKept((others) => [...others, { match, ending, index }]);
    dropMatch(client, match.id);
  };

  useLayoutEffect(() => {
    const last = leaving.current;
    if (!last || shown.some(({ match, ending }) => match.id === last.id && !ending)) return;
    leaving.current = null;
    // Whoever has moved on meanwhile is not called back.
    if (document.activeElement !== document.body) return;
    const card = list.current?.children[Math.min(last.index, shown.length - 1)]?.firstElementChild;
    if (card instanceof HTMLElement) card.focus({ preventScroll: true });
    else onEmptied();
  });

  return { shown, list, settle };
}
