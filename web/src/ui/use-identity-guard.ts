import { useCallback, useRef, useState } from 'react';
import { ApiError } from '../lib/api-client.ts';
import { lazyPart } from '../lib/lazy-part.tsx';
import type { IdentityGuard, IdentityProblem } from './identity-problem.ts';

/**
 * The identity guard and its notice, loaded when a form gets focus. Without it the server, which runs the same guard, checks
 * alone.
 */
export const identityGuard = lazyPart(() => import('./identity-card.tsx'), {
  catalogue: 'identity',
  offline: true,
});

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
      const found = identityGuard.get()?.firstProblem(fields, isSure);
      setProblem(found);
      return found === undefined;
    },
    async showRefusal(error, fields) {
      if (!(error instanceof ApiError) || error.code !== 'IDENTIFYING_DETAILS') return false;
      try {
        await identityGuard.load();
      } catch {
        // The form shows the server's sentence.
        return false;
      }
      const card = identityGuard.get();
      const [first] = error.fields;
      if (!card || !first || isChanged.current) return false;
      setProblem(card.firstProblem(fields, false) ?? card.serverProblem(first, fields));
      return true;
    },
  };
}
