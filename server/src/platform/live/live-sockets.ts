import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  limits,
  liveCloseCodes,
  livePath,
  liveProtocol,
  liveSeen,
  liveTicketPrefix,
  type LiveCounts,
  type LiveTick,
} from '@unsaid/contract';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Config } from '../../config.ts';
import { createBatcher } from '../batch.ts';
import { elapsedMs, type Clock } from '../clock.ts';
import { securityHeaders, userPages } from '../http/headers.ts';
import { describeFault, type Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { Keys } from '../crypto/keys.ts';
import { createBeat } from './beat.ts';
import { createCountedCodec } from './counted.ts';
import { toFrame } from './frame.ts';
import { drawRecount, isRecountDue } from './recount.ts';
import type { LiveGrant, LiveTickets } from './tickets.ts';

/** Who holds a connection. The application may add what it counts by. */
export interface LiveMember {
  /** The same for all connections of a person. */
  readonly subject: string;
  /** An opaque name of the session, by which its end is announced. */
  readonly sessionName: string;
}

export interface CountedMember<M> {
  readonly member: M;
  readonly session: Buffer;
  readonly cursor: string | undefined;
  /** Counts of content only at random moments; the others at every tick. */
  readonly isContentDue: boolean;
}

/** What the application tells the live connections, which know no feature. */
export interface LiveSources<M extends LiveMember> {
  /** The holder of a session; null if it has ended. */
  findMember(session: Buffer): Promise<M | null>;
  areOpen(sessions: readonly Buffer[]): Promise<readonly boolean[]>;
  /** Calls back with the names of sessions that have just ended, in any process. */
  onSessionsEnded(listener: (names: readonly string[]) => void): void;
  /** All members that are due in the same second, in one call. */
  count(people: readonly CountedMember<M>[]): Promise<{
    readonly newestVentAt: string | null;
    /** In the order of the people; only what was counted. */
    readonly counts: readonly Partial<LiveCounts>[];
  }>;
}

export interface LiveSockets {
  /** Handles a handshake on `livePath`; every check comes before the handshake. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Does what is due by the clock, and resolves when the preparations have ended. A timer calls it; tests do too. */
  advance(): Promise<void>;
  /** Refuses new connections and closes the others at random moments within `ms`. Resolves when all are closed. */
  drain(ms: number): Promise<void>;
  /** Ends every connection at once. */
  close(): void;
}

interface LiveSocketsDeps<M extends LiveMember> {
  readonly config: Pick<Config, 'publicOrigin' | 'corsOrigins' | 'live'>;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tickets: LiveTickets;
  readonly sources: LiveSources<M>;
}

interface Connection<M> {
  readonly socket: WebSocket;
  readonly member: M;
  readonly session: Buffer;
  /** Elapsed time at which it closes, to be opened again with a new ticket. */
  readonly endsAt: number;
  cursor: string | undefined;
  counts: LiveCounts;
  recountAt: number;
  /** Both, encrypted for the browser. */
  counted: string;
  /** A pong has come since the last ping. */
  isAlive: boolean;
  isPreparing: boolean;
  /** Frames received since `windowFrom`. */
  frames: number;
  windowFrom: number;
}

const lifeMs = { least: 25 * 60_000, most: 35 * 60_000 };
const socketsPerPerson = 5;
const framesPerMinute = 20;
/** The cursor and the JSON around it. */
const maxFrameBytes = limits.inboxCursorChars + 64;
const maxBufferedBytes = 256 * 1024;
/** Preparations that wait for a slow database. Beyond them, ticks repeat the last counts. */
const maxPreparations = 5;
const timerMs = 100;
/** Time for the other side to close, too. */
const closeTimeoutMs = 5000;

const socketOptions = {
  noServer: true,
  clientTracking: false,
  // Compression would make the length depend on the content.
  perMessageDeflate: false,
  maxPayload: maxFrameBytes,
  maxFragments: framesPerMinute,
  // Not in the types of ws yet.
  closeTimeout: closeTimeoutMs,
  handleProtocols: (offered: ReadonlySet<string>) => (offered.has(liveProtocol) ? liveProtocol : false),
} as const;

/** Codes that are counted by themselves. A browser may send any code, and a label must not have any value. */
const countedCodes = new Set([1000, 1001, 1005, 1006, 1008, 1009, 1012, 1013, 4401, 4408]);

const refusals = {
  malformed: '400 Bad Request',
  forbidden_origin: '403 Forbidden',
  bad_ticket: '401 Unauthorized',
  too_many: '429 Too Many Requests',
  unavailable: '503 Service Unavailable',
} as const;
type Refusal = keyof typeof refusals;

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

export function createLiveSockets<M extends LiveMember>(deps: LiveSocketsDeps<M>): LiveSockets {
  const { config, clock, logger, metrics, tickets, sources } = deps;
  const allowedOrigins = new Set([config.publicOrigin.origin, ...config.corsOrigins]);
  const refusalHeaders = Object.entries({
    ...securityHeaders(userPages(config.publicOrigin)),
    connection: 'close',
    'content-length': '0',
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const server = new WebSocketServer(socketOptions);
  const codec = createCountedCodec(deps.keys);
  const isOpen = createBatcher(sources.areOpen);
  const connections = new Set<Connection<M>>();
  const bySession = new Map<string, Set<Connection<M>>>();
  const countOfPerson = new Map<string, number>();
  const preparations = new Set<Promise<void>>();
  let newestVentAt: string | null = null;
  let isDraining = false;

  const beat = createBeat<Connection<M>>({
    periodMs: config.live.tickMs,
    now: elapsedMs(clock),
    prepare(members) {
      if (preparations.size >= maxPreparations) return;
      const work = prepare(members.filter(({ isPreparing }) => !isPreparing));
      preparations.add(work);
      void work.finally(() => preparations.delete(work));
    },
    send: tick,
  });

  function sealCounted({ session, cursor, counts: { answers, gifts }, recountAt }: LiveGrant): string {
    return codec.seal({ answers, gifts, recountAt }, session, cursor);
  }

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
        isContentDue: isRecountDue(recountAt, now, config.live.recountMs),
      }));
      const counted = await sources.count(people);
      ({ newestVentAt } = counted);
      for (const [n, one] of open.entries()) {
        // Read meanwhile: these counts are of the cursor before, and the next tick counts again.
        if (one.cursor !== people[n]?.cursor) continue;
        one.counts = { ...one.counts, ...counted.counts[n] };
        if (counted.counts[n]?.answers === undefined) continue;
        one.recountAt = now + drawRecount(config.live);
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

  sources.onSessionsEnded((names) => {
    for (const name of names)
      for (const { socket } of bySession.get(name) ?? []) socket.close(liveCloseCodes.sessionEnded);
  });

  function accept(socket: WebSocket, grant: LiveGrant, member: M): void {
    const now = elapsedMs(clock);
    const one: Connection<M> = {
      socket,
      member,
      session: grant.session,
      endsAt: now + randomInt(lifeMs.least, lifeMs.most),
      cursor: grant.cursor,
      counts: grant.counts,
      recountAt: grant.recountAt,
      counted: sealCounted(grant),
      isAlive: true,
      isPreparing: false,
      frames: 0,
      windowFrom: now,
    };
    const ofSession = bySession.get(member.sessionName) ?? new Set();
    bySession.set(member.sessionName, ofSession.add(one));
    countOfPerson.set(member.subject, (countOfPerson.get(member.subject) ?? 0) + 1);
    connections.add(one);
    metrics.liveSockets.set(connections.size);
    beat.add(one);

    socket.on('message', (data, isBinary) => receive(one, data, isBinary));
    // The browser's own pings count as frames; ours are answered once each.
    socket.on('ping', () => countFrame(one));
    socket.on('pong', () => {
      if (one.isAlive) countFrame(one);
      one.isAlive = true;
    });
    // Without a listener an error would end the process. The close that follows it is counted.
    socket.on('error', () => {});
    socket.on('close', (code) => {
      beat.remove(one);
      connections.delete(one);
      ofSession.delete(one);
      if (ofSession.size === 0) bySession.delete(member.sessionName);
      const left = (countOfPerson.get(member.subject) ?? 1) - 1;
      if (left > 0) countOfPerson.set(member.subject, left);
      else countOfPerson.delete(member.subject);
      metrics.liveSockets.set(connections.size);
      metrics.liveClosed.inc({ code: countedCodes.has(code) ? String(code) : 'other' });
      logger.info({ event: 'live_closed', status: code });
    });
    // The session may have ended while the handshake was on its way, before its end could be heard here.
    void isOpen(grant.session).then(
      (isStill) => isStill || socket.close(liveCloseCodes.sessionEnded),
      // The next tick asks again.
      () => {},
    );
  }

  function countFrame(one: Connection<M>): boolean {
    if (one.socket.readyState !== one.socket.OPEN) return false;
    const now = elapsedMs(clock);
    if (now - one.windowFrom >= 60_000) [one.frames, one.windowFrom] = [0, now];
    one.frames += 1;
    if (one.frames <= framesPerMinute) return true;
    one.socket.close(1008);
    return false;
  }

  function receive(one: Connection<M>, data: RawData, isBinary: boolean): void {
    if (!countFrame(one)) return;
    const frame = isBinary ? undefined : liveSeen.safeParse(parseJson((data as Buffer).toString()));
    if (!frame?.success) {
      one.socket.close(1008);
      return;
    }
    // Counted again before the next tick: the person has just seen the truth on this page.
    one.cursor = frame.data.cursor;
    one.recountAt = 0;
  }

  async function judge(request: IncomingMessage): Promise<Refusal | { grant: LiveGrant; member: M }> {
    if (!allowedOrigins.has(request.headers.origin ?? '')) return 'forbidden_origin';
    if (isFull()) return 'unavailable';
    const grant = await tickets.redeem(ticketIn(request));
    const member = grant && (await sources.findMember(grant.session));
    return member ? { grant, member } : 'bad_ticket';
  }

  const isFull = () => isDraining || connections.size >= config.live.socketsMax;

  /** Checked with nothing awaited before `accept`: handshakes that are judged together would all see the same room. */
  function limitReached({ subject }: M): Refusal | null {
    if (isFull()) return 'unavailable';
    return (countOfPerson.get(subject) ?? 0) >= socketsPerPerson ? 'too_many' : null;
  }

  function refuse(socket: Duplex, reason: Refusal): void {
    metrics.liveHandshakes.inc({ outcome: reason });
    // The other side may keep its half open for ever.
    socket.once('finish', () => socket.destroy());
    socket.end(`HTTP/1.1 ${refusals[reason]}\r\n${refusalHeaders}\r\n`);
  }

  // Otherwise `ws` answers by itself, without our headers and with a text about what was wrong.
  server.on('wsClientError', (_error, socket) => refuse(socket, 'malformed'));

  const timer = setInterval(() => void advance(), timerMs).unref();

  async function advance(): Promise<void> {
    beat.advance(elapsedMs(clock));
    await Promise.all(preparations);
  }

  function close(): void {
    isDraining = true;
    clearInterval(timer);
    for (const { socket } of connections) socket.terminate();
  }

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => {});
      void judge(request)
        .catch((error: unknown): Refusal => {
          logger.warn({ event: 'live_handshake_failed', ...describeFault(error) });
          return 'unavailable';
        })
        .then((verdict) => {
          if (typeof verdict === 'string') return refuse(socket, verdict);
          const limit = limitReached(verdict.member);
          if (limit) return refuse(socket, limit);
          return server.handleUpgrade(request, socket, head, (opened) => {
            metrics.liveHandshakes.inc({ outcome: 'opened' });
            accept(opened, verdict.grant, verdict.member);
          });
        });
    },

    advance,

    async drain(ms) {
      isDraining = true;
      const closing = [...connections].map(
        ({ socket }) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve());
            setTimeout(() => socket.close(liveCloseCodes.restart), ms > 0 ? randomInt(ms) : 0);
          }),
      );
      // Each has `closeTimeoutMs` to close, too; then it is ended.
      await Promise.all(closing);
    },

    close,
  };
}

function ticketIn({ headers }: IncomingMessage): string {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  return offered.find((one) => one.startsWith(liveTicketPrefix))?.slice(liveTicketPrefix.length) ?? '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a request asks for the live connection. Others with an Upgrade header are answered as if they had none. */
export function isLiveUpgrade({ url, method, headers }: IncomingMessage): boolean {
  return url === livePath && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}
