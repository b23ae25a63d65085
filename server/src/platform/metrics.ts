import { createServer, type Server } from 'node:http';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Without labels, or with those named last. */
function makersIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string = string>(name: string, help: string, ...labelNames: L[]) =>
      new Counter<L>({ name, help, labelNames, registers }),
    gauge: <L extends string = string>(name: string, help: string, ...labelNames: L[]) =>
      new Gauge<L>({ name, help, labelNames, registers }),
    histogram: <L extends string = string>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: L[]
    ) => new Histogram<L>({ name, help, buckets, labelNames, registers }),
  };
}

export interface Registered {
  readonly registry: Registry;
}

const definitions: ((metrics: Registered) => unknown)[] = [];

/**
 * The metrics of a feature, which the platform does not know. Called while modules load, so that every `createMetrics`
 * after that registers them, and a scrape shows them before their first value.
 */
export function defineMetrics<T>(
  make: (makers: ReturnType<typeof makersIn>) => T,
): (metrics: Registered) => T {
  const made = new WeakMap<Registry, T>();
  const metricsOf = ({ registry }: Registered): T => {
    const own = made.get(registry) ?? make(makersIn(registry));
    made.set(registry, own);
    return own;
  };
  definitions.push(metricsOf);
  return metricsOf;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Those of the platform. */
export function createMetrics() {
  const registry = new Registry();
  const { counter, gauge, histogram } = makersIn(registry);
  for (const metricsOf of definitions) metricsOf({ registry });
  return {
    registry,
    requestSeconds: histogram(
      'unsaid_http_request_duration_seconds',
      'Duration of HTTP requests, by route template',
      [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      'method',
      'route',
      'status',
    ),
    smsAttempts: counter(
      'unsaid_sms_attempts_total',
      'Requests to an SMS provider, by outcome',
      'provider',
      'outcome',
    ),
    smsSeconds: histogram(
      'unsaid_sms_attempt_duration_seconds',
      'Duration of requests to an SMS provider',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      'provider',
    ),
    rateLimited: counter(
      'unsaid_rate_limited_total',
      'Requests rejected with 429, by the exhausted budget',
      'budget',
    ),
    redisUnavailable: counter('unsaid_redis_unavailable_total', 'Redis commands that failed or timed out'),
    poolWaiting: gauge(
      'unsaid_database_pool_waiting_requests',
      'Requests waiting for a connection, by pool',
      'pool',
    ),
    standbyLagSeconds: gauge(
      'unsaid_standby_lag_seconds',
      'How far the content that can be read from the standby is behind; 0 without one',
    ),
    contentReads: counter(
      'unsaid_content_reads_total',
      'Reads that a standby may serve: there, or on the primary because pinned, shared or fallback',
      'to',
    ),
    cacheRequests: counter(
      'unsaid_cache_requests_total',
      'Local cache lookups, by cache and result',
      'cache',
      'result',
    ),
    jobRuns: counter(
      'unsaid_job_runs_total',
      'Job runs of this process, by queue and outcome',
      'queue',
      'outcome',
    ),
    jobRowsFailed: counter('unsaid_job_rows_failed_total', 'Rows that a job could not do, by queue', 'queue'),
    jobRowsPutAside: gauge(
      'unsaid_job_rows_put_aside',
      'Rows that a job tried for a day and tries no longer, by queue; of the last run of this process',
      'queue',
    ),
    overdueSeconds: gauge(
      'unsaid_oldest_overdue_seconds',
      'Age of the oldest overdue item in whole minutes, by kind: jobs, erasures of deleted accounts',
      'kind',
    ),
    /** Counts only: by rule, never by person, and in no log. */
    guardRefusals: counter(
      'unsaid_guard_refusals_total',
      'Texts that a guard refused before they were stored, by rule',
      'rule',
    ),
    misfitSeals: counter(
      'unsaid_misfit_seals_total',
      'Rows that were read and that this service did not write, by kind',
      'row',
    ),
    keysMissing: gauge(
      'unsaid_master_keys_missing',
      'Data keys that the master key of this process does not open, or whose row is missing',
    ),
    liveSockets: gauge('unsaid_live_sockets', 'Open live connections of this process'),
    liveHandshakes: counter(
      'unsaid_live_handshakes_total',
      'Handshakes of live connections, by outcome',
      'outcome',
    ),
    liveClosed: counter('unsaid_live_closed_total', 'Closed live connections, by close code', 'code'),
    liveFrames: counter('unsaid_live_frames_total', 'Frames sent over live connections, by kind', 'kind'),
  };
}

/**
 * Sets the age of the oldest overdue item of each kind. If a query fails the series is removed: a stale value would
 * look healthy, and a missing one raises an alert.
 */
export async function measureOverdue(
  metrics: Metrics,
  overdueByKind: Record<string, () => Promise<number>>,
): Promise<void> {
  await Promise.all(
    Object.entries(overdueByKind).map(async ([name, overdueMs]) => {
      try {
        metrics.overdueSeconds.set({ kind: name }, Math.floor((await overdueMs()) / 60_000) * 60);
      } catch {
        metrics.overdueSeconds.remove({ kind: name });
      }
    }),
  );
}

/** On its own port, so that no proxy rule is needed to keep it private. */
export async function serveMetrics(
  metrics: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
  beforeScrape: () => Promise<void>,
): Promise<Server> {
  collectDefaultMetrics({ register: metrics.registry });
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void beforeScrape()
      .then(() => metrics.registry.metrics())
      .then((text) => {
        response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
      })
      // A scrape that fails is a process that is down, to Prometheus.
      .catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return server;
}
