import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/**
 * A TCP relay in front of PostgreSQL that records statements and their values, so that the bare engine can be measured
 * with exactly what the server sends.
 */

export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

export interface StatementTap {
  /** The database through the relay. */
  readonly url: string;
  /** The statements since the last call. */
  take(): Statement[];
  close(): void;
}

/** Parses the frontend protocol: type byte, length, body. The startup message has no type byte. */
function createMessageReader(onMessage: (type: string, body: Buffer) => void) {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (bytes: Buffer): void => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      if (isStarted) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, end));
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}

function createFieldReader(body: Buffer) {
  let at = 0;
  const int16 = () => body.readInt16BE((at += 2) - 2);
  return {
    text(): string {
      const end = body.indexOf(0, at);
      const text = body.toString('utf8', at, end);
      at = end + 1;
      return text;
    },
    int16,
    bytes(): Buffer {
      const length = body.readInt32BE(at);
      if (length < 0) throw new Error('null value: pgbench cannot bind one');
      at += 4 + length;
      return body.subarray(at - length, at);
    },
  };
}

function noteStatements(note: (statement: Statement) => void) {
  const prepared = new Map<string, string>();
  return createMessageReader((type, body) => {
    const fields = createFieldReader(body);
    if (type === 'P') prepared.set(fields.text(), fields.text());
    if (type !== 'B') return;
    fields.text();
    const text = prepared.get(fields.text()) ?? '';
    const formats = Array.from({ length: fields.int16() }, fields.int16);
    const values = Array.from({ length: fields.int16() }, (_, index) => {
      const isBinary = formats[formats.length > 1 ? index : 0] === 1;
      const bytes = fields.bytes();
      return isBinary ? `\\x${bytes.toString('hex')}` : bytes.toString('utf8');
    });
    note({ text, values });
  });
}

function addressOf(url: URL): NetConnectOpts {
  const port = Number(url.port || 5432);
  // Debian's PostgreSQL accepts local users by Unix socket only.
  const folder = url.searchParams.get('host');
  return folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: url.hostname, port };
}

export async function startStatementTap(databaseUrl: string): Promise<StatementTap> {
  const url = new URL(databaseUrl);
  const address = addressOf(url);
  const sockets = new Set<Socket>();
  let seen: Statement[] = [];
  const server = createServer((client) => {
    const upstream = connect(address);
    const read = noteStatements((statement) => seen.push(statement));
    client.on('data', read);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  url.search = '';
  return {
    url: url.href,
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
