import { createBrowserSetting } from './browser-setting.ts';

const form = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/u;

/** Quiet hours in local time, as `22:00-07:00`. Empty without any. */
export const quietHours = createBrowserSetting<string>({
  key: 'unsaid.quiet',
  event: 'unsaid:quiet',
  parse: (stored) => (stored !== null && form.test(stored) ? stored : ''),
  serialize: (hours) => hours || null,
});

/** Whether a time of the day (`23:15`) is in the quiet hours. They may span midnight. */
export function isQuiet(hours: string, time: string): boolean {
  const [from = '', until = ''] = hours.split('-');
  return from <= until ? from <= time && time < until : from <= time || time < until;
}

export const isQuietNow = (): boolean => isQuiet(quietHours.get(), new Date().toTimeString().slice(0, 5));
