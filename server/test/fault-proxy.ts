import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';

/** A TCP relay that can fail the way networks do. */
export interface FaultProxy {
  readonly port: number;
  /** Refuses new connections and cuts those there are, as a stopped server does. */
  refuse(): Promise<void>;
  /** Takes connections and bytes, and never answers. */
  blackHole(): void;
  /** Everything arrives, and every answer so much later. */
  delayAnswers(ms: number): void;
  /** Cuts every connection after the first bytes of its next answer. */
  resetInMidReply(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function startFaultProxy(target: NetConnectOpts): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let isBlackHole = false;
  let answerDelayMs = 0;
  let isResetting = false;

  function answer(client: Socket, bytes: Buffer): void {
    if (!client.writable) return;
    if (!isResetting) client.write(bytes);
    else client.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => client.resetAndDestroy());
  }

  function relay(client: Socket): void {
    const upstream = connect(target);
    client.on('data', (bytes) => {
      if (!isBlackHole && upstream.writable) upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (isBlackHole) return;
      if (answerDelayMs > 0) setTimeout(() => answer(client, bytes), answerDelayMs);
      else answer(client, bytes);
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
      answerDelayMs = ms;
    },
    resetInMidReply() {
      isResetting = true;
    },
    async restore() {
      isBlackHole = false;
      isResetting = false;
      answerDelayMs = 0;
      if (server.listening) return;
      server = createServer(relay);
      await listen(port);
    },
    close: async () => {
      if (server.listening) await stop();
    },
  };
}
