import type { IdentityRule, Written } from '@unsaid/contract/guard/identity';
import { useCallback, useRef, useState } from 'react';
import { ApiError } from '../lib/api-client.ts';
import { loadMessages } from '../locales/i18n.ts';

/** The identity guard and its notice, loaded when a form gets focus. The server runs the same guard. */
type Card = typeof import('./identity-card.tsx');

let card: Card | undefined;

/** Loads the guard. After a failure, the next focus tries again. */
export async function loadIdentityGuard(): Promise<void> {
  if (card) return;
  try {
    [card] = await Promise.all([import('./identity-card.tsx'), loadMessages('identity')]);
  } catch {
    // Without it the server checks alone.
  }
}

export const loadedCard = (): Card | undefined => card;

/** What a form sends, by field: texts, and lists of words. */
export type WrittenFields = Readonly<Record<string, Written>>;

export interface IdentityProblem {
  readonly field: string;
  readonly rule: IdentityRule;
  readonly isRefused: boolean;
  /** The place in the field's text. Empty if only the server found it. */
  readonly start: number;
  readonly end: number;
  readonly fields: WrittenFields;
}

export interface IdentityGuard {
  readonly problem: IdentityProblem | undefined;
  /** False where something was found. The notice is then shown, and nothing may be sent. */
  check(fields: WrittenFields, isSure: boolean): boolean;
  /**
   * Shows the notice if this is why the server refused what `check` saw last. False otherwise, also if the form has
   * changed since: the notice would hide a part of the old words in place of the new ones.
   */
  showRefusal(error: unknown, fields: WrittenFields): Promise<boolean>;
  clear(): void;
}

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
