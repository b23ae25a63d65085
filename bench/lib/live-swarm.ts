import { setTimeout as pause } from 'node:timers/promises';
import {
  liveCloseCodes,
  livePace,
  livePath,
  liveProtocol,
  liveTicketPrefix,
  openLiveTicket,
  type LiveTick,
} from '@unsaid/contract';
import WebSocket from 'ws';
import { createClient, type Client } from './client.ts';

/**
 * Many browsers with a live connection each, behind a load balancer that asks every process whether it is ready. They
 * connect again as the web application does (web/src/lib/live-connection.ts).
 */
export interface Swarm {
  readonly members: readonly Member[];
  /** Connects all, a few at a time. */
  start(): Promise<void>;
  /** Members without a connection now. */
  lost(): Member[];
  /** Ends the connections of some members as a lost network does. */
  cut(members: readonly Member[]): void;
  stop(): void;
}

export interface Member {
  readonly token: string;
  /** Of the last response or tick. */
  counted: string | undefined;
  socket: WebSocket | null;
  port: number;
  ticks: number[];
  /** Close codes in order. */
  codes: number[];
  /** How long each time without a connection was. */
  gapsMs: number[];
  lostAt: number;
  failures: number;
  refusals: number;
  /** Two refused handshakes: the web application would poll. */
  polls: number;
}

interface SwarmOptions {
  readonly ports: readonly number[];
  readonly tokens: readonly string[];
  readonly origin: string;
}

const wavesOf = 40;
const firstRetryMs = 500;
const longestRetryMs = 12_000;
const silentMs = 60_000;

export function createSwarm({ ports, tokens, origin }: SwarmOptions): Swarm {
  const clients = new Map(ports.map((port): [number, Client] => [port, createClient(port, 100)]));
  let ready: readonly number[] = ports;
  let isWanted = true;
  let turn = 0;
  const members = tokens.map((token): Member => ({
    token,
    counted: undefined,
    socket: null,
    port: 0,
    ticks: [],
    codes: [],
    gapsMs: [],
    lostAt: 0,
    failures: 0,
    refusals: 0,
    polls: 0,
  }));

  /** Like a load balancer's probe. */
  async function probe(): Promise<void> {
    for (; ; await pause(500)) {
      if (!isWanted) return;
      const states = await Promise.all(
        ports.map((port) =>
          fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
            // Without a store, all are unready alike, and a load balancer that has no choice uses all.
            async (answer) => answer.ok || !((await answer.json()) as { draining: boolean }).draining,
            () => false,
          ),
        ),
      );
      ready = ports.filter((_, n) => states[n]);
    }
  }

  function nextPort(): number {
    turn += 1;
    const choice = ready.length > 0 ? ready : ports;
    return choice[turn % choice.length] as number;
  }

  async function ticketFor(one: Member): Promise<string | null> {
    // A connection that is refused goes to the next process, as with a load balancer.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const client = clients.get(nextPort());
      try {
        const { status, body } =
          (await client?.call(openLiveTicket, {
            token: one.token,
            body: one.counted === undefined ? {} : { counted: one.counted },
          })) ?? {};
        if (status !== 200 || !body) return null;
        one.counted = body.counted;
        return body.ticket;
      } catch {
        // The next one.
      }
    }
    return null;
  }

  function retry(one: Member): void {
    const ms = Math.random() * Math.min(longestRetryMs, firstRetryMs * 2 ** one.failures);
    one.failures += 1;
    setTimeout(() => void connect(one), ms);
  }

  async function connect(one: Member): Promise<void> {
    if (!isWanted) return;
    const ticket = await ticketFor(one);
    if (!isWanted) return;
    if (ticket === null) return retry(one);
    const port = nextPort();
    const socket = new WebSocket(
      `ws://127.0.0.1:${port}${livePath}`,
      [liveProtocol, `${liveTicketPrefix}${ticket}`],
      { origin, perMessageDeflate: false, handshakeTimeout: silentMs },
    );
    let isOpen = false;
    let silence = setTimeout(() => socket.terminate(), silentMs);
    socket.on('error', () => {});
    socket.on('open', () => {
      isOpen = true;
      one.refusals = 0;
      one.socket = socket;
      one.port = port;
      if (one.lostAt > 0) one.gapsMs.push(performance.now() - one.lostAt);
      one.lostAt = 0;
    });
    socket.on('message', (data) => {
      one.counted = (JSON.parse((data as Buffer).toString()) as LiveTick).counted;
      one.failures = 0;
      one.ticks.push(performance.now());
      clearTimeout(silence);
      silence = setTimeout(() => socket.terminate(), silentMs);
    });
    socket.on('close', (code) => {
      clearTimeout(silence);
      if (!isWanted) return;
      if (isOpen) {
        one.codes.push(code);
        one.socket = null;
        one.lostAt = performance.now();
      } else {
        one.refusals += 1;
        if (one.refusals >= 2) one.polls += 1;
      }
      if (code === liveCloseCodes.restart) setTimeout(() => void connect(one), Math.random() * 10_000);
      else retry(one);
    });
  }

  return {
    members,
    async start() {
      void probe();
      for (let at = 0; at < members.length; at += wavesOf) {
        const wave = members.slice(at, at + wavesOf);
        for (const one of wave) void connect(one);
        while (wave.some(({ socket }) => socket === null)) await pause(10);
      }
    },
    lost: () => members.filter(({ socket }) => socket === null),
    cut(some) {
      for (const { socket } of some) socket?.terminate();
    },
    stop() {
      isWanted = false;
      for (const { socket } of members) socket?.terminate();
      for (const client of clients.values()) client.close();
    },
  };
}

export const tickMs = livePace.tickMs;
