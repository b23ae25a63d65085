import { useEffect } from 'react';
import { createBrowserSetting } from './browser-setting.ts';

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

/** Sets the title of the tab while a page is shown. */
export function usePageTitle(page: string): void {
  const isNeutral = useNeutralTab();
  useEffect(() => {
    document.title = isNeutral ? neutralTitle : page === '' ? 'Unsaid' : `${page} · Unsaid`;
  }, [page, isNeutral]);
}
