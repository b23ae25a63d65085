import { useSyncExternalStore } from 'react';
import {
  dayInIndia,
  formatAgo,
  formatDate,
  formatDayInIndia,
  formatFull,
  formatPart,
  formatPartAgo,
} from '../lib/format.ts';

const minuteMs = 60_000;

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, minuteMs / 2);
  return () => clearInterval(timer);
}

/** The current minute. It updates, so that an open page does not keep saying "just now". */
const currentMinute = () => Math.floor(Date.now() / minuteMs) * minuteMs;

export function useCurrentMinute(): number {
  return useSyncExternalStore(subscribe, currentMinute);
}

const currentDayInIndia = () => dayInIndia(Date.now());

interface TimeAgoProps {
  readonly at: string;
  /** The reader wrote it. Of what others wrote, the day and the part of it are shown: a minute can point to a person. */
  readonly isOwn: boolean;
  /** Also shows the full date. */
  readonly isFull?: boolean;
  readonly className?: string | undefined;
}

/** Relative time on screen; the full date on hover and for screen readers. */
export function TimeAgo({ at, isOwn, isFull, className }: TimeAgoProps) {
  const now = useCurrentMinute();
  const ago = isOwn ? formatAgo(at, now) : formatPartAgo(at, now);
  const full = isOwn ? formatFull(at) : formatPart(at);
  const day = localDate(at);
  return (
    <time dateTime={isOwn ? at : day} title={full} className={className}>
      {isFull ? (
        // For an old vent, the relative form is already the date: show it once.
        full.startsWith(ago) ? (
          full
        ) : (
          // Two parts that stay whole: in a narrow card the line breaks between them.
          <>
            <span className="unbroken">{ago} ·</span>{' '}
            <span className="unbroken">{isOwn ? full : formatDate(day)}</span>
          </>
        )
      ) : (
        <>
          <span aria-hidden="true">{ago}</span>
          <span className="visually-hidden">{full}</span>
        </>
      )}
    </time>
  );
}

/** `2026-11-12` in the reader's time zone. */
function localDate(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 10);
}

interface DayProps {
  /** The start of the day in India, as an ISO time. */
  readonly at: string;
  readonly className?: string | undefined;
}

/** "Today", "Yesterday" or the date, by the calendar in India. Updates at midnight there. */
export function Day({ at, className }: DayProps) {
  const today = useSyncExternalStore(subscribe, currentDayInIndia);
  const time = Date.parse(at);
  if (Number.isNaN(time)) return null;
  const day = dayInIndia(time);
  return (
    <time dateTime={day} className={className}>
      {formatDayInIndia(day, today)}
    </time>
  );
}
