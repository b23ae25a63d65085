import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/**
 * Where the time of a request went, for a collector that speaks OTLP over HTTP. Off unless an endpoint is set.
 * A span has a name from our own code (a route's template, a room and a verb), a status and times: no statement, no
 * value, no address, no id of anything but the trace itself. A trace that a client claims to be part of is not
 * believed, and ours is told to nobody: whoever could name one could find their request among everybody's.
 */
export interface Traces {
  /** Within a request it becomes a part of that request's trace; elsewhere nothing is kept. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>;
  register(app: FastifyInstance): void;
  close(): Promise<void>;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { stringValue: string } | { intValue: number };
  }[];
  readonly status: { readonly code: number };
}

interface Running {
  readonly traceId: string;
  readonly spanId: string;
}

const [server, client] = [2, 3];
const [unset, error] = [0, 2];
/** A collector that is away must not fill the memory. */
const maxWaiting = 4096;
const sendEveryMs = 5000;

const id = (bytes: number) => randomBytes(bytes).toString('hex');
/** Real time: a trace is about waiting. In nanoseconds, as text, which is how the format wants it. */
const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n;

export const noTraces: Traces = {
  span: (_name, work) => work(),
  register() {},
  async close() {},
};

export function createTraces(endpoint: URL): Traces {
  const running = new AsyncLocalStorage<Running>();
  let waiting: Span[] = [];
  const keep = (span: Span) => waiting.length < maxWaiting && waiting.push(span);

  async function send(): Promise<void> {
    const spans = waiting;
    waiting = [];
    if (spans.length === 0) return;
    const body = JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'unsaid' } }] },
          scopeSpans: [{ scope: { name: 'unsaid' }, spans }],
        },
      ],
    });
    // What does not arrive is lost: traces are samples, not records.
    await fetch(new URL('v1/traces', endpoint.href.endsWith('/') ? endpoint : `${endpoint.href}/`), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(sendEveryMs),
    }).then(
      (answer) => answer.body?.cancel(),
      () => {},
    );
  }
  const timer = setInterval(() => void send(), sendEveryMs).unref();

  return {
    async span(name, work) {
      const parent = running.getStore();
      if (!parent) return work();
      const begun = now();
      let code = unset;
      try {
        return await work();
      } catch (failure) {
        code = error;
        throw failure;
      } finally {
        keep({
          traceId: parent.traceId,
          spanId: id(8),
          parentSpanId: parent.spanId,
          name,
          kind: client,
          startTimeUnixNano: String(begun),
          endTimeUnixNano: String(now()),
          attributes: [],
          status: { code },
        });
      }
    },
    register(app) {
      const begun = new WeakMap<object, Running & { readonly at: bigint }>();
      app.addHook('onRequest', (request, _reply, done) => {
        const root = { traceId: id(16), spanId: id(8), at: now() };
        begun.set(request, root);
        running.run(root, done);
      });
      app.addHook('onResponse', (request, reply, done) => {
        const root = begun.get(request);
        const route = request.routeOptions.url ?? 'none';
        if (root)
          keep({
            traceId: root.traceId,
            spanId: root.spanId,
            name: `${request.method} ${route}`,
            kind: server,
            startTimeUnixNano: String(root.at),
            endTimeUnixNano: String(now()),
            attributes: [
              { key: 'http.request.method', value: { stringValue: request.method } },
              { key: 'http.route', value: { stringValue: route } },
              { key: 'http.response.status_code', value: { intValue: reply.statusCode } },
            ],
            status: { code: reply.statusCode >= 500 ? error : unset },
          });
        done();
      });
    },
    async close() {
      clearInterval(timer);
      await send();
    },
  };
}
