import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Logger } from './logger.ts';
import { describeFault } from './logger.ts';
import { connectionOf, type Logins } from './logins.ts';
import type { Metrics } from './metrics.ts';

export const jobsSchema = 'jobs';

/** Work that happens later or every so often. Payloads hold ids at most, never what people wrote. */
interface NamedJob {
  readonly name: string;
  run(): Promise<void>;
}

interface ScheduledJob extends NamedJob {
  /** When it runs by itself, as a cron line in UTC. */
  readonly cron: string;
}

interface RecurringJob extends NamedJob {
  /** From the end of one run to the next, give or take half of it: for what must not be told by the clock. */
  readonly aboutEverySeconds: number;
}

export type Job = ScheduledJob | RecurringJob;

export interface Jobs {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createJobs(
  logins: Logins,
  jobs: readonly Job[],
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): Jobs {
  const boss = new PgBoss({
    ...connectionOf(logins, 'jobs'),
    schema: jobsSchema,
    application_name: 'unsaid-jobs',
    max: 4,
    migrate: false,
    createSchema: false,
  });
  boss.on('error', (error) => logger.warn({ event: 'jobs_trouble', ...describeFault(error) }));
  const sendNext = ({ name, aboutEverySeconds }: RecurringJob) =>
    boss.send(
      name,
      {},
      { startAfter: randomInt(Math.ceil(aboutEverySeconds / 2), Math.ceil(aboutEverySeconds * 1.5) + 1) },
    );
  return {
    async start() {
      await boss.start();
      for (const job of jobs) {
        // Finished jobs are forgotten within the day: their times are nobody's business.
        await boss.createQueue(job.name, {
          retryLimit: 5,
          retryBackoff: true,
          deleteAfterSeconds: 86_400,
          // One that waits, whoever puts it there: each worker asks for the next run, and it is the same run.
          ...('cron' in job ? {} : { policy: 'stately' }),
        });
        if ('cron' in job) await boss.schedule(job.name, job.cron);
        else await sendNext(job);
        await boss.work(job.name, async () => {
          try {
            await job.run();
            metrics.jobRuns.inc({ queue: job.name, outcome: 'done' });
          } catch (error) {
            metrics.jobRuns.inc({ queue: job.name, outcome: 'failed' });
            throw error;
          } finally {
            if (!('cron' in job)) await sendNext(job);
          }
          logger.info({ event: 'job_done', queue: job.name });
        });
      }
    },
    stop: () => boss.stop({ graceful: true, timeout: 10_000 }),
  };
}

/** How long the first job in line has been due and not begun, by the database's clock, as pg-boss counts. */
export async function overdueJobsMs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: string }>(
    `select coalesce(extract(epoch from now() - min(start_after)) * 1000, 0) as ms from ${jobsSchema}.job
      where state in ('created', 'retry') and start_after <= now()`,
  );
  return Number(rows[0]?.ms);
}

/** Runs every job once, now, in order: how tests and operators do without waiting for the clock. */
export async function runJobs(jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) await job.run();
}
