import { emotions, readingLanguages, type Emotion, type ReadingLanguage } from '@unsaid/contract';
import { createBrowserSetting } from '../../../lib/browser-setting.ts';
import { createListSetting } from '../../../lib/list-setting.ts';
import { initialLocale } from '../../../lib/locale.ts';

/**
 * What a listener chose, in this browser. Log-out deletes it (session.ts). The languages go with each request for vents
 * that wait; the rest the server never gets.
 */

/** The languages that the listener reads. None chosen means all. */
export const readLanguages = createListSetting<ReadingLanguage>('reads', readingLanguages, () =>
  initialLocale() === 'hi' ? ['hi', 'hinglish'] : ['en', 'hinglish'],
);

/** Feelings that the listener has been through: of those offered, these come first. */
export const knownFeelings = createListSetting<Emotion>('been-there', emotions, () => []);

/** Whether heavy vents come first instead of last. */
export const heavierToo = createBrowserSetting<boolean>({
  key: 'unsaid.heavier',
  event: 'unsaid:heavier',
  parse: (stored) => stored === 'too',
  serialize: (isOn) => (isOn ? 'too' : null),
});
