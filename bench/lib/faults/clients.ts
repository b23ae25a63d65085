import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { nothing, type Fault, type Judgement } from './fault.ts';

/** Malicious and broken clients, at the same time as the writing ones. */

function open(port: number, sockets: Set<Socket>): Socket {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  sockets.add(socket);
  socket.on('error', nothing);
  socket.on('close', () => sockets.delete(socket));
  socket.resume();
  return socket;
}

function closeAll(sockets: Set<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

/** Authenticated, so that requests are not rejected early. */
const headOf = (token: string) =>
  `POST /api/vent/create HTTP/1.1\r\nHost: unsaid\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\n`;

/** 150 clients never finish their headers and 150 never finish their body; both send slowly. */
function slowClients(port: number, head: string): Fault {
  const sockets = new Set<Socket>();
  const drips: NodeJS.Timeout[] = [];
  return {
    name: '300 slow clients',
    begin() {
      for (let n = 0; n < 300; n += 1) {
        const socket = open(port, sockets);
        socket.write(n % 2 === 0 ? head : `${head}Content-Length: 9000\r\n\r\n{`);
        const drip = () => socket.writable && socket.write(n % 2 === 0 ? `X-${n}: 1\r\n` : ' ');
        drips.push(setInterval(drip, 500));
      }
    },
    end() {
      for (const drip of drips.splice(0)) clearInterval(drip);
      closeAll(sockets);
    },
  };
}

/** Half a request each, then silence; every other connection is half-closed too. */
function halfOpenRequests(port: number, head: string): Fault {
  const sockets = new Set<Socket>();
  return {
    name: '200 half-open requests',
    begin() {
      for (let n = 0; n < 200; n += 1) {
        const socket = open(port, sockets);
        const half = `${head}Content-Length: 500\r\n\r\n{"title":"Half`;
        if (n % 2 === 0) socket.write(half);
        else socket.end(half);
      }
    },
    end: () => closeAll(sockets),
  };
}

const get = 'GET /api/vent/all HTTP/1.1\r\nHost: unsaid\r\n';
const oversized = (head: string) => [
  `${get}X-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
  `${get}${Array.from({ length: 3000 }, (_, n) => `X-${n}: 1\r\n`).join('')}\r\n`,
  `GET /api/vent/all?query=${'a'.repeat(40_000)} HTTP/1.1\r\nHost: unsaid\r\n\r\n`,
  `GET /api/vent/${'a'.repeat(5000)} HTTP/1.1\r\nHost: unsaid\r\n\r\n`,
  `${head}Content-Length: 1000000\r\n\r\n${'a'.repeat(1_000_000)}`,
  `${head}Transfer-Encoding: chunked\r\n\r\n${`8000\r\n${'a'.repeat(0x8000)}\r\n`.repeat(20)}0\r\n\r\n`,
];
const malformed = (head: string) => [
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'GET\r\n\r\n',
  '\r\n\r\n\r\n\u0000\u0001\u0002',
  'GET / HTTP/9.9\r\nHost: unsaid\r\n\r\n',
  'BREW /api/vent/all HTTP/1.1\r\nHost: unsaid\r\n\r\n',
  'GET /%zz%00 HTTP/1.1\r\nHost: unsaid\r\n\r\n',
  `${get}Bad Header: 1\r\n\r\n`,
  `${get}Content-Length: -1\r\n\r\n`,
  `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}{}{}`,
  `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  `${head}Content-Length: 9\r\n\r\n{"title":`,
  `${head}Content-Length: 4\r\n\r\n\u00ff\u00fe`,
  `${head}Content-Length: 2\r\nExpect: miracles\r\n\r\n{}`,
];

/** The statuses of the responses; none if the connection was closed without one. */
function say(port: number, bytes: string): Promise<string[]> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
    socket.on('error', nothing);
    socket.on('close', () =>
      resolve(Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/gu), ([, code]) => code ?? '')),
    );
    socket.setTimeout(300, () => socket.destroy());
    socket.write(bytes, 'latin1');
  });
}

function badHttp(name: string, port: number, texts: readonly string[]): Fault {
  const work = { isDone: false };
  const seen = new Map<string, number>();
  let saying: Promise<void>[] = [];
  let sent = 0;
  async function goOn(from: number): Promise<void> {
    for (let turn = from; !work.isDone; turn += 1) {
      const statuses = await say(port, texts[turn % texts.length] ?? '');
      sent += 1;
      for (const status of statuses) seen.set(status, (seen.get(status) ?? 0) + 1);
      await pause(10);
    }
  }
  return {
    name,
    begin() {
      work.isDone = false;
      saying = Array.from({ length: 10 }, (_, n) => goOn(n));
    },
    async end() {
      work.isDone = true;
      await Promise.all(saying);
    },
    judge(): Judgement {
      // Only 4xx is correct: a 5xx is a server error, and a success means that invalid HTTP was accepted.
      const bad = [...seen.keys()].filter((status) => !status.startsWith('4'));
      const told = [...seen].toSorted().map(([status, times]) => `${status}: ${times}`);
      return {
        bypassed: 0,
        wrong: bad.map((status) => `${name} got ${status}`),
        note: `${sent} sent, responses ${told.join(', ')}`,
      };
    },
  };
}

export function clientFaults(port: number, token: string): Fault[] {
  const head = headOf(token);
  return [
    slowClients(port, head),
    halfOpenRequests(port, head),
    badHttp('oversized HTTP', port, oversized(head)),
    badHttp('malformed HTTP', port, malformed(head)),
  ];
}
