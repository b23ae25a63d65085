import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { BoundJob } from './job.ts';
import type { Logger } from './logger.ts';
import { describeFault } from './logger.ts';
import { connectionOf, jobsSchema, type Logins } from './logins.ts';
import type { Metrics } from './metrics.ts';

const pauseSeconds = 30;

/** All have it: at most one run waits and one is active, whatever workers, schedules and pauses enqueue. */
const policy = 'stately';
const queueOptions = {
  retryLimit: 5,
  retryBackoff: true,
  // Finished jobs are deleted within a day: their times could be compared with the times of content.
  deleteAfterSeconds: 86_400,
  // Longer than any run: pg-boss starts a second one beside a run that takes longer. A worker that died is noticed by
  // its heartbeat.
  expireInSeconds: 23 * 3600,
  heartbeatSeconds: 60,
};

/** In place of what failed: pg-boss stores an error with all its fields, and those of PostgreSQL quote rows. */
class JobFailed extends Error {
  override name = 'JobFailed';
}

interface JobsDeps {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Runs are put off for a while. */
  readonly isPaused?: () => boolean;
}

export function createJobs(
  logins: Logins,
  jobs: readonly BoundJob[],
  { logger, metrics, isPaused }: JobsDeps,
) {
  const boss = new PgBoss({
    ...connectionOf(logins, 'jobs'),
    schema: jobsSchema,
    application_name: 'unsaid-jobs',
    max: 4,
    migrate: false,
    createSchema: false,
  });
  boss.on('error', (error) => logger.warn({ event: 'job_queue_error', ...describeFault(error) }));
  const sendNext = (job: BoundJob) => {
    if ('cron' in job) return boss.send(job.name, {}, { startAfter: pauseSeconds });
    const { jitteredIntervalSeconds: seconds } = job;
    const startAfter = randomInt(Math.ceil(seconds / 2), Math.ceil(seconds * 1.5) + 1);
    return boss.send(job.name, {}, { startAfter });
  };

  /** A queue of an earlier release has another policy, which pg-boss cannot change. */
  async function ensureQueue(name: string): Promise<void> {
    const found = await boss.getQueue(name);
    if (found && found.policy !== policy) await boss.deleteQueue(name);
    await boss.createQueue(name, { ...queueOptions, policy });
    await boss.updateQueue(name, queueOptions);
  }

  async function runOnce(job: BoundJob): Promise<void> {
    try {
      await job.run();
      metrics.jobRuns.inc({ queue: job.name, outcome: 'completed' });
    } catch (error) {
      metrics.jobRuns.inc({ queue: job.name, outcome: 'failed' });
      logger.warn({ event: 'job_failed', queue: job.name, ...describeFault(error) });
      throw new JobFailed();
    } finally {
      if (!('cron' in job)) await sendNext(job);
    }
    logger.info({ event: 'job_completed', queue: job.name });
  }

  return {
    async start(): Promise<void> {
      await boss.start();
      for (const job of jobs) {
        await ensureQueue(job.name);
        if ('cron' in job) await boss.schedule(job.name, job.cron);
        else {
          // Of an earlier release.
          await boss.unschedule(job.name);
          await sendNext(job);
        }
        let isRunning = false;
        await boss.work(job.name, async () => {
          // A claim that was lost while the run goes on: the database was away for longer than the heartbeat.
          if (isRunning || isPaused?.()) return void (await sendNext(job));
          isRunning = true;
          try {
            await runOnce(job);
          } finally {
            isRunning = false;
          }
        });
      }
    },
    async stop(): Promise<void> {
      for (const job of jobs) job.stop?.();
      await boss.stop({ graceful: true, timeout: 10_000 });
    },
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
export async function runJobs(jobs: readonly BoundJob[]): Promise<void> {
  for (const job of jobs) await job.run();
}
