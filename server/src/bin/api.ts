import { setTimeout as pause } from 'node:timers/promises';
import { buildApp } from '../app.ts';
import { readConfig } from '../config.ts';
import { buildFeatures } from '../features.ts';
import { buildModApp } from '../mod-app.ts';
import { measureCases } from '../moderation/index.ts';
import { createJobs, overdueJobsMs } from '../platform/jobs.ts';
import { createLogger } from '../platform/logger.ts';
import { checkLogins } from '../platform/login-check.ts';
import { measureOverdue, serveMetrics } from '../platform/metrics.ts';
import { checkPoolers } from '../platform/pooler-check.ts';
import { buildOrRefuse, readOrRefuse, refuse } from './refuse.ts';

/** Serves the api and the web, runs the jobs, serves the moderation console, or several of these, as SERVICES says. */
const config = readOrRefuse(readConfig, process.env);

const logger = createLogger(config.logLevel);
if (config.isProduction) {
  const problems = await checkLogins(config.roleUrls, logger);
  if (problems.length > 0) refuse(`${problems.join('; ')}. Make the logins with deploy/logins.sql`);
}
const poolerFaults = await checkPoolers(config, config.databaseTimeoutMs, logger);
if (poolerFaults.length > 0) refuse(poolerFaults.join('; '));
const deps = await buildOrRefuse(config, true);
// Without them it would do what is turned off.
while (!(await deps.switches.refresh())) {
  deps.logger.warn({ event: 'waiting_for_database' });
  await pause(1000);
}
if (config.testNumbers.size > 0 && config.testNumbersUntil < deps.clock.now())
  deps.logger.warn({ event: 'test_numbers_expired' });
deps.switches.start();
deps.dataKeys.start();
const features = await buildFeatures(deps);
const metricsAt = { host: config.host, port: config.metricsPort };
const metricsServer = await serveMetrics(deps.metrics, metricsAt, async () => {
  for (const [pool, count] of Object.entries(deps.databases.waiting()))
    deps.metrics.poolWaiting.set({ pool }, count);
  // Measured in every process, the api too: with no worker running nothing else would report overdue work.
  await measureOverdue(deps.metrics, {
    jobs: () => overdueJobsMs(deps.jobsPool),
    erasures: features.leaving.overdueMs,
  });
  await measureCases({ ...deps, db: deps.databases.moderation });
  await features.listeningFigures.publish();
});
const jobs = config.services.has('worker')
  ? createJobs(config, features.jobs, { ...deps, isPaused: () => deps.switches.isOff('maintenance') })
  : null;
const app = config.services.has('api') ? await buildApp(deps, features) : null;
const modApp = config.services.has('mod') ? await buildModApp(deps, features) : null;

await app?.server.listen({ port: config.port, host: config.host });
await modApp?.server.listen({ port: config.modPort, host: config.host });
await jobs?.start();
const port = app ? config.port : modApp ? config.modPort : undefined;
deps.logger.info({
  event: 'started',
  ...(port === undefined ? {} : { port }),
  services: [...config.services],
});

/** A connection that never responds must not keep a drained process alive until the supervisor kills it. */
async function waitAtMost(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms).unref())]);
}

/** Longer than pg-boss's timeout for running jobs. */
const jobsStopMs = 12_000;
const closeMs = 5000;

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  deps.logger.info({ event: 'stopping' });
  app?.startDraining();
  modApp?.startDraining();
  await Promise.all([
    new Promise((resolve) => setTimeout(resolve, config.drainMs)),
    app?.live.drain(config.live.drainMs),
  ]);
  await Promise.all([app?.server.close(), modApp?.server.close()]);
  await waitAtMost(jobsStopMs, jobs?.stop());
  metricsServer.close();
  await waitAtMost(closeMs, deps.close());
  deps.logger.info({ event: 'stopped' });
  process.exit(0);
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
