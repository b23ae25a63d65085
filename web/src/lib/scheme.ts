import { createBrowserSetting } from './browser-setting.ts';

export const schemes = ['system', 'light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

/**
 * The colour scheme. `boot.js` applies it before the first paint and on every change; this module only stores
 * it.
 */
export const { set: setScheme, useValue: useScheme } = createBrowserSetting<Scheme>({
  key: 'unsaid.scheme',
  event: 'unsaid:scheme',
  parse: (stored) => schemes.find((scheme) => scheme === stored) ?? 'system',
  serialize: (scheme) => (scheme === 'system' ? null : scheme),
});
