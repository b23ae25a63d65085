import { PgBoss } from 'pg-boss';
import type { Logger } from './logger.ts';
import { describeFault } from './logger.ts';

export const jobsSchema = 'jobs';

/** Work that happens later or every so often. Payloads hold ids at most, never what people wrote. */
export interface Job {
  readonly name: string;
  /** When it runs by itself, as a cron line in UTC. */
  readonly cron: string;
  run(): Promise<void>;
}

export interface Jobs {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createJobs(databaseUrl: string, jobs: readonly Job[], logger: Logger): Jobs {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: jobsSchema,
    application_name: 'unsaid-jobs',
    max: 4,
    migrate: false,
    createSchema: false,
  });
  boss.on('error', (error) => logger.warn({ event: 'jobs_trouble', ...describeFault(error) }));
  return {
    async start() {
      await boss.start();
      for (const job of jobs) {
        // Finished jobs are forgotten within the day: their times are nobody's business.
        await boss.createQueue(job.name, { retryLimit: 5, retryBackoff: true, deleteAfterSeconds: 86_400 });
        await boss.schedule(job.name, job.cron);
        await boss.work(job.name, async () => {
          await job.run();
          logger.info({ event: 'job_done', queue: job.name });
        });
      }
    },
    stop: () => boss.stop({ graceful: true, timeout: 10_000 }),
  };
}

/** Runs every job once, now, in order: how tests and operators do without waiting for the clock. */
export async function runJobs(jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) await job.run();
}
