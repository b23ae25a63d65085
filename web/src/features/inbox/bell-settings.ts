import { createBrowserSetting } from '../../lib/browser-setting.ts';

/**
 * Settings of the inbox mark, in this browser. The server knows none of them, so that what it sends does not depend on
 * them. Log-out deletes them (session.ts): the next person on a shared phone gets the defaults.
 */

/** What the counts of the inbox consist of. */
export const countKinds = ['answers', 'gifts', 'matches'] as const;
export type CountKind = (typeof countKinds)[number];

/** The kinds that are not counted, as a list with commas. */
export const uncounted = createBrowserSetting<string>({
  key: 'unsaid.uncounted',
  event: 'unsaid:uncounted',
  parse: (stored) => countKinds.filter((kind) => stored?.split(',').includes(kind)).join(),
  serialize: (kinds) => kinds || null,
});

export function setCounted(kind: CountKind, isCounted: boolean): void {
  const others = countKinds.filter((one) => one !== kind && uncounted.get().includes(one));
  uncounted.set([...others, ...(isCounted ? [] : [kind])].join());
}

const quietForm = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/u;

/** Quiet hours in local time, as `22:00-07:00`. Empty without any. */
export const quietHours = createBrowserSetting<string>({
  key: 'unsaid.quiet',
  event: 'unsaid:quiet',
  parse: (stored) => (stored !== null && quietForm.test(stored) ? stored : ''),
  serialize: (hours) => hours || null,
});

/** Whether a time of the day (`23:15`) is in the quiet hours. They may span midnight. */
export function isQuiet(hours: string, time: string): boolean {
  const [from = '', until = ''] = hours.split('-');
  return from <= until ? from <= time && time < until : from <= time || time < until;
}
