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
 * Sends one request to a provider. Not `fetch`: when that fails, it does not say whether the request was sent. Here every
 * request has a connection of its own, so a failure before it is established means that nothing was sent.
 */
export function post(
  { url, headers, body, timeoutMs }: ProviderRequest,
  classify: (status: number, body: unknown) => SmsOutcome,
): Promise<SmsOutcome> {
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve) => {
    let mayBeSent = false;
    const options: RequestOptions = {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
    };
    const outgoing = (isSecure ? requestHttps : requestHttp)(url, options);
    const end = (outcome: SmsOutcome) => {
      clearTimeout(timer);
      resolve(outcome);
      outgoing.destroy();
    };
    const fail = () => end(mayBeSent ? 'unknown' : 'unavailable');
    const timer = setTimeout(fail, timeoutMs);
    outgoing.on('error', fail);
    outgoing.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        mayBeSent = true;
        outgoing.end(body);
      }),
    );
    outgoing.on('response', (response) => {
      const status = response.statusCode ?? 0;
      // With these statuses the message was not accepted.
      if (status === 401 || status === 403 || status === 429 || status === 503) return end('unavailable');
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > maxResponseChars) fail();
      });
      response.on('error', fail);
      response.on('aborted', fail);
      response.on('end', () => end(classify(status, parseJson(text))));
    });
  });
}

const maxResponseChars = 65_536;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
