import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A TCP relay that can fail the way networks do. */
export interface FaultProxy {
  readonly port: number;
  /** Refuses new connections and cuts those there are, as a stopped server does. */
  refuse(): Promise<void>;
  /** Takes connections and bytes, and never answers. */
  blackHole(): void;
  /** Everything arrives, and every answer so much later. */
  delayAnswers(ms: number): void;
  /** Everything arrives, and answers trickle back on each connection. */
  throttle(bytesPerSecond: number): void;
  /** Loses one answer in so many, and whatever would follow it on that connection. */
  dropOneIn(count: number): void;
  /** Says goodbye instead of the next answer, and goes on listening. */
  halfClose(): void;
  /** Cuts every connection after the first bytes of its next answer. */
  resetInMidReply(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** How an answer gets back. The next one on its connection waits for it. */
type Carry = (client: Socket, bytes: Buffer, arrivedAt: number) => Promise<void> | void;

const passOn: Carry = (client, bytes) => void client.write(bytes);

const late =
  (ms: number): Carry =>
  async (client, bytes, arrivedAt) => {
    await pause(Math.max(0, arrivedAt + ms - performance.now()));
    if (client.writable) client.write(bytes);
  };

/** A tenth of a second's worth at a time. */
const trickling =
  (bytesPerSecond: number): Carry =>
  async (client, bytes) => {
    const slice = Math.max(1, Math.floor(bytesPerSecond / 10));
    for (let done = 0; done < bytes.length && client.writable; done += slice) {
      client.write(bytes.subarray(done, done + slice));
      await pause(100);
    }
  };

function losing(oneIn: number): Carry {
  const silenced = new WeakSet<Socket>();
  let answers = 0;
  return (client, bytes) => {
    answers += 1;
    if (answers % oneIn === 0) silenced.add(client);
    if (!silenced.has(client)) client.write(bytes);
  };
}

const sayingGoodbye: Carry = (client) => void client.end();

const cutting: Carry = (client, bytes) =>
  void client.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => client.resetAndDestroy());

export async function startFaultProxy(target: NetConnectOpts): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let isBlackHole = false;
  let carry = passOn;

  function relay(client: Socket): void {
    const upstream = connect(target);
    let before = Promise.resolve();
    client.on('data', (bytes) => {
      if (!isBlackHole && upstream.writable) upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (isBlackHole) return;
      const [how, arrivedAt] = [carry, performance.now()];
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
      carry = late(ms);
    },
    throttle(bytesPerSecond) {
      carry = trickling(bytesPerSecond);
    },
    dropOneIn(count) {
      carry = losing(count);
    },
    halfClose() {
      carry = sayingGoodbye;
    },
    resetInMidReply() {
      carry = cutting;
    },
    async restore() {
      isBlackHole = false;
      carry = passOn;
      if (server.listening) return;
      server = createServer(relay);
      await listen(port);
    },
    close: async () => {
      if (server.listening) await stop();
    },
  };
}
