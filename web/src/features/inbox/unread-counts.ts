import { limits, type InboxCounts } from '@unsaid/contract';
import { isQuietNow, quietHours } from '../../lib/quiet-hours.ts';
import { createSessionStore } from '../../lib/store.ts';
import { noUnread, setUnread } from '../../lib/unread.ts';
import { uncounted } from './bell-settings.ts';

/** How much in the inbox is unread, and what the bell may show of it by the settings of this browser. */
interface UnreadCounts extends InboxCounts {
  /** Whether some of it is about an own vent. */
  readonly isOnOwnVents: boolean;
}

const none: UnreadCounts = { answers: 0, gifts: 0, matches: 0, isOnOwnVents: false };

const counts = createSessionStore<UnreadCounts>(none);

export function hasUnread(): boolean {
  const { answers, gifts, matches } = counts.get();
  return answers + gifts + matches > 0;
}

export function setCounts(next: UnreadCounts): void {
  counts.set(next);
  show();
}

function show(): void {
  const left = uncounted.get();
  const isShown = !isQuietNow();
  const of = (kind: keyof InboxCounts) => (isShown && !left.includes(kind) ? counts.get()[kind] : 0);
  const total = of('answers') + of('gifts') + of('matches');
  setUnread({
    total,
    text: total < limits.inboxCount ? String(total) : `${limits.inboxCount}+`,
    isOnOwnVents: counts.get().isOnOwnVents && of('answers') + of('gifts') > 0,
    isOnMatches: of('matches') > 0,
  });
}

/** Follows the settings and the clock: quiet hours begin and end by themselves. Returns a function that ends it. */
export function startCounts(): () => void {
  const timer = setInterval(show, 30_000);
  const stops = [uncounted.subscribe(show), quietHours.subscribe(show)];
  return () => {
    clearInterval(timer);
    for (const stop of stops) stop();
    counts.set(none);
    setUnread(noUnread);
  };
}
