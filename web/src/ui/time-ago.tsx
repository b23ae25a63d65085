import { useSyncExternalStore } from 'react';
import { dayInIndia, formatAgo, formatDayInIndia, formatFull } from '../lib/format.ts';

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
  /** Also shows the full date. */
  readonly isFull?: boolean;
  readonly className?: string | undefined;
}

/** Relative time on screen; the full date on hover and for screen readers. */
export function TimeAgo({ at, isFull, className }: TimeAgoProps) {
  const now = useCurrentMinute();
  const ago = formatAgo(at, now);
  const full = formatFull(at);
  return (
    <time dateTime={at} title={full} className={className}>
      {isFull ? (
        // For an old vent, the relative form is already the date: show it once.
        full.startsWith(ago) ? (
          full
        ) : (
          // Two parts that stay whole: in a narrow card the line breaks between them.
          <>
            <span className="unbroken">{ago} ·</span> <span className="unbroken">{full}</span>
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
