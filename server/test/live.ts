import { livePath, liveProtocol, liveTicketPrefix, openLiveTicket, type LiveTick } from '@unsaid/contract';
import type { Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';
import type { Actor, TestApp } from './app.ts';
import { listen } from './socket.ts';

/** A browser's end of a live connection, for tests. */
export interface Line {
  readonly socket: WebSocket;
  /** Frames as an observer of the network sees them, with the test's clock. */
  readonly frames: { readonly at: number; readonly bytes: number; readonly tick: LiveTick }[];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
}

export async function takeTicket(app: TestApp, as: Actor): Promise<string> {
  const answer = await app.call(openLiveTicket, { as, body: {} });
  if (answer.status !== 200) throw new Error(`no ticket: ${answer.text}`);
  return answer.body.ticket;
}

interface Knock {
  readonly ticket?: string;
  readonly origin?: string | undefined;
  readonly path?: string;
  readonly protocols?: readonly string[];
}

/** Tries the handshake: the open line, or the status of the refusal. */
export async function knock(app: TestApp, options: Knock): Promise<Line | number> {
  const { ticket = '', origin = app.config.publicOrigin.origin, path = livePath } = options;
  const port = await listen(app);
  const protocols = options.protocols ?? [liveProtocol, `${liveTicketPrefix}${ticket}`];
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], {
    ...(origin === '' ? {} : { origin }),
    perMessageDeflate: true,
  });
  socket.on('error', () => {});
  const frames: Line['frames'] = [];
  socket.on('message', (data) => {
    const text = (data as Buffer).toString();
    frames.push({
      at: app.clock.now(),
      bytes: Buffer.byteLength(text),
      tick: JSON.parse(text) as LiveTick,
    });
  });
  const closed = new Promise<number>((resolve) => void socket.once('close', resolve));
  return new Promise((resolve) => {
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.once('open', () => resolve({ socket, frames, closed }));
  });
}

/** An open live connection of somebody, ended with the test. */
export async function openLine(app: TestApp, as: Actor): Promise<Line> {
  const line = await knock(app, { ticket: await takeTicket(app, as) });
  if (typeof line === 'number') throw new Error(`refused: ${line}`);
  onTestFinished(() => line.socket.terminate());
  return line;
}

/** Bytes by the time since the first of them: frames, their headers, pings, anything. */
export type BytesAt = readonly (readonly [since: number, bytes: number])[];

/** What an observer of the network sees of a connection from now on. */
export function watchWire(app: TestApp, { socket }: Line): () => BytesAt {
  const seen: [at: number, bytes: number][] = [];
  (socket as unknown as { _socket: Socket })._socket.on('data', (part) =>
    seen.push([app.clock.now(), part.length]),
  );
  return () => {
    const first = seen[0]?.[0] ?? 0;
    const byTime = Map.groupBy(seen, ([at]) => at - first);
    return [...byTime].map(([since, parts]) => [since, parts.reduce((sum, [, bytes]) => sum + bytes, 0)]);
  };
}

/** Up to the last tick that both have seen: the phase of the first one is random. */
export function compareWires(one: BytesAt, other: BytesAt): string[] {
  const length = Math.min(one.length, other.length);
  const [left, right] = [one, other].map((bytesAt) => bytesAt.slice(0, length).map(String));
  const found = (left ?? []).filter((entry, n) => entry !== right?.[n]);
  if (Math.abs(one.length - other.length) > 1) found.push('number of moments');
  return found;
}

async function framesSent(app: TestApp): Promise<number> {
  const { values } = await app.deps.metrics.liveFrames.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** A ping there and back: what either side sent before it has arrived. */
export async function roundTrip({ socket }: Line): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      socket.off('pong', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('pong', done);
    socket.on('close', done);
    socket.ping();
  });
}

/**
 * Moves the clock on in small steps, as it would run. After each step, all frames have arrived and all pings are
 * answered, so that nothing depends on the speed of the machine. `lines` are all open ones of the app.
 */
export async function runClock(
  app: TestApp,
  ms: number,
  lines: readonly Line[],
  { stepMs = 1000, eachStep }: { readonly stepMs?: number; eachStep?: () => Promise<void> } = {},
): Promise<void> {
  const received = () => lines.reduce((sum, { frames }) => sum + frames.length, 0);
  let [sentBefore, receivedBefore] = [await framesSent(app), received()];
  let lengths = lines.map(({ frames }) => frames.length);
  for (let done = 0; done < ms; done += stepMs) {
    app.clock.advance(Math.min(stepMs, ms - done));
    await app.live.advance();
    await eachStep?.();
    const sent = await framesSent(app);
    if (sent === sentBefore) continue;
    const isClosed = () => lines.some(({ socket }) => socket.readyState !== WebSocket.OPEN);
    await vi.waitUntil(() => isClosed() || received() - receivedBefore >= sent - sentBefore, {
      interval: 1,
      timeout: 60_000,
    });
    // Only where a frame came: pings are limited, too.
    await Promise.all(lines.filter(({ frames }, n) => frames.length > (lengths[n] ?? 0)).map(roundTrip));
    lengths = lines.map(({ frames }) => frames.length);
    [sentBefore, receivedBefore] = [sent, received()];
  }
}
