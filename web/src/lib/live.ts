import type { LiveCounts } from '@unsaid/contract';
import { createSessionStore } from './store.ts';

/**
 * What the live connection last said: unread things by kind, and the minute of the newest vent. The connection itself is
 * in live-connection.ts, which loads after the first screen. A change here changes what a screen shows, and must never
 * cause a request: somebody who watches the network would see when something came.
 */
export interface LiveNews {
  readonly counts: LiveCounts;
  readonly newestVentAt: string | null;
}

const news = createSessionStore<LiveNews>({
  counts: { messages: 0, answers: 0, gifts: 0, matches: 0, account: 0 },
  newestVentAt: null,
});
export const setLiveNews = news.set;

let send: (cursor: string) => void = () => undefined;

export const getLiveCounts = (): LiveCounts => news.get().counts;

/** Counts that a page knows better: after the inbox was loaded or visited. */
export function setLiveCounts(known: Partial<LiveCounts>): void {
  news.set({ ...news.get(), counts: { ...news.get().counts, ...known } });
}

/** Unread things by kind. 0 until the server has answered. */
export function useLiveCounts(): LiveCounts {
  return news.useValue(({ counts }) => counts);
}

/** The minute of the newest vent of all, or null. */
export function useNewestVentAt(): string | null {
  return news.useValue(({ newestVentAt }) => newestVentAt);
}

/** Tells the server what was read on this page, so that the next tick does not count it. */
export function seen(cursor: string): void {
  send(cursor);
}

/** For the connection only. Without one, the cursor goes with its next ticket. */
export function onSeen(tell: (cursor: string) => void): void {
  send = tell;
}
