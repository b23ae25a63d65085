import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getUser, listVents } from '@unsaid/contract';
import { expect, onTestFinished, test } from 'vitest';
import { ownTestApp, startTestApp } from './app.ts';
import { makeUser, makeVent } from './make.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { readonly key: string; readonly value: unknown }[];
}

/** A collector as a deployment would have one: takes what is posted to it. */
async function startCollector() {
  const received: { path: string; text: string }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      received.push({ path: `${request.method} ${request.url}`, text });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const spans = () =>
    received.flatMap(
      ({ text }) =>
        (JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans[0]
          ?.scopeSpans[0]?.spans ?? [],
    );
  return { url: new URL(`http://127.0.0.1:${port}/otlp`), received, spans };
}

test('a trace has the route, its outcome and what was waited for, and nothing of anybody', async () => {
  const collector = await startCollector();
  const app = await startTestApp({ tracesEndpoint: collector.url });
  const me = await makeUser(app);
  const vent = await makeVent(app, me, { title: 'A canary in the title' });
  const claimed = 'a'.repeat(32);
  const headers = { traceparent: `00-${claimed}-${'b'.repeat(16)}-01` };
  const listed = await app.call(listVents, { as: me, headers });
  await app.call(getUser, { as: me, params: { id: me.user._id } });
  await app.close();

  expect(collector.received[0]?.path).toBe('POST /otlp/v1/traces');
  const spans = collector.spans();
  const root = spans.find(({ name }) => name === 'GET /api/vent/all');
  expect(root?.parentSpanId).toBeUndefined();
  expect(root?.attributes.map(({ key }) => key)).toEqual([
    'http.request.method',
    'http.route',
    'http.response.status_code',
  ]);
  const parts = spans.filter(({ traceId, spanId }) => traceId === root?.traceId && spanId !== root?.spanId);
  expect(parts.map(({ name }) => name)).toContain('content select');
  expect(parts.every(({ parentSpanId }) => parentSpanId === root?.spanId)).toBe(true);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));

  // Every name is one of a few that our own code gives.
  const names = new Set(spans.map(({ name }) => name));
  const known =
    /^(?:(?:GET|POST) \/api\/[a-z/-]+(?::id)?|(?:identity|content|search|matching) (?:connection|\w+)|redis)$/u;
  for (const name of names) expect(name).toMatch(known);
  const text = collector.received.map((post) => post.text).join('');
  const secrets = [me.token, me.phone.slice(3), me.user._id, vent.id, 'canary', me.address ?? '-', claimed];
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(JSON.stringify(listed.headers)).not.toContain(root?.traceId);
});

test('without an endpoint there are no traces, and a collector that is away costs nobody an answer', async () => {
  const app = await ownTestApp({ tracesEndpoint: new URL('http://127.0.0.1:9') });
  const me = await makeUser(app);
  expect((await app.call(listVents, { as: me })).status).toBe(200);
  expect((await ownTestApp()).config.tracesEndpoint).toBeNull();
});
