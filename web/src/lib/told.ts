import { readingLanguages, type ReadingLanguage } from '@unsaid/contract';
import { createBrowserSetting } from './browser-setting.ts';
import { createListSetting } from './list-setting.ts';
import { initialLocale } from './locale.ts';
import { createSessionStore } from './store.ts';

/**
 * What a listener and the live connection tell each other: settings that go with its ticket, and what a tick said. The
 * settings stay in this browser, and log-out deletes them (session.ts).
 */

/** Whether this browser is told, while Unsaid is open, that somebody waits to be heard. */
export const isToldHere = createBrowserSetting<boolean>({
  key: 'unsaid.told',
  event: 'unsaid:told',
  parse: (stored) => stored === 'on',
  serialize: (isOn) => (isOn ? 'on' : null),
});

/** The languages that the listener reads. None chosen means all. */
export const readLanguages = createListSetting<ReadingLanguage>('reads', readingLanguages, () =>
  initialLocale() === 'hi' ? ['hi', 'hinglish'] : ['en', 'hinglish'],
);

/** As calls take them. */
export const toReads = (languages: readonly ReadingLanguage[]): { reads?: string } =>
  languages.length > 0 ? { reads: languages.join() } : {};

/** As a ticket takes it: of one length, and without the languages of somebody who does not listen. */
export const toListens = (isListening: boolean, languages: readonly ReadingLanguage[]): string =>
  [isListening, ...readingLanguages.map((one) => isListening && languages.includes(one))]
    .map(Number)
    .join('');

/** A tick said that somebody waits, and the line has not taken it yet: it may still be loading. */
export const waitingMark = createSessionStore<boolean>(false);
