import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { SmsOutcome } from './sms.ts';

export interface ProviderRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/**
 * Asks a provider once. `fetch` would do, but for the one thing that matters here: when it fails, it does not say
 * whether the request had left. So every request has a connection of its own, and whatever fails before that
 * stands has certainly sent nothing.
 */
export function post(
  { url, headers, body, timeoutMs }: ProviderRequest,
  judge: (status: number, answer: unknown) => SmsOutcome,
): Promise<SmsOutcome> {
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve) => {
    let mayHaveLeft = false;
    const options: RequestOptions = {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
    };
    const asked = (isSecure ? requestHttps : requestHttp)(url, options);
    const end = (outcome: SmsOutcome) => {
      clearTimeout(timer);
      resolve(outcome);
      asked.destroy();
    };
    const giveUp = () => end(mayHaveLeft ? 'unknown' : 'unavailable');
    const timer = setTimeout(giveUp, timeoutMs);
    asked.on('error', giveUp);
    asked.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        mayHaveLeft = true;
        asked.end(body);
      }),
    );
    asked.on('response', (response) => {
      const status = response.statusCode ?? 0;
      // These say by themselves that nothing was taken.
      if (status === 401 || status === 403 || status === 429 || status === 503) return end('unavailable');
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > longestAnswer) giveUp();
      });
      response.on('error', giveUp);
      response.on('aborted', giveUp);
      response.on('end', () => end(judge(status, readJson(text))));
    });
  });
}

const longestAnswer = 65_536;

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
