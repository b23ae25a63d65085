import { limits, liveSeen } from '@unsaid/contract';
import type { RawData } from 'ws';
import { elapsedMs, type Clock } from '../clock.ts';
import type { Connection } from './registry.ts';

export const framesPerMinute = 20;
/** The cursor and the JSON around it. */
export const maxFrameBytes = limits.inboxCursorChars + 64;

/** True if the connection may send another frame. Closes one that sends too many. */
export function countFrame<M>(one: Connection<M>, clock: Clock): boolean {
  if (one.socket.readyState !== one.socket.OPEN) return false;
  const now = elapsedMs(clock);
  if (now - one.windowFrom >= 60_000) [one.frames, one.windowFrom] = [0, now];
  one.frames += 1;
  if (one.frames <= framesPerMinute) return true;
  one.socket.close(1008);
  return false;
}

/** Frames by kind: true if the text is one of that kind. */
const kinds: readonly (<M>(one: Connection<M>, frame: unknown) => boolean)[] = [
  function seen(one, frame) {
    const { success, data } = liveSeen.safeParse(frame);
    if (!success) return false;
    // Counted again before the next tick: the person has just seen the truth on this page.
    one.cursor = data.cursor;
    one.recountAt = 0;
    return true;
  },
];

/** Handles a frame of the browser. Closes a connection that sends anything else. */
export function receive<M>(one: Connection<M>, data: RawData, isBinary: boolean): void {
  const frame = isBinary ? undefined : parseJson((data as Buffer).toString());
  if (!kinds.some((handle) => handle(one, frame))) one.socket.close(1008);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
