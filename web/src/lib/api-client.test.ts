import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  endpoint,
  endpoints,
  commentOnVent,
  getSelf,
  reauthenticate,
  revokeSession,
  updateDetails,
  type Endpoint,
} from '@unsaid/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { ApiError, apiCall } from './api-client.ts';
import { errorText } from './error-text.ts';
import { getSession, startSession } from './session.ts';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
  idempotencyKey: string | string[] | undefined;
  body: string;
}

let server: Server;
let seen: Seen;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      const { method, url, headers } = request;
      const { authorization, 'idempotency-key': idempotencyKey } = headers;
      seen = { method, url, authorization, idempotencyKey, body };
      answer(request, response);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  // Relative URLs are resolved against the origin of the page.
  const { port } = server.address() as AddressInfo;
  (window as unknown as { happyDOM: { setURL: (url: string) => void } }).happyDOM.setURL(
    `http://127.0.0.1:${port}/`,
  );
  startSession('uns_test', 'u1');
});

afterEach(() => new Promise((closed) => server.close(closed)));

function send(status: number, body: unknown, headers: Record<string, string> = {}) {
  answer = (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const refusal = (code: string, message = 'No.') => ({ success: false, message, code, requestId: 'r1' });

async function failure(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe('apiCall', () => {
  it('fills the path, carries the token and sends JSON (S7.1)', async () => {
    send(200, { success: true });
    await apiCall(revokeSession, { params: { id: 'a/b c' } });
    expect(seen).toMatchObject({
      method: 'DELETE',
      url: revokeSession.path.replace(':id', 'a%2Fb%20c'),
      authorization: 'Bearer uns_test',
    });

    await apiCall(updateDetails, { body: { bio: 'x' } });
    expect(JSON.parse(seen.body)).toEqual({ bio: 'x' });
  });

  const writing = endpoints.filter(({ method, auth }) => method !== 'GET' && auth !== 'moderator');
  it.each(writing)('$method $path has one length, whatever is written', async (call) => {
    send(200, { success: true });
    const params = Object.fromEntries(
      Array.from(call.path.matchAll(/:(\w+)/gu), ([, name = '']) => [name, 'x'.repeat(22)]),
    );
    const lengths = new Set<number>();
    for (const text of ['', 'a few words', 'नींद'.repeat(24)]) {
      await apiCall(call, { params, ...(call.body && { body: { text } }) } as never);
      lengths.add(Buffer.byteLength(seen.body));
      if (call.body) expect(JSON.parse(seen.body)).toEqual({ text });
    }
    // A call without a body writes the same each time. A new field of an address would be read by an observer.
    expect([...lengths]).toEqual([call.body ? (call.maxBodyBytes ?? call.padToBytes ?? 4096) : 0]);
    if (!call.body && call.query)
      expect(Object.keys((call.query as unknown as { shape: object }).shape)).toEqual(['removeWords']);
  });

  it('pads longer texts to the next step, and the longest to what a proxy lets through', async () => {
    send(201, { success: true });
    const sent = async (length: number) => {
      await apiCall(commentOnVent, { body: { ventId: 'v', text: 'x'.repeat(length) } });
      return Buffer.byteLength(seen.body);
    };
    const lengths = [];
    for (const length of [3500, 3600, 7600, 7700, 15_800, 15_900, 31_900]) lengths.push(await sent(length));
    expect(lengths).toEqual([4096, 8192, 8192, 16_384, 16_384, 32_000, 32_000]);
  });

  it('sends an idempotency key, and the same one on a retry', async () => {
    send(201, { success: true });
    const request = { body: { ventId: 'v1', text: 'x' }, idempotencyKey: 'k1' };
    await apiCall(commentOnVent, request);
    expect(seen.idempotencyKey).toBe('k1');
    await apiCall(commentOnVent, { body: request.body });
    expect(seen.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/u);
    await apiCall(updateDetails, { body: {} });
    expect(seen.idempotencyKey).toBeUndefined();
  });

  it('omits undefined query parameters', async () => {
    const search: Endpoint = endpoint({
      method: 'GET',
      path: `${getSelf.path}/search`,
      summary: '',
      query: z.object({ query: z.string(), page: z.optional(z.number()) }),
      response: z.object({}),
    });
    send(200, {});
    await apiCall(search, { query: { query: 'a&b', page: undefined } } as never);
    expect(seen.url).toBe(`${getSelf.path}/search?query=a%26b`);
  });

  it("turns an error response into the server's own message (S8.1, S8.29)", async () => {
    send(409, refusal('USERNAME_TAKEN', "That name's taken. Try another."));
    const error = await failure(apiCall(getSelf));
    expect(error).toMatchObject({ status: 409, code: 'USERNAME_TAKEN', requestId: 'r1' });
    expect(errorText(error, 'fallback')).toBe("That name's taken. Try another.");
  });

  it('uses the fallback of the specification for a foreign response (S8.2)', async () => {
    answer = (_, response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    expect(errorText(await failure(apiCall(getSelf)), 'Failed to send OTP')).toBe('Failed to send OTP');
  });

  it('reads Retry-After', async () => {
    send(429, refusal('OTP_RATE_LIMITED', 'Too many OTPs for now. Try again later.'), {
      'retry-after': '150',
    });
    expect(errorText(await failure(apiCall(getSelf)), '')).toBe(
      'Too many OTPs for now. Try again in 3 minutes.',
    );
  });

  it('ends the session on a 401, but not on a wrong code', async () => {
    send(401, refusal('OTP_INVALID', 'Invalid OTP'));
    await failure(apiCall(reauthenticate, { body: { phone: '+911', otp: '123456' } }));
    expect(getSession().isSignedIn).toBe(true);

    send(401, refusal('UNAUTHENTICATED'));
    await failure(apiCall(getSelf));
    expect(getSession()).toEqual({ isSignedIn: false, endedBy: 'expired' });
  });

  it('does not end a newer session when an older token is rejected', async () => {
    answer = (_, response) => {
      startSession('uns_newer', 'u1');
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify(refusal('UNAUTHENTICATED')));
    };
    await failure(apiCall(getSelf));
    expect(getSession().isSignedIn).toBe(true);
  });

  it('stays signed in when the server is unreachable', async () => {
    answer = (request) => request.socket.destroy();
    const error = await failure(apiCall(getSelf));
    expect(error.kind).toBe('network');
    expect(errorText(error, 'fallback')).toMatch(/Couldn't reach Unsaid/u);
    expect(getSession().isSignedIn).toBe(true);
  });

  it('reports no failure when the caller has cancelled', async () => {
    const left = new AbortController();
    answer = vi.fn(() => left.abort());
    await expect(apiCall(getSelf, { signal: left.signal })).rejects.not.toBeInstanceOf(ApiError);
  });
});
