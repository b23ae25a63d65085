import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Logger } from './logger.ts';
import { describeFault } from './logger.ts';
import { connectionOf, jobsSchema, type Logins } from './logins.ts';
import type { Metrics } from './metrics.ts';

/** A background job. It has no payload: the queue must not store what people wrote. */
interface NamedJob {
  readonly name: string;
  run(): Promise<void>;
}

interface ScheduledJob extends NamedJob {
  /** A cron expression, in UTC. */
  readonly cron: string;
}

interface RecurringJob extends NamedJob {
  /** From the end of one run to the next, plus or minus half: for jobs whose exact times must not be predictable. */
  readonly jitteredIntervalSeconds: number;
}

export type Job = ScheduledJob | RecurringJob;

const pauseSeconds = 30;

export interface Jobs {
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface JobsDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Runs are put off for a while. */
  readonly isPaused?: () => boolean;
}

export function createJobs(
  logins: Logins,
  jobs: readonly Job[],
  { logger, metrics, isPaused }: JobsDeps,
): Jobs {
  const boss = new PgBoss({
    ...connectionOf(logins, 'jobs'),
    schema: jobsSchema,
    application_name: 'unsaid-jobs',
    max: 4,
    migrate: false,
    createSchema: false,
  });
  boss.on('error', (error) => logger.warn({ event: 'job_queue_error', ...describeFault(error) }));
  const sendNext = ({ name, jitteredIntervalSeconds }: RecurringJob) =>
    boss.send(
      name,
      {},
      {
        startAfter: randomInt(
          Math.ceil(jitteredIntervalSeconds / 2),
          Math.ceil(jitteredIntervalSeconds * 1.5) + 1,
        ),
      },
    );
  return {
    async start() {
      await boss.start();
      for (const job of jobs) {
        // Finished jobs are deleted within a day: their times could be compared with the times of content.
        await boss.createQueue(job.name, {
          retryLimit: 5,
          retryBackoff: true,
          deleteAfterSeconds: 86_400,
          // At most one queued run: every worker enqueues the next run, and they must not add up.
          ...('cron' in job ? {} : { policy: 'stately' }),
        });
        if ('cron' in job) await boss.schedule(job.name, job.cron);
        else await sendNext(job);
        await boss.work(job.name, async () => {
          if (isPaused?.()) {
            if ('cron' in job) await boss.send(job.name, {}, { startAfter: pauseSeconds });
            else await sendNext(job);
            return;
          }
          try {
            await job.run();
            metrics.jobRuns.inc({ queue: job.name, outcome: 'completed' });
          } catch (error) {
            metrics.jobRuns.inc({ queue: job.name, outcome: 'failed' });
            throw error;
          } finally {
            if (!('cron' in job)) await sendNext(job);
          }
          logger.info({ event: 'job_completed', queue: job.name });
        });
      }
    },
    stop: () => boss.stop({ graceful: true, timeout: 10_000 }),
  };
}

/** How long the oldest due job has been waiting, by the database's clock, which pg-boss uses. */
export async function overdueJobsMs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: string }>(
    `select coalesce(extract(epoch from now() - min(start_after)) * 1000, 0) as ms from ${jobsSchema}.job
      where state in ('created', 'retry') and start_after <= now()`,
  );
  return Number(rows[0]?.ms);
}

/** Runs every job once, now, in order; for tests. */
export async function runJobs(jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) await job.run();
}
