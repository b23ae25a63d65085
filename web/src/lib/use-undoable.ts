import { useEffect, useState } from 'react';
import { pendingSends } from './pending-sends.ts';

/**
 * An action that is sent after a delay unless it is undone. It is sent early when its component unmounts, when
 * the page closes, and at log-out. `send` therefore calls `fetch` synchronously, with `keepalive`.
 */
export interface Undoable {
  /** Starts the delay. An action that is already pending is sent first. */
  readonly start: (send: () => unknown) => void;
  readonly undo: () => void;
  /** Sends now. Returns what `send` returned. */
  readonly flush: () => unknown;
  /** Stops the clock, for example while the undo button has focus. Sent at the latest after four delays. */
  readonly pause: () => void;
  readonly resume: () => void;
}

const maxDelays = 4;

/** `onChange`: whether it waits to be sent, and can be undone. */
export function createUndoable(delayMs: number, onChange: (isPending: boolean) => void): Undoable {
  let pending: (() => unknown) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastTimer: ReturnType<typeof setTimeout> | undefined;
  let remainingMs = 0;
  let runsSince: number | undefined;

  const end = () => {
    clearTimeout(timer);
    clearTimeout(lastTimer);
    pendingSends.delete(flush);
    pending = undefined;
    runsSince = undefined;
    onChange(false);
  };
  const flush = () => {
    const send = pending;
    if (!send) return;
    // Before the state changes, so that both are rendered together.
    const sent = send();
    end();
    return sent;
  };
  const resume = () => {
    if (!pending || runsSince !== undefined) return;
    runsSince = performance.now();
    timer = setTimeout(flush, remainingMs);
  };
  return {
    start(send) {
      flush();
      pending = send;
      remainingMs = delayMs;
      pendingSends.add(flush);
      lastTimer = setTimeout(flush, delayMs * maxDelays);
      resume();
      onChange(true);
    },
    undo: () => pending && end(),
    flush,
    pause() {
      if (!pending || runsSince === undefined) return;
      clearTimeout(timer);
      remainingMs = Math.max(0, remainingMs - (performance.now() - runsSince));
      runsSince = undefined;
    },
    resume,
  };
}

export function useUndoable(delayMs: number): Undoable & { readonly isPending: boolean } {
  const [isPending, setIsPending] = useState(false);
  const [undoable] = useState(() => createUndoable(delayMs, setIsPending));
  useEffect(() => () => void undoable.flush(), [undoable]);
  return { ...undoable, isPending };
}
