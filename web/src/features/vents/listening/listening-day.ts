import { createBrowserSetting } from '../../../lib/browser-setting.ts';

/**
 * What this browser remembers of today, so that nobody carries too much: the answers given, the times it asked after a
 * post, and "Not today". The server knows none of it. It ends at midnight and at log-out (session.ts).
 */
export interface ListeningDay {
  readonly answers: number;
  readonly asks: number;
  readonly isOff: boolean;
}

/** More answers in a day are a lot to carry. */
export const manyAnswers = 5;
const asksADay = 2;

/** As `2026-11-18 answers asks off`. */
const form = /^(\d{4}-\d\d-\d\d) (\d{1,3}) (\d) ([01])$/u;

/** The day in local time. */
function today(): string {
  const now = new Date();
  const two = (part: number) => String(part).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

const stored = createBrowserSetting<string>({
  key: 'unsaid.listening',
  event: 'unsaid:listening',
  parse: (value) => (value !== null && form.test(value) ? value : ''),
  serialize: (value) => value || null,
});

function parse(value: string): ListeningDay {
  const [, day, answers, asks, off] = form.exec(value) ?? [];
  return day === today()
    ? { answers: Number(answers), asks: Number(asks), isOff: off === '1' }
    : { answers: 0, asks: 0, isOff: false };
}

function change(next: (day: ListeningDay) => Partial<ListeningDay>): void {
  const before = parse(stored.get());
  const { answers, asks, isOff } = { ...before, ...next(before) };
  const counts = [Math.min(answers, 999), Math.min(asks, 9)];
  stored.set([today(), ...counts, isOff ? 1 : 0].join(' '));
}

export const useListeningDay = (): ListeningDay => parse(stored.useValue());

export const countAnswer = (): void => change(({ answers }) => ({ answers: answers + 1 }));
export const countAsk = (): void => change(({ asks }) => ({ asks: asks + 1 }));
export const stopForToday = (): void => change(() => ({ isOff: true }));

/** Whether somebody who has just posted may be asked to listen. */
export function canAsk(): boolean {
  const { asks, isOff } = parse(stored.get());
  return !isOff && asks < asksADay;
}
