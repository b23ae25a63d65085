import { createBrowserSetting } from '../../src/lib/browser-setting.ts';

/** Whether single keys are shortcuts in this browser. On unless switched off. */
export const keySetting = createBrowserSetting<boolean>({
  key: 'unsaid.mod.keys',
  event: 'unsaid:mod-keys',
  parse: (stored) => stored !== 'off',
  serialize: (areOn) => (areOn ? null : 'off'),
});
