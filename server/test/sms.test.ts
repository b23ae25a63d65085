import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestOtp, verifyOtp } from '@unsaid/contract';
import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { otpMetrics } from '../src/identity/otp/otp.metrics.ts';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { createSmsDelivery } from '../src/platform/sms/delivery.ts';
import { createMsg91 } from '../src/platform/sms/msg91.ts';
import type { SmsProvider } from '../src/platform/sms/sms.ts';
import { createTwilio } from '../src/platform/sms/twilio.ts';
import { newActor, ownTestApp } from './app.ts';
import { createFakeClock, createLogSink } from './fakes.ts';

const message = { to: '+919876543210', code: '012345', use: 'sign in', text: '012345 is your Unsaid OTP.' };
/** Long, so that a busy machine is not taken for a provider that gives no response. */
const timeoutMs = 30_000;

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A behaviour of the fake provider. `isTaken` says whether it sends the message to the phone. */
interface Behaviour {
  readonly isTaken: boolean;
  answer(response: ServerResponse, good: string): void;
}

const json = { 'content-type': 'application/json' };
const behaviours = {
  well: { isTaken: true, answer: (response, good) => void response.writeHead(201, json).end(good) },
  slowly: {
    isTaken: true,
    answer: (response, good) => void setTimeout(() => response.writeHead(200, json).end(good), 100),
  },
  'with the body twice': {
    isTaken: true,
    answer: (response, good) => {
      const once = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${good.length}\r\n\r\n${good}`;
      response.socket?.write(once + once);
    },
  },
  'not at all': { isTaken: true, answer: () => {} },
  'with a closed connection': { isTaken: true, answer: (response) => void response.socket?.destroy() },
  'with a connection closed in the middle': {
    isTaken: true,
    answer: (response, good) => {
      response.writeHead(200, { ...json, 'content-length': good.length });
      response.write(good.slice(0, 5), () => response.socket?.destroy());
    },
  },
  'with a 500': {
    isTaken: true,
    answer: (response) => void response.writeHead(500).end('oops'),
  },
  'with an unreadable body': {
    isTaken: true,
    answer: (response) => void response.writeHead(200).end('<p>'),
  },
  'with an oversized body': {
    isTaken: true,
    answer: (response) => void response.writeHead(200, json).end('x'.repeat(100_000)),
  },
  'with a redirect': {
    isTaken: false,
    answer: (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  },
  'with a 400': {
    isTaken: false,
    answer: (response) => void response.writeHead(400, json).end('{}'),
  },
  'with a 401': { isTaken: false, answer: (response) => void response.writeHead(401).end() },
  'with a 429': { isTaken: false, answer: (response) => void response.writeHead(429).end() },
  'with a 503': { isTaken: false, answer: (response) => void response.writeHead(503).end() },
} as const satisfies Record<string, Behaviour>;

type BehaviourName = keyof typeof behaviours;

async function startProvider(good: string) {
  const seen: Seen[] = [];
  let behaviour: Behaviour = behaviours.well;
  let taken = 0;
  let tellAsked = () => {};
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      if (behaviour.isTaken) taken += 1;
      behaviour.answer(response, good);
      tellAsked();
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    seen,
    url: new URL(`http://127.0.0.1:${port}`),
    taken: () => taken,
    isSilent: () => behaviour === behaviours['not at all'],
    /** Resolves when the next request has arrived. */
    nextRequest: () => new Promise<void>((resolve) => (tellAsked = resolve)),
    behave(next: BehaviourName | Behaviour) {
      behaviour = typeof next === 'string' ? behaviours[next] : next;
      seen.length = 0;
      taken = 0;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const twilioServer = await startProvider('{"sid":"SM0123","status":"queued"}');
const msg91Server = await startProvider('{"type":"success","message":"0123"}');
afterAll(() => Promise.all([twilioServer.stop(), msg91Server.stop()]));

const twilioSettings = {
  url: twilioServer.url,
  accountSid: 'AC1',
  keySid: 'SK1',
  keySecret: 'secret',
  sender: 'MG1',
};
const msg91Settings = { url: msg91Server.url, authKey: 'key91', templateId: 'flow1' };
const twilio = timedOut(createTwilio(twilioSettings, { timeoutMs, validSeconds: 300 }), twilioServer);
const msg91 = timedOut(createMsg91(msg91Settings, { timeoutMs }), msg91Server);
const nowhere = new URL('http://127.0.0.1:1');

/** The provider, whose time is up as soon as a server that does not respond has the request: not sooner or later. */
function timedOut(provider: SmsProvider, server: Awaited<ReturnType<typeof startProvider>>): SmsProvider {
  return {
    name: provider.name,
    async send(one) {
      if (!server.isSilent()) return provider.send(one);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const asked = server.nextRequest();
        const sending = provider.send(one);
        await asked;
        vi.advanceTimersByTime(timeoutMs);
        return await sending;
      } finally {
        vi.useRealTimers();
      }
    },
  };
}

function deliveryThrough(...providers: SmsProvider[]) {
  const clock = createFakeClock();
  const metrics = createMetrics();
  const sink = createLogSink();
  const delivery = createSmsDelivery({ providers, clock, metrics, logger: createLogger('info', sink) });
  return { ...delivery, clock, metrics, lines: sink.lines };
}

describe('a message', () => {
  test('goes to Twilio as a form with number, text and sender, with the key, and is valid no longer than the code', async () => {
    twilioServer.behave('well');
    expect(await twilio.send(message)).toBe('accepted');
    const [{ method, path, headers, body } = {} as Seen] = twilioServer.seen;
    expect({ method, path }).toEqual({ method: 'POST', path: '/2010-04-01/Accounts/AC1/Messages.json' });
    expect(headers.authorization).toBe(`Basic ${Buffer.from('SK1:secret').toString('base64')}`);
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      To: message.to,
      MessagingServiceSid: 'MG1',
      Body: message.text,
      ValidityPeriod: '300',
    });
  });

  test('goes to Twilio with From when the sender is a number', async () => {
    twilioServer.behave('well');
    const fromNumber = { ...twilioSettings, sender: '+15005550006' };
    await createTwilio(fromNumber, { timeoutMs, validSeconds: 300 }).send(message);
    expect(new URLSearchParams(twilioServer.seen[0]?.body).get('From')).toBe('+15005550006');
  });

  test('goes to MSG91 as the registered template with the code, and the number without its plus', async () => {
    msg91Server.behave('well');
    expect(await msg91.send(message)).toBe('accepted');
    const [{ method, path, headers, body } = {} as Seen] = msg91Server.seen;
    expect({ method, path }).toEqual({ method: 'POST', path: '/api/v5/flow' });
    expect(headers['authkey']).toBe('key91');
    expect(JSON.parse(body)).toEqual({
      template_id: 'flow1',
      short_url: '0',
      recipients: [{ mobiles: '919876543210', code: '012345', use: 'sign in' }],
    });
  });

  test('does not go to a server with an untrusted certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'unsaid-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
        ...['-subj', '/CN=127.0.0.1', '-days', '1', '-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    );
    let asked = 0;
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, () => (asked += 1));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const url = new URL(`https://127.0.0.1:${port}`);
    expect(await createMsg91({ ...msg91Settings, url }, { timeoutMs }).send(message)).toBe('unavailable');
    expect(asked).toBe(0);
  });
});

