import { randomBytes, randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  commentOnVent,
  createVent,
  react,
  reactionTypes,
  type Endpoint,
  type ReactionType,
} from '@unsaid/contract';
import { vocabulary, wordAt } from '../../server/seed/benchmark-texts.ts';

/** Clients that write without pause, retry, and record every acknowledged write. */

export interface Remembered {
  /** Acknowledged writes of all kinds. */
  acknowledged: number;
  /** Texts of the acknowledged vents and comments. */
  readonly words: string[];
  /** For each client, the last acknowledged state of each reaction. */
  readonly reactions: Map<ReactionType, boolean>[];
  /** Writes whose first attempt failed. */
  failedAtFirst: number;
  /** Writes that failed after all retries. */
  failedForGood: number;
  /** Responses that are neither a success nor a 503 with its code. */
  readonly strange: string[];
  /** The longest time without an acknowledgement. */
  longestSilenceMs: number;
}

/** Never said before, of letters alone: digits could look like a number to the guard. */
export const randomWords = () => Array.from({ length: 4 }, () => wordAt(randomInt(vocabulary))).join(' ');

export interface Writers {
  readonly remembered: Remembered;
  stop(): Promise<void>;
}

interface WritersOptions {
  readonly port: number;
  readonly tokens: readonly string[];
  readonly ventId: string;
  readonly retryForMs: number;
}

interface WriteResult {
  readonly status: number;
  readonly code: string;
}

interface Write {
  readonly endpoint: Endpoint;
  readonly body: object;
  /** After the acknowledgement. */
  remember(): void;
  /** After giving up: the outcome is unknown. */
  forget(): void;
}

function send(port: number, agent: Agent, token: string, key: string, { endpoint, body }: Write) {
  const payload = JSON.stringify(body);
  return new Promise<WriteResult>((resolve) => {
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
        answer.on('error', () => resolve({ status: 0, code: 'broken response' }));
        answer.on('end', () => {
          let code = '';
          try {
            code = (JSON.parse(text) as { code?: string }).code ?? '';
          } catch {
            code = 'unreadable response';
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
    acknowledged: 0,
    words: [],
    reactions: tokens.map(() => new Map<ReactionType, boolean>()),
    failedAtFirst: 0,
    failedForGood: 0,
    strange: [],
    longestSilenceMs: 0,
  };
  const work = { isDone: false };
  let lastSuccessAt = performance.now();

  /** A vent, a comment, and a reaction set or removed, in turn. */
  function writeAt(position: number, turn: number): Write {
    if (turn % 3 === 2) {
      const kind = reactionTypes[Math.floor(turn / 3) % reactionTypes.length] ?? 'heart';
      const active = Math.floor(turn / 9) % 2 === 0;
      const known = remembered.reactions[position];
      return {
        endpoint: react,
        body: { ventId, reactionType: kind, active },
        remember: () => known?.set(kind, active),
        forget: () => known?.delete(kind),
      };
    }
    const text = randomWords();
    const remember = () => void remembered.words.push(text);
    const forget = () => {};
    return turn % 3 === 0
      ? {
          endpoint: createVent,
          body: { title: 'While things break', text, emotion: 'Sad' },
          remember,
          forget,
        }
      : { endpoint: commentOnVent, body: { ventId, text }, remember, forget };
  }

  async function write(position: number, token: string, turn: number): Promise<void> {
    const one = writeAt(position, turn);
    const key = randomBytes(12).toString('base64url');
    const giveUpAt = performance.now() + retryForMs;
    for (let attempt = 0; ; attempt += 1) {
      const { status, code } = await send(port, agent, token, key, one);
      if (status === 200 || status === 201) {
        const now = performance.now();
        remembered.longestSilenceMs = Math.max(remembered.longestSilenceMs, now - lastSuccessAt);
        lastSuccessAt = now;
        remembered.acknowledged += 1;
        one.remember();
        return;
      }
      if (status !== 0 && !(status === 503 && code === 'TEMPORARILY_UNAVAILABLE'))
        remembered.strange.push(`${status} ${code}`);
      if (attempt === 0) remembered.failedAtFirst += 1;
      if (performance.now() > giveUpAt) {
        remembered.failedForGood += 1;
        one.forget();
        return;
      }
      await pause(250);
    }
  }

  const working = tokens.map(async (token, position) => {
    for (let turn = position; !work.isDone; turn += 1) {
      await write(position, token, turn);
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
