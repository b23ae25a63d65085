import { useEffect } from 'react';
import { createBrowserSetting } from './browser-setting.ts';
import { isLeaving } from './leaving.ts';
import { useUnread } from './unread.ts';

/** Not translated, and the same as in boot.js. It must not hint at the application. */
const neutralTitle = 'Notes';

/**
 * Whether the tab has a neutral title and icon, for screens that other people can see. `boot.js` applies it
 * before the first paint and changes the icon; this module changes the title.
 */
export const { set: setNeutralTab, useValue: useNeutralTab } = createBrowserSetting<boolean>({
  key: 'unsaid.discreet',
  event: 'unsaid:discreet',
  parse: (stored) => stored === 'on',
  serialize: (isOn) => (isOn ? 'on' : null),
});

/** Sets the title of the tab while a page is shown, with the number of unread things: "(2) Vents · Unsaid". */
export function usePageTitle(page: string): void {
  const isNeutral = useNeutralTab();
  const { total, text } = useUnread();
  const count = total > 0 ? `(${text}) ` : '';
  useEffect(() => {
    // The quick exit has set a title that tells nothing.
    if (isLeaving()) return;
    document.title = isNeutral ? neutralTitle : count + (page === '' ? 'Unsaid' : `${page} · Unsaid`);
  }, [page, isNeutral, count]);
}