describe('a provider that responds', () => {
  const expected: Record<BehaviourName, string> = {
    well: 'accepted',
    slowly: 'accepted',
    'with the body twice': 'accepted',
    'not at all': 'unknown',
    'with a closed connection': 'unknown',
    'with a connection closed in the middle': 'unknown',
    'with a 500': 'unknown',
    'with an unreadable body': 'unknown',
    'with an oversized body': 'unknown',
    'with a redirect': 'unknown',
    'with a 400': 'refused',
    'with a 401': 'unavailable',
    'with a 429': 'unavailable',
    'with a 503': 'unavailable',
  };
  for (const [name, outcome] of Object.entries(expected) as [BehaviourName, string][]) {
    test(`${name} has the outcome ${outcome} and gets one request`, async () => {
      for (const [provider, server] of [
        [twilio, twilioServer],
        [msg91, msg91Server],
      ] as const) {
        server.behave(name);
        expect(await provider.send(message)).toBe(outcome);
        expect(server.seen).toHaveLength(1);
      }
    });
  }

  test('with an error in a 200, as MSG91 does, has the outcome refused', async () => {
    const polite = await startProvider('{"type":"error","message":"template not found"}');
    onTestFinished(polite.stop);
    const provider = createMsg91({ ...msg91Settings, url: polite.url }, { timeoutMs });
    expect(await provider.send(message)).toBe('refused');
  });
});

