import { createSessionStore } from './store.ts';

/**
 * The number on the bell and in the title of the tab. It is part of the entry, because every page shows it; the inbox,
 * which computes it, is lazy (features/inbox/inbox-sync.tsx).
 */
interface Unread {
  readonly total: number;
  /** The total for people: "99+" from the limit on. */
  readonly text: string;
  readonly isOnOwnVents: boolean;
  readonly isOnMatches: boolean;
}

export const noUnread: Unread = { total: 0, text: '', isOnOwnVents: false, isOnMatches: false };

export const { set: setUnread, useValue: useUnread } = createSessionStore<Unread>(noUnread);
