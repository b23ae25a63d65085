import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { liveCloseCodes, liveProtocol } from '@unsaid/contract';
import { WebSocketServer, type WebSocket } from 'ws';
import { createBatcher } from '../batch.ts';
import { elapsedMs, type Clock } from '../clock.ts';
import { describeFault, type Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { Keys } from '../crypto/keys.ts';
import { createBeatSender, type BeatSources } from './beat-sender.ts';
import { createCountedCodec } from './counted.ts';
import { createHandshake, type Refusal } from './handshake.ts';
import { countFrame, framesPerMinute, maxFrameBytes, receive } from './inbound.ts';
import type { RecountPace } from './recount.ts';
import { createRegistry, newConnection, type LiveMember } from './registry.ts';
import type { LiveGrant, LiveTickets } from './tickets.ts';

/** What the application tells the live connections, which know no feature. */
export interface LiveSources<M extends LiveMember> extends BeatSources<M> {
  /** The holder of a session; null if it has ended. */
  findMember(session: Buffer): Promise<M | null>;
  /** Calls back with the names of sessions that have just ended, in any process. */
  onSessionsEnded(listener: (names: readonly string[]) => void): void;
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

/** As in the configuration. */
interface LiveSettings {
  readonly publicOrigin: URL;
  readonly corsOrigins: readonly string[];
  readonly live: RecountPace & { readonly socketsMax: number };
}

interface LiveSocketsDeps<M extends LiveMember> {
  readonly config: LiveSettings;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tickets: LiveTickets;
  readonly sources: LiveSources<M>;
  /** Whether an operator has turned live connections off. */
  readonly isPaused?: () => boolean;
}

type Counting = Pick<LiveGrant, 'session' | 'cursor' | 'counts' | 'recountAt'>;

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

/** The live connections of this process: opened by a handshake, told on the beat, closed with their session. */
export function createLiveSockets<M extends LiveMember>(deps: LiveSocketsDeps<M>): LiveSockets {
  const { config, clock, logger, metrics, tickets, sources, isPaused = () => false } = deps;
  const server = new WebSocketServer(socketOptions);
  const codec = createCountedCodec(deps.keys);
  const isOpen = createBatcher(sources.areOpen);
  const registry = createRegistry<M>(metrics);
  let isDraining = false;
  const isFull = () => isDraining || isPaused() || registry.all.size >= config.live.socketsMax;
  const handshake = createHandshake({ ...deps, ...config, tickets, findMember: sources.findMember, isFull });
  const sealCounted = ({ session, cursor, counts: { answers, gifts }, recountAt }: Counting) =>
    codec.seal({ answers, gifts, recountAt }, session, cursor);
  const sender = createBeatSender<M>({ ...deps, pace: config.live, sealCounted });

  sources.onSessionsEnded((names) => {
    for (const name of names)
      for (const { socket } of registry.ofSession(name)) socket.close(liveCloseCodes.sessionEnded);
  });

  function accept(socket: WebSocket, grant: LiveGrant, member: M): void {
    const counted = sealCounted(grant);
    const one = newConnection(socket, member, grant, { counted, now: elapsedMs(clock) });
    registry.add(one);
    sender.add(one);
    socket.on('message', (data, isBinary) => countFrame(one, clock) && receive(one, data, isBinary));
    // The browser's own pings count as frames; ours are answered once each.
    socket.on('ping', () => countFrame(one, clock));
    socket.on('pong', () => {
      if (one.isAlive) countFrame(one, clock);
      one.isAlive = true;
    });
    // Without a listener an error would end the process. The close that follows it is counted.
    socket.on('error', () => {});
    socket.on('close', (code) => {
      sender.remove(one);
      registry.remove(one);
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

  /** Checked with nothing awaited before `accept`: handshakes that are judged together would all see the same room. */
  function limitReached(member: M): Refusal | null {
    if (isFull()) return 'unavailable';
    return registry.hasRoomFor(member) ? null : 'too_many';
  }

  // Otherwise `ws` answers by itself, without our headers and with a text about what was wrong.
  server.on('wsClientError', (_error, socket) => handshake.refuse(socket, 'malformed'));

  async function advance(): Promise<void> {
    // Browsers poll until they are given a ticket again.
    if (isPaused()) for (const { socket } of registry.all) socket.close(liveCloseCodes.restart);
    await sender.advance();
  }
  const timer = setInterval(() => void advance(), timerMs).unref();

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => {});
      void handshake
        .judge(request)
        .catch((error: unknown): Refusal => {
          logger.warn({ event: 'live_handshake_failed', ...describeFault(error) });
          return 'unavailable';
        })
        .then((verdict) => {
          if (typeof verdict === 'string') return handshake.refuse(socket, verdict);
          const limit = limitReached(verdict.member);
          if (limit) return handshake.refuse(socket, limit);
          return server.handleUpgrade(request, socket, head, (opened) => {
            metrics.liveHandshakes.inc({ outcome: 'opened' });
            accept(opened, verdict.grant, verdict.member);
          });
        });
    },

    advance,

    async drain(ms) {
      isDraining = true;
      const closing = [...registry.all].map(
        ({ socket }) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve());
            setTimeout(() => socket.close(liveCloseCodes.restart), ms > 0 ? randomInt(ms) : 0);
          }),
      );
      // Each has `closeTimeoutMs` to close, too; then it is ended.
      await Promise.all(closing);
    },

    close() {
      isDraining = true;
      clearInterval(timer);
      for (const { socket } of registry.all) socket.terminate();
    },
  };
}
