import { createBrowserSetting } from './browser-setting.ts';

/** When an account was made in this browser. The server does not tell; log-out deletes it (session.ts). */
export const madeAt = createBrowserSetting<number>({
  key: 'unsaid.made',
  event: 'unsaid:made',
  parse: (stored) => Number(stored) || 0,
  serialize: (at) => (at === 0 ? null : String(at)),
});

const firstDaysMs = 2 * 86_400_000;

/** In its first two days an account is not offered the heaviest vents. */
export const isInFirstDays = (now: number): boolean => now - madeAt.get() < firstDaysMs;
