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
  /** Share of the day's SMS ceiling that is spent; alerts stand at 0.5, 0.8 and 1. */
  readonly smsCeilingSpent: Gauge;
  /** Share of the day's free failed tries that is used up; at 1 every code that is asked for costs work. */
  readonly failedTriesSpent: Gauge;
  readonly budgetRefusals: Counter<'budget'>;
  readonly workAsked: Counter<'reason'>;
  readonly workOffered: Counter<'outcome'>;
  readonly conversionTrips: Counter<'scope'>;
  readonly redisUnavailable: Counter;
  readonly poolWaiting: Gauge<'role'>;
  readonly copies: Counter<'of' | 'outcome'>;
  readonly jobRuns: Counter<'queue' | 'outcome'>;
  /** How long the first in line has been due. */
  readonly overdueSeconds: Gauge<'work'>;
  readonly firstCommentSeconds: Histogram;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'unsaid_http_request_seconds',
      help: 'Time to answer, by route',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    codesSent: new Counter({
      name: 'unsaid_codes_sent_total',
      help: 'One-time codes that were to be sent, by what became of them',
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
      name: 'unsaid_sms_attempt_seconds',
      help: 'Time an SMS provider took to answer',
      labelNames: ['provider'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    codeComparisons: new Counter({
      name: 'unsaid_code_comparisons_total',
      help: 'Codes compared with a stored one',
      registers,
    }),
    codesVerified: new Counter({
      name: 'unsaid_codes_verified_total',
      help: 'Answers to a code, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    smsCeilingSpent: new Gauge({
      name: 'unsaid_sms_ceiling_spent_ratio',
      help: 'Share of the daily SMS ceiling that is spent',
      registers,
    }),
    budgetRefusals: new Counter({
      name: 'unsaid_budget_refusals_total',
      help: 'Requests refused, by the budget that ran out',
      labelNames: ['budget'],
      registers,
    }),
    failedTriesSpent: new Gauge({
      name: 'unsaid_failed_tries_spent_ratio',
      help: 'Share of the failed tries a day that need no proof of work',
      registers,
    }),
    workAsked: new Counter({
      name: 'unsaid_work_asked_total',
      help: 'Requests answered with a challenge, by the budget or breaker that asked',
      labelNames: ['reason'],
      registers,
    }),
    workOffered: new Counter({
      name: 'unsaid_work_offered_total',
      help: 'Solutions that came along, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    conversionTrips: new Counter({
      name: 'unsaid_conversion_trips_total',
      help: 'Times too few codes of a country or prefix came back, so that each further one costs work',
      labelNames: ['scope'],
      registers,
    }),
    redisUnavailable: new Counter({
      name: 'unsaid_redis_unavailable_total',
      help: 'Times Redis did not answer in time',
      registers,
    }),
    poolWaiting: new Gauge({
      name: 'unsaid_database_pool_waiting',
      help: 'Requests waiting for a database connection',
      labelNames: ['role'],
      registers,
    }),
    copies: new Counter({
      name: 'unsaid_copies_total',
      help: 'Questions to the copies kept for a second, by what they are of and whether one was there',
      labelNames: ['of', 'outcome'],
      registers,
    }),
    jobRuns: new Counter({
      name: 'unsaid_jobs_total',
      help: 'Jobs that this process ran, by outcome',
      labelNames: ['queue', 'outcome'],
      registers,
    }),
    overdueSeconds: new Gauge({
      name: 'unsaid_overdue_seconds',
      help: 'How long the first in line has been due, in whole minutes: jobs, and words of people who left',
      labelNames: ['work'],
      registers,
    }),
    firstCommentSeconds: new Histogram({
      name: 'unsaid_first_comment_seconds',
      help: 'From a vent to the first comment under it, in whole minutes',
      buckets: [60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800],
      registers,
    }),
  };
}

/**
 * Asks what is overdue. A store that does not answer leaves the figure out rather than the last one standing:
 * what nobody knows must not look well.
 */
export async function measureOverdue(
  metrics: Metrics,
  work: Record<string, () => Promise<number>>,
): Promise<void> {
  await Promise.all(
    Object.entries(work).map(async ([name, overdueMs]) => {
      try {
        metrics.overdueSeconds.set({ work: name }, Math.floor((await overdueMs()) / 60_000) * 60);
      } catch {
        metrics.overdueSeconds.remove({ work: name });
      }
    }),
  );
}

/** On a port of its own, so that no proxy rule is needed to keep it private. */
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
