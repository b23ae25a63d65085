import { emotions, readingLanguages, type Emotion, type ReadingLanguage } from '@unsaid/contract';
import { createBrowserSetting } from '../../../lib/browser-setting.ts';
import { initialLocale } from '../../../lib/locale.ts';

/** What a listener chose, in this browser. Log-out deletes it (session.ts). Only the languages are sent. */

/** A setting that is a list. Stored and compared as text with commas. */
function createListSetting<T extends string>(key: string, all: readonly T[], byDefault: () => readonly T[]) {
  const split = (value: string) => all.filter((one) => value.split(',').includes(one));
  const setting = createBrowserSetting<string>({
    key: `unsaid.${key}`,
    event: `unsaid:${key}`,
    parse: (stored) => (stored === null ? byDefault() : split(stored)).join(),
    serialize: (value) => value,
  });
  return {
    useValue: () => split(setting.useValue()),
    toggle(changed: T): void {
      const chosen = split(setting.get());
      setting.set(all.filter((one) => chosen.includes(one) !== (one === changed)).join());
    },
  };
}

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
