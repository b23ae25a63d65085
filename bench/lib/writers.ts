import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { commentOnVent, createVent, type Endpoint } from '@unsaid/contract';

/** People who go on writing whatever happens, and remember every word that was acknowledged. */

export interface Remembered {
  /** The words of what was acknowledged with 201. */
  readonly acknowledged: string[];
  /** Writes whose first attempt failed: what a person without a retry would have seen. */
  failedAtFirst: number;
  /** Writes that failed in spite of all retries. */
  failedForGood: number;
  /** Answers that no fault excuses: neither a success nor a 503 with its code. */
  readonly strange: string[];
  attempts: number;
  lastSuccessAt: number;
}

export interface Writers {
  readonly remembered: Remembered;
  /** Successes since the last call. */
  stop(): Promise<void>;
}

interface WritersOptions {
  /** Where the service is; may change when a process is restarted. */
  readonly port: () => number;
  readonly tokens: readonly string[];
  readonly ventId: string;
  readonly retryForMs: number;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Told {
  readonly status: number;
  readonly code: string;
}

function send(port: number, agent: Agent, endpoint: Endpoint, token: string, key: string, body: object) {
  const payload = JSON.stringify(body);
  return new Promise<Told>((resolve) => {
    const asked = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method: endpoint.method,
        path: endpoint.path,
        timeout: 8000,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
          'idempotency-key': key,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (text += part));
        answer.on('error', () => resolve({ status: 0, code: 'broken answer' }));
        answer.on('end', () => {
          let code = '';
          try {
            code = (JSON.parse(text) as { code?: string }).code ?? '';
          } catch {
            code = 'unreadable answer';
          }
          resolve({ status: answer.statusCode ?? 0, code });
        });
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', (error: NodeJS.ErrnoException) => resolve({ status: 0, code: error.code ?? 'error' }));
    asked.end(payload);
  });
}

export function startWriters({ port, tokens, ventId, retryForMs }: WritersOptions): Writers {
  const agent = new Agent({ keepAlive: true, maxSockets: tokens.length });
  const remembered: Remembered = {
    acknowledged: [],
    failedAtFirst: 0,
    failedForGood: 0,
    strange: [],
    attempts: 0,
    lastSuccessAt: 0,
  };
  const work = { isDone: false };

  async function write(token: string, turn: number): Promise<void> {
    const words = `kept ${randomBytes(9).toString('base64url')}`;
    const key = randomBytes(12).toString('base64url');
    const isVent = turn % 2 === 0;
    const endpoint = isVent ? createVent : commentOnVent;
    const body = isVent
      ? { title: 'While things break', text: words, emotion: 'Sad' }
      : { ventId, text: words };
    const giveUpAt = performance.now() + retryForMs;
    for (let attempt = 0; ; attempt += 1) {
      remembered.attempts += 1;
      const { status, code } = await send(port(), agent, endpoint, token, key, body);
      if (status === 201) {
        remembered.acknowledged.push(words);
        remembered.lastSuccessAt = performance.now();
        return;
      }
      if (status !== 0 && !(status === 503 && code === 'TEMPORARILY_UNAVAILABLE'))
        remembered.strange.push(`${status} ${code}`);
      if (attempt === 0) remembered.failedAtFirst += 1;
      if (performance.now() > giveUpAt) {
        remembered.failedForGood += 1;
        return;
      }
      await pause(250);
    }
  }

  const working = tokens.map(async (token, position) => {
    for (let turn = position; !work.isDone; turn += 1) {
      await write(token, turn);
      await pause(20);
    }
  });
  return {
    remembered,
    async stop() {
      work.isDone = true;
      await Promise.all(working);
      agent.destroy();
    },
  };
}
