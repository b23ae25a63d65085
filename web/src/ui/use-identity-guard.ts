import { useCallback, useRef, useState } from 'react';
import { ApiError } from '../lib/api-client.ts';
import { withMessages } from '../locales/i18n.ts';
import type { IdentityGuard, IdentityProblem } from './identity-problem.ts';

/** The identity guard and its notice, loaded when a form gets focus. The server runs the same guard. */
type Card = typeof import('./identity-card.tsx');

let card: Card | undefined;

/** Loads the guard. After a failure, the next focus tries again. */
export async function loadIdentityGuard(): Promise<void> {
  if (card) return;
  try {
    card = await withMessages(import('./identity-card.tsx'), 'identity');
  } catch {
    // Without it the server checks alone.
  }
}

export const loadedCard = (): Card | undefined => card;

/** Quiet while people write: a form calls `check` when it is sent, and `clear` when it changes. */
export function useIdentityGuard(): IdentityGuard {
  const [problem, setProblem] = useState<IdentityProblem>();
  const isChanged = useRef(false);
  const clear = useCallback(() => {
    isChanged.current = true;
    setProblem(undefined);
  }, []);
  return {
    problem,
    clear,
    check(fields, isSure) {
      isChanged.current = false;
      const found = card?.firstProblem(fields, isSure);
      setProblem(found);
      return found === undefined;
    },
    async showRefusal(error, fields) {
      if (!(error instanceof ApiError) || error.code !== 'IDENTIFYING_DETAILS') return false;
      await loadIdentityGuard();
      const [first] = error.fields;
      if (!card || !first || isChanged.current) return false;
      setProblem(card.firstProblem(fields, false) ?? card.serverProblem(first, fields));
      return true;
    },
  };
}
