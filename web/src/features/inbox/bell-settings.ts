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
