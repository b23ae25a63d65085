import { emotions, type Emotion } from '@unsaid/contract';
import { createBrowserSetting } from '../../../lib/browser-setting.ts';
import { createListSetting } from '../../../lib/list-setting.ts';

/** What a listener chose, in this browser. Log-out deletes it (session.ts), and the server never gets it. */

/** Feelings that the listener has been through: of those offered, these come first. */
export const knownFeelings = createListSetting<Emotion>('been-there', emotions, () => []);

/** Whether heavy vents come first instead of last. */
export const heavierToo = createBrowserSetting<boolean>({
  key: 'unsaid.heavier',
  event: 'unsaid:heavier',
  parse: (stored) => stored === 'too',
  serialize: (isOn) => (isOn ? 'too' : null),
});