describe('the failover to the other provider', () => {
  test('happens after a second attempt if the first is unreachable', async () => {
    msg91Server.behave('well');
    const away = createTwilio({ ...twilioSettings, url: nowhere }, { timeoutMs, validSeconds: 300 });
    const { deliver, metrics } = deliveryThrough(away, msg91);
    expect(await deliver(message)).toBe('accepted');
    expect(msg91Server.seen).toHaveLength(1);
    const { values } = await metrics.smsAttempts.get();
    expect(values.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
      { provider: 'twilio', outcome: 'unavailable', value: 2 },
      { provider: 'msg91', outcome: 'accepted', value: 1 },
    ]);
  });

  test('happens at once if the first refuses', async () => {
    msg91Server.behave('with a 400');
    twilioServer.behave('well');
    expect(await deliveryThrough(msg91, twilio).deliver(message)).toBe('accepted');
    expect([msg91Server.seen.length, twilioServer.seen.length]).toEqual([1, 1]);
  });

  test('does not happen if the first may have sent the message, and the other gets new messages first for a minute', async () => {
    msg91Server.behave('not at all');
    twilioServer.behave('well');
    const { deliver, clock } = deliveryThrough(msg91, twilio);
    expect(await deliver(message)).toBe('unknown');
    expect(twilioServer.seen).toHaveLength(0);
    expect(await deliver(message)).toBe('accepted');
    expect([msg91Server.seen.length, twilioServer.seen.length]).toEqual([1, 1]);
    msg91Server.behave('well');
    clock.advance(60_001);
    await deliver(message);
    expect(msg91Server.seen).toHaveLength(1);
  });

  test('never sends a message twice, however the two behave, and no log line contains number, code or key', async () => {
    const names = fc.constantFrom(...(Object.keys(behaviours) as BehaviourName[]));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, names), { minLength: 1, maxLength: 4 }), async (days) => {
        const { deliver, lines } = deliveryThrough(msg91, twilio);
        for (const [one, other] of days) {
          msg91Server.behave(one);
          twilioServer.behave(other);
          const outcome = await deliver(message);
          const sent = msg91Server.taken() + twilioServer.taken();
          expect(sent).toBeLessThanOrEqual(1);
          if (outcome === 'accepted') expect(sent).toBe(1);
          if (outcome === 'refused' || outcome === 'unavailable') expect(sent).toBe(0);
        }
        const written = lines.join('');
        for (const secret of ['9876543210', message.code, 'secret', 'key91']) {
          expect(written).not.toContain(secret);
        }
      }),
      { numRuns: 30 },
    );
  });
});

test('a person signs in with a code sent through Twilio, without waiting for its response', async () => {
  let respond = () => {};
  twilioServer.behave({
    isTaken: true,
    answer: (response, good) => (respond = () => void response.writeHead(201, json).end(good)),
  });
  const defaults = readConfig({ NODE_ENV: 'test' }).sms;
  const app = await ownTestApp({
    sms: { ...defaults, providers: ['twilio'], twilio: twilioSettings, timeoutMs },
  });
  const phone = '+919812345678';
  const actor = newActor();
  const asked = await app.call(requestOtp, { as: actor, body: { phone } });
  expect(asked.status).toBe(200);
  await expect.poll(() => twilioServer.seen.length).toBe(1);
  const text = new URLSearchParams(twilioServer.seen[0]?.body).get('Body') ?? '';
  const otp = text.slice(0, 6);
  expect((await app.call(verifyOtp, { as: actor, body: { phone, otp } })).status).toBe(200);
  respond();
  await app.deps.backgroundDone();
  const { values } = await otpMetrics(app.deps.metrics).codesSent.get();
  expect(values.map(({ labels, value }) => [labels.outcome, value])).toEqual([['accepted', 1]]);
});
