import { liveCloseCodes, type LiveCounts, type LiveTick } from '@unsaid/contract';
import type { WebSocket } from 'ws';
import { elapsedMs, type Clock } from '../clock.ts';
import { describeFault, type Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { createBeat } from './beat.ts';
import { toFrame } from './frame.ts';
import { drawRecount, isRecountDue, type RecountPace } from './recount.ts';
import type { Connection } from './registry.ts';

export interface CountedMember<M> {
  readonly member: M;
  readonly session: Buffer;
  readonly cursor: string | undefined;
  /** Counts of content only at random moments; the others at every tick. */
  readonly isContentDue: boolean;
}

/** What the application tells at each beat. */
export interface BeatSources<M> {
  areOpen(sessions: readonly Buffer[]): Promise<readonly boolean[]>;
  /** All members that are due in the same second, in one call. */
  count(people: readonly CountedMember<M>[]): Promise<{
    readonly newestVentAt: string | null;
    /** In the order of the people; only what was counted. */
    readonly counts: readonly Partial<LiveCounts>[];
  }>;
}

interface BeatSenderDeps<M> {
  readonly pace: RecountPace & { readonly tickMs: number };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly sources: BeatSources<M>;
  /** What a browser keeps of its counts, encrypted. */
  sealCounted(one: Connection<M>): string;
}

/** Sends each connection its tick on the beat, and prepares it a second ahead. */
export interface BeatSender<M> {
  add(one: Connection<M>): void;
  remove(one: Connection<M>): void;
  /** Does what is due by the clock, and resolves when the preparations have ended. */
  advance(): Promise<void>;
}

/** Preparations that wait for a slow database. Beyond them, ticks repeat the last counts. */
const maxPreparations = 5;
const maxBufferedBytes = 256 * 1024;

/** Sends, unless the other side reads too slowly: then it closes, and the browser comes back with its cursor. */
export function sendFrame(socket: WebSocket, text: string): boolean {
  if (socket.readyState !== socket.OPEN) return false;
  if (socket.bufferedAmount > maxBufferedBytes) {
    socket.close(1013);
    return false;
  }
  socket.send(text);
  return true;
}

export function createBeatSender<M>(deps: BeatSenderDeps<M>): BeatSender<M> {
  const { pace, clock, logger, metrics, sources, sealCounted } = deps;
  const preparations = new Set<Promise<void>>();
  let newestVentAt: string | null = null;

  const beat = createBeat<Connection<M>>({
    periodMs: pace.tickMs,
    now: elapsedMs(clock),
    prepare(members) {
      if (preparations.size >= maxPreparations) return;
      const work = prepare(members.filter(({ isPreparing }) => !isPreparing));
      preparations.add(work);
      void work.finally(() => preparations.delete(work));
    },
    send: tick,
  });

  function tick(one: Connection<M>, now: number): void {
    if (!one.isAlive) {
      one.socket.terminate();
      return;
    }
    if (now >= one.endsAt) {
      one.socket.close(liveCloseCodes.lifeOver);
      return;
    }
    one.isAlive = false;
    one.socket.ping();
    const { counts, counted } = one;
    const frame: LiveTick = { kind: 'tick', counts, newestVentAt, counted };
    if (sendFrame(one.socket, toFrame(frame))) metrics.liveFrames.inc({ kind: 'tick' });
  }

  async function prepare(members: readonly Connection<M>[]): Promise<void> {
    for (const one of members) one.isPreparing = true;
    try {
      const open = await closeEnded(members);
      const now = clock.now();
      const people = open.map(({ member, session, cursor, recountAt }) => ({
        member,
        session,
        cursor,
        isContentDue: isRecountDue(recountAt, now, pace.recountMs),
      }));
      const counted = await sources.count(people);
      ({ newestVentAt } = counted);
      for (const [n, one] of open.entries()) {
        // Read meanwhile: these counts are of the cursor before, and the next tick counts again.
        if (one.cursor !== people[n]?.cursor) continue;
        one.counts = { ...one.counts, ...counted.counts[n] };
        if (counted.counts[n]?.answers === undefined) continue;
        one.recountAt = now + drawRecount(pace);
        one.counted = sealCounted(one);
      }
    } catch (error) {
      // Without the database, ticks go on with the last counts.
      logger.warn({ event: 'live_count_failed', ...describeFault(error) });
    } finally {
      for (const one of members) one.isPreparing = false;
    }
  }

  /** Closes the connections of ended sessions, and returns the others. */
  async function closeEnded(members: readonly Connection<M>[]): Promise<readonly Connection<M>[]> {
    const areOpen = await sources.areOpen(members.map(({ session }) => session));
    return members.filter((one, n) => {
      if (areOpen[n]) return true;
      one.socket.close(liveCloseCodes.sessionEnded);
      return false;
    });
  }

  return {
    add: beat.add,
    remove: beat.remove,
    async advance() {
      beat.advance(elapsedMs(clock));
      await Promise.all(preparations);
    },
  };
}
