import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { median } from './part.ts';

/** Receives the traces of a server (OTLP over HTTP) and sums up where the time of a route went. */
export interface TraceCollector {
  readonly endpoint: string;
  /** The steps of a route in the order in which they begin, with their median times; the whole comes first. */
  stepsOf(route: string): Step[];
  close(): void;
}

export interface Step {
  readonly name: string;
  /** After the beginning of the request. */
  readonly beginsMs: number;
  readonly tookMs: number;
}

interface Span {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const beginOf = ({ startTimeUnixNano }: Span) => Number(BigInt(startTimeUnixNano) / 1000n) / 1000;
const endOf = ({ endTimeUnixNano }: Span) => Number(BigInt(endTimeUnixNano) / 1000n) / 1000;

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(text) as Export;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function stepsOf(route: string): Step[] {
    const traces = [...Map.groupBy(spans, ({ traceId }) => traceId).values()]
      .filter((trace) => trace.some(({ name, parentSpanId }) => !parentSpanId && name === route))
      .map((trace) => trace.toSorted((a, b) => beginOf(a) - beginOf(b)));
    // Only requests that did the same number of things can be compared step by step.
    const usual = median(traces.map(({ length }) => length));
    const alike = traces.filter(({ length }) => length === usual);
    return Array.from({ length: alike.length === 0 ? 0 : usual }, (_, n) => {
      const each = alike.map((trace) => ({ root: trace[0] as Span, span: trace[n] as Span }));
      return {
        name: each[0]?.span.name ?? '',
        beginsMs: median(each.map(({ root, span }) => beginOf(span) - beginOf(root))),
        tookMs: median(each.map(({ span }) => endOf(span) - beginOf(span))),
      };
    });
  }

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stepsOf,
    close: () => void server.close(),
  };
}
