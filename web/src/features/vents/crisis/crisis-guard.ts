import type { CrisisLevel } from '@unsaid/guard/crisis';
import { lazyPart } from '../../../lib/lazy-part.tsx';
import { grounding } from '../../../ui/grounding.tsx';
import { loadEveryLanguage } from '../../../locales/i18n.ts';
import { useDismissedLevel } from './dismissals.ts';

/**
 * The crisis guard and its card, loaded on demand: for every writer and every search alike, so that the request tells
 * nothing. A reading and a dismissal stay in memory. Stored or sent, they would tell the next person on a shared phone,
 * or us, how somebody is.
 */
const guard = lazyPart(() => import('./crisis-card.tsx'), { catalogue: 'crisis', offline: true });

export function loadGuard(): void {
  if (guard.get()) return;
  // The exercise too: loaded when the card appears, it would tell that it has. The card works without it.
  grounding.prepare();
  // The card speaks the language of the text. Without it, that of the menu.
  loadEveryLanguage('crisis').catch(() => undefined);
  guard.prepare();
}

export const useGuard = guard.use;
export const useIsGuardLoading = guard.useIsLoading;

/** What the guard reads, as one text. */
export const wordsOf = ({ title, text }: { readonly title: string; readonly text: string }) =>
  `${title}\n${text}`;

/** 0 until the guard is loaded. */
export const crisisLevel = (text: string): CrisisLevel => guard.get()?.readCrisis(text).level ?? 0;

/** What its author is asked and told after posting: abuse counts as much as distress of level 2. */
export function authorLevel(text: string): CrisisLevel {
  const { level, abuse } = guard.get()?.readDistress(text) ?? { level: 0, abuse: null };
  return level < 2 && abuse !== null ? 2 : level;
}

/** Whether somebody speaks of dying themselves. False until the guard is loaded. */
export function useIsDistress(text: string): boolean | undefined {
  const module = guard.use();
  const isLoading = guard.useIsLoading();
  if (isLoading) return undefined;
  const reading = module?.readCrisis(text);
  return reading !== undefined && reading.level > 0 && !reading.isAboutSomeoneElse;
}

/** The level whose card is shown at a place, 0 if it was dismissed there. Undefined while the guard is being loaded. */
export function useShownLevel(place: string, text: string): CrisisLevel | undefined {
  const isLoading = guard.useIsLoading();
  const least = useDismissedLevel(place);
  if (isLoading) return undefined;
  const level = authorLevel(text);
  return level > least ? level : 0;
}

/** False until the guard is loaded: the server refuses such a comment as well. */
export const tellsToDie = (text: string): boolean => guard.get()?.tellsToDie(text) ?? false;

/** Places of a card: a dismissal holds for its place until something graver is written there. */
export const draftPlace = 'draft';
export const ventPlace = (ventId: string) => `vent ${ventId}`;
