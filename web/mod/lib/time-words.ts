import type { CaseState } from '@unsaid/contract/moderation/console';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `3 h 5 min`, `2 days`. Rounded down: a clock must not promise more than is left. */
export function durationWords(ms: number): string {
  if (ms < minuteMs) return 'less than a minute';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < 2 * dayMs) {
    const minutes = Math.floor((ms % hourMs) / minuteMs);
    return `${Math.floor(ms / hourMs)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  }
  return `${Math.floor(ms / dayMs)} days`;
}

const dueDay = new Intl.DateTimeFormat('en-IN', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export interface DueWords {
  readonly text: string;
  readonly isOverdue: boolean;
}

interface Due {
  readonly dueAt: string;
  readonly isOverdue: boolean;
  readonly state: CaseState;
}

/** Of an appeal only the day is known: its hour would tell when the author was here. */
export function dueWords({ dueAt, isOverdue, state }: Due, now: number): DueWords {
  if (state === 'appealed')
    return { text: isOverdue ? 'Overdue' : `Due on ${dueDay.format(Date.parse(dueAt))}`, isOverdue };
  const left = Date.parse(dueAt) - now;
  return left < 0
    ? { text: `Overdue by ${durationWords(-left)}`, isOverdue: true }
    : { text: `Due in ${durationWords(left)}`, isOverdue: false };
}

/** `9:05`: what is left of a lease. */
export function countdownWords(until: string, now: number): string {
  const seconds = Math.max(0, Math.floor((Date.parse(until) - now) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const exact = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
} as const;
const utc = new Intl.DateTimeFormat('en-IN', { ...exact, timeZone: 'UTC' });
const local = new Intl.DateTimeFormat('en-IN', { ...exact, timeZoneName: 'short' });

const exactDay = new Intl.DateTimeFormat('en-IN', { dateStyle: 'medium', timeZone: 'UTC' });

/** Records have one clock for moderators in several places. Of some times only the day is known. */
export const exactTime = (time: string): string =>
  time.includes('T') ? `${utc.format(new Date(time))} UTC` : exactDay.format(new Date(time));

/** By the moderator's own clock, with its zone: when a case is due. */
export const localTime = (time: string): string => local.format(new Date(time));

const day = new Intl.DateTimeFormat('en-IN', { dateStyle: 'medium', timeZone: 'Asia/Kolkata' });

/** The day, in India, as the author reads it. */
export const dayAfter = (days: number, now: number): string => day.format(now + days * dayMs);
