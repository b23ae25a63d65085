import { useCallback, useEffect, useState } from 'react';

/** Seconds left of a lock. Derived from the clock, because timers of a background tab are throttled. */
export function useCountdown(
  /** End of a lock that was set before, in milliseconds. */
  initialEnd = 0,
): readonly [secondsLeft: number, lock: (seconds: number) => void] {
  const [endsAt, setEndsAt] = useState(initialEnd);
  const [now, setNow] = useState(() => Date.now());
  const secondsLeft = Math.max(0, Math.ceil((endsAt - now) / 1000));
  const isRunning = secondsLeft > 0;

  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isRunning]);

  const lock = useCallback((seconds: number) => {
    const start = Date.now();
    setNow(start);
    setEndsAt(start + seconds * 1000);
  }, []);

  return [secondsLeft, lock];
}
