import { createServer, type Server } from 'node:http';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  readonly requestSeconds: Histogram<'method' | 'route' | 'status'>;
  readonly codesSent: Counter<'outcome'>;
  readonly smsAttempts: Counter<'provider' | 'outcome'>;
  readonly smsSeconds: Histogram<'provider'>;
  readonly codeComparisons: Counter;
  readonly codesVerified: Counter<'outcome'>;
  /** Used share of the daily SMS ceiling; alerts fire at 0.5, 0.8 and 1. */
  readonly smsCeilingSpent: Gauge;
  /** Used share of the daily wrong codes without proof of work; at 1 every code request requires it. */
  readonly failedTriesSpent: Gauge;
  readonly rateLimited: Counter<'budget'>;
  readonly powRequired: Counter<'reason'>;
  readonly powSubmitted: Counter<'outcome'>;
  readonly smsConversionLow: Counter<'scope'>;
  readonly redisUnavailable: Counter;
  readonly poolWaiting: Gauge<'pool'>;
  readonly cacheRequests: Counter<'cache' | 'result'>;
  readonly jobRuns: Counter<'queue' | 'outcome'>;
  /** Age of the oldest overdue item. */
  readonly overdueSeconds: Gauge<'kind'>;
  readonly firstCommentSeconds: Histogram;
  /** Counts only: by rule, never by person, and in no log. */
  readonly guardRefusals: Counter<'rule'>;
  /** 1 where the nightly check found an entry of the audit log that does not fit its chain. */
  readonly auditBroken: Gauge;
  readonly reports: Counter<'reason'>;
  readonly casesWaiting: Gauge<'severity'>;
  readonly casesOverdue: Gauge<'severity'>;
  readonly liveSockets: Gauge;
  readonly liveHandshakes: Counter<'outcome'>;
  readonly liveClosed: Counter<'code'>;
  readonly liveFrames: Counter<'kind'>;
  readonly liveReads: Counter<'cause'>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'unsaid_http_request_duration_seconds',
      help: 'Duration of HTTP requests, by route template',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    codesSent: new Counter({
      name: 'unsaid_codes_sent_total',
      help: 'One-time codes handed to SMS delivery, by final outcome',
      labelNames: ['outcome'],
      registers,
    }),
    smsAttempts: new Counter({
      name: 'unsaid_sms_attempts_total',
      help: 'Requests to an SMS provider, by outcome',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    smsSeconds: new Histogram({
      name: 'unsaid_sms_attempt_duration_seconds',
      help: 'Duration of requests to an SMS provider',
      labelNames: ['provider'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    codeComparisons: new Counter({
      name: 'unsaid_code_comparisons_total',
      help: 'Submitted codes that were compared with a stored code',
      registers,
    }),
    codesVerified: new Counter({
      name: 'unsaid_code_verifications_total',
      help: 'Code verification attempts, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    smsCeilingSpent: new Gauge({
      name: 'unsaid_sms_ceiling_spent_ratio',
      help: 'Used share of the daily SMS ceiling, 0 to 1',
      registers,
    }),
    rateLimited: new Counter({
      name: 'unsaid_rate_limited_total',
      help: 'Requests rejected with 429, by the exhausted budget',
      labelNames: ['budget'],
      registers,
    }),
    failedTriesSpent: new Gauge({
      name: 'unsaid_failed_tries_spent_ratio',
      help: 'Used share of the daily wrong codes that need no proof of work, 0 to 1',
      registers,
    }),
    powRequired: new Counter({
      name: 'unsaid_pow_required_total',
      help: 'Requests that required proof of work, by the budget or breaker that required it',
      labelNames: ['reason'],
      registers,
    }),
    powSubmitted: new Counter({
      name: 'unsaid_pow_submitted_total',
      help: 'Proof-of-work solutions submitted, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    smsConversionLow: new Counter({
      name: 'unsaid_sms_conversion_low_total',
      help: 'Times the SMS conversion breaker opened: too few codes sent to a country or prefix were verified',
      labelNames: ['scope'],
      registers,
    }),
    redisUnavailable: new Counter({
      name: 'unsaid_redis_unavailable_total',
      help: 'Redis commands that failed or timed out',
      registers,
    }),
    poolWaiting: new Gauge({
      name: 'unsaid_database_pool_waiting_requests',
      help: 'Requests waiting for a connection, by pool',
      labelNames: ['pool'],
      registers,
    }),
    cacheRequests: new Counter({
      name: 'unsaid_cache_requests_total',
      help: 'Local cache lookups, by cache and result',
      labelNames: ['cache', 'result'],
      registers,
    }),
    jobRuns: new Counter({
      name: 'unsaid_job_runs_total',
      help: 'Job runs of this process, by queue and outcome',
      labelNames: ['queue', 'outcome'],
      registers,
    }),
    overdueSeconds: new Gauge({
      name: 'unsaid_oldest_overdue_seconds',
      help: 'Age of the oldest overdue item in whole minutes, by kind: jobs, erasures of deleted accounts',
      labelNames: ['kind'],
      registers,
    }),
    firstCommentSeconds: new Histogram({
      name: 'unsaid_first_comment_seconds',
      help: 'Time from a vent to its first comment, in whole minutes',
      buckets: [60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800],
      registers,
    }),
    guardRefusals: new Counter({
      name: 'unsaid_guard_refusals_total',
      help: 'Texts that a guard refused before they were stored, by rule',
      labelNames: ['rule'],
      registers,
    }),
    auditBroken: new Gauge({
      name: 'unsaid_audit_broken',
      help: 'Whether the hash chain of the audit log is broken, by the last nightly check: 0 or 1',
      registers,
    }),
    reports: new Counter({
      name: 'unsaid_reports_total',
      help: 'Reports of vents, comments and profiles, by reason',
      labelNames: ['reason'],
      registers,
    }),
    casesWaiting: new Gauge({
      name: 'unsaid_cases_waiting',
      help: 'Cases that wait for a moderator, by severity',
      labelNames: ['severity'],
      registers,
    }),
    casesOverdue: new Gauge({
      name: 'unsaid_cases_overdue',
      help: 'Waiting cases that are past their time, by severity',
      labelNames: ['severity'],
      registers,
    }),
    liveSockets: new Gauge({
      name: 'unsaid_live_sockets',
      help: 'Open live connections of this process',
      registers,
    }),
    liveHandshakes: new Counter({
      name: 'unsaid_live_handshakes_total',
      help: 'Handshakes of live connections, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    liveClosed: new Counter({
      name: 'unsaid_live_closed_total',
      help: 'Closed live connections, by close code',
      labelNames: ['code'],
      registers,
    }),
    liveFrames: new Counter({
      name: 'unsaid_live_frames_total',
      help: 'Frames sent over live connections, by kind',
      labelNames: ['kind'],
      registers,
    }),
    liveReads: new Counter({
      name: 'unsaid_live_reads_total',
      help: 'People whose unread things were counted, by cause: tick, content (a recount of content), request',
      labelNames: ['cause'],
      registers,
    }),
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
  port: number,
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
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return server;
}
