import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A TCP relay that can fail the way networks do. */
export interface FaultProxy {
  readonly port: number;
  /** Refuses new connections and closes existing ones, like a stopped server. */
  refuse(): Promise<void>;
  /** Accepts connections and bytes, and never replies. */
  blackHole(): void;
  /** Delays every reply by `ms`. */
  delayAnswers(ms: number): void;
  /** Holds every reply back until the returned function is called. Requests arrive meanwhile. */
  holdAnswers(): () => void;
  /** Limits the rate of replies on each connection. */
  throttle(bytesPerSecond: number): void;
  /** Drops one reply in `count`, and all later ones on that connection. */
  dropOneIn(count: number): void;
  /** Closes the connection instead of the next reply, and goes on listening. */
  halfClose(): void;
  /** Resets every connection in the middle of its next reply. */
  resetInMidReply(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** How a reply is forwarded. The next one on the connection waits for it. */
type Forward = (client: Socket, bytes: Buffer, arrivedAt: number) => Promise<void> | void;

const forwardAtOnce: Forward = (client, bytes) => void client.write(bytes);

const forwardLate =
  (ms: number): Forward =>
  async (client, bytes, arrivedAt) => {
    await pause(Math.max(0, arrivedAt + ms - performance.now()));
    if (client.writable) client.write(bytes);
  };

const forwardAfter =
  (gate: Promise<void>): Forward =>
  async (client, bytes) => {
    await gate;
    if (client.writable) client.write(bytes);
  };

/** A tenth of a second's worth at a time. */
const forwardSlowly =
  (bytesPerSecond: number): Forward =>
  async (client, bytes) => {
    const slice = Math.max(1, Math.floor(bytesPerSecond / 10));
    for (let done = 0; done < bytes.length && client.writable; done += slice) {
      client.write(bytes.subarray(done, done + slice));
      await pause(100);
    }
  };

function forwardWithLoss(oneIn: number): Forward {
  const silenced = new WeakSet<Socket>();
  let answers = 0;
  return (client, bytes) => {
    answers += 1;
    if (answers % oneIn === 0) silenced.add(client);
    if (!silenced.has(client)) client.write(bytes);
  };
}

const closeInstead: Forward = (client) => void client.end();

const resetHalfway: Forward = (client, bytes) =>
  void client.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => client.resetAndDestroy());

export async function startFaultProxy(target: NetConnectOpts): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let isBlackHole = false;
  let forward = forwardAtOnce;

  function relay(client: Socket): void {
    const upstream = connect(target);
    let before = Promise.resolve();
    client.on('data', (bytes) => {
      if (!isBlackHole && upstream.writable) upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (isBlackHole) return;
      const [how, arrivedAt] = [forward, performance.now()];
      before = before.then(() => (client.writable ? how(client, bytes, arrivedAt) : undefined));
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }

  let server: Server = createServer(relay);
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  const port = await listen(0);
  return {
    port,
    refuse: stop,
    blackHole() {
      isBlackHole = true;
    },
    delayAnswers(ms) {
      forward = forwardLate(ms);
    },
    holdAnswers() {
      const { promise, resolve } = Promise.withResolvers<void>();
      forward = forwardAfter(promise);
      return () => {
        forward = forwardAtOnce;
        resolve();
      };
    },
    throttle(bytesPerSecond) {
      forward = forwardSlowly(bytesPerSecond);
    },
    dropOneIn(count) {
      forward = forwardWithLoss(count);
    },
    halfClose() {
      forward = closeInstead;
    },
    resetInMidReply() {
      forward = resetHalfway;
    },
    async restore() {
      isBlackHole = false;
      forward = forwardAtOnce;
      if (server.listening) return;
      server = createServer(relay);
      await listen(port);
    },
    close: async () => {
      if (server.listening) await stop();
    },
  };
}

/** Debian's PostgreSQL accepts its users by socket only. */
export function postgresAddress(url: URL): NetConnectOpts {
  const port = Number(url.port || 5432);
  const folder = url.searchParams.get('host');
  return folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: url.hostname, port };
}
