import net, { type AddressInfo } from 'node:net';
import type { TestApp } from './app.ts';

/** Raw bytes on a socket, for requests that no HTTP client would send. */

export async function listen(app: TestApp): Promise<number> {
  if (!app.server.server.listening) await app.server.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.server.address() as AddressInfo).port;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** For a server that never closes. A machine that stalls changes no answer. */
const patienceMs = 60_000;

/** Sends the bytes and reads until the server closes the connection, so requests need Connection: close. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const received = await new Promise<string>((resolve) => {
    let text = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    const timer = setTimeout(() => socket.destroy(), patienceMs);
    socket.on('data', (part) => (text += part.toString('utf8')));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    text: rest.join('\r\n\r\n'),
  };
}

export function rawRequest(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: unsaid.test', 'Connection: close', ...headers, '', body].join('\r\n');
}
