import { dayMs } from '@unsaid/contract';
import { createBrowserSetting } from './browser-setting.ts';

/**
 * When a conversation was last on screen in this browser. For a day a vent then goes out a little later by default: the
 * partner sees when this person writes. Never sent; log-out deletes it (session.ts).
 */
export const chattedAt = createBrowserSetting<number>({
  key: 'unsaid.chatted',
  event: 'unsaid:chatted',
  parse: (stored) => Number(stored) || 0,
  serialize: (at) => (at === 0 ? null : String(at)),
});

export const hasChatted = (now: number): boolean => now - chattedAt.get() < dayMs;
