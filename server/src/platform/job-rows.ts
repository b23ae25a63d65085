import { createHash } from 'node:crypto';
import { sql, type QueryExecutorProvider } from 'kysely';
import type { Schema } from '../db/schemas.ts';
import type { Databases } from './db.ts';
import { isDatabaseUnavailable, isSchemaLost, isTimeout } from './db-errors.ts';
import { insideJob, type BoundJob, type Job, type JobRows, type ReadyRow, type RowsOf } from './job.ts';
import { describeFault, type Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { RedisUnavailable } from './redis.ts';

/** What a job reads and this service did not write, or can no longer open. */
export class UnreadableRow extends Error {
  override name = 'UnreadableRow';
}

const minutesADay = 1440;

/** By its schedule. Only the intervals that jobs have. */
function runsADay(job: Job): number {
  if (!('cron' in job)) return (minutesADay * 60) / job.jitteredIntervalSeconds;
  const [minute = '', hour = ''] = job.cron.split(' ');
  if (hour !== '*') return 1;
  if (minute === '*') return minutesADay;
  return minute.startsWith('*/') ? minutesADay / Number(minute.slice(2)) : 24;
}

/** After n tries a row waits 2^n runs on average, so the waits of so many tries add up to a day. */
export const putAsideAfter = (job: Job): number => Math.ceil(Math.log2(runsADay(job) + 2));

const markOf = (key: Buffer | bigint) =>
  createHash('sha256')
    .update(typeof key === 'bigint' ? String(key) : key)
    .digest()
    .subarray(0, 16);

/** The store is gone or not ours, and no row is wrong: the run fails. */
const isStoreGone = (error: unknown) =>
  (isDatabaseUnavailable(error) && !isTimeout(error)) ||
  isSchemaLost(error) ||
  error instanceof RedisUnavailable;

interface FailedRow {
  readonly rowMark: Buffer;
  readonly tries: number;
}

/** The tries of a job's rows, in the schema of the rows. */
function failedRowsOf(db: QueryExecutorProvider, schema: Schema, job: string) {
  const table = sql.table(`${schema}.failed_rows`);
  return {
    async list(): Promise<ReadonlyMap<string, number>> {
      const { rows } = await sql<FailedRow>`select row_mark, tries from ${table} where job = ${job}`.execute(
        db,
      );
      return new Map(rows.map(({ rowMark, tries }) => [rowMark.toString('hex'), tries]));
    },
    async add(mark: Buffer): Promise<number> {
      const { rows } = await sql<FailedRow>`
        insert into ${table} as failed (job, row_mark, tries) values (${job}, ${mark}, 1)
            on conflict (job, row_mark) do update set tries = least(failed.tries + 1, 1000)
        returning row_mark, tries`.execute(db);
      return rows[0]?.tries ?? 1;
    },
    async remove(marks: readonly Buffer[]): Promise<void> {
      await sql`delete from ${table} where job = ${job} and row_mark = any(${marks}::bytea[])`.execute(db);
    },
  };
}

/** Of these rows, those that were put aside. */
export async function listPutAside<Row>(
  db: QueryExecutorProvider,
  rows: readonly Row[],
  { schema, name, keyOf }: RowsOf<Row>,
  job: Job,
): Promise<ReadonlySet<Row>> {
  const tries = await failedRowsOf(db, schema, `${job.name} ${name}`).list();
  const limit = putAsideAfter(job);
  return new Set(rows.filter((row) => (tries.get(markOf(keyOf(row)).toString('hex')) ?? 0) >= limit));
}

interface JobRowsDeps {
  readonly databases: Databases;
  readonly metrics: Metrics;
  readonly logger: Logger;
  random(): number;
}

/** Of one run. */
function createJobRows(job: Job, { databases, metrics, logger, random }: JobRowsDeps) {
  const queue = job.name;
  const limit = putAsideAfter(job);
  const stores = new Map<string, ReturnType<typeof openStore>>();
  const met = new Set<string>();
  const putAside = new Set<string>();

  function openStore({ schema, name }: Pick<RowsOf<never>, 'schema' | 'name'>) {
    const store = failedRowsOf(databases[schema], schema, `${queue} ${name}`);
    // Failed in this run: that counts once, however often the job comes to a row.
    const opened = { store, tries: store.list(), failed: new Set<string>() };
    stores.set(name, opened);
    return opened;
  }
  const storeOf = (part: Pick<RowsOf<never>, 'schema' | 'name'>) => stores.get(part.name) ?? openStore(part);

  async function attemptAll<Row>(
    rows: readonly Row[],
    rowsOf: RowsOf<Row>,
    work: (rows: readonly Row[]) => Promise<unknown>,
  ): Promise<void> {
    const { store, tries, failed } = storeOf(rowsOf);
    const known = await tries;
    try {
      await work(rows);
    } catch (error) {
      if (isStoreGone(error)) throw error;
      const [row] = rows;
      if (row === undefined || rows.length > 1) {
        const half = Math.ceil(rows.length / 2);
        await attemptAll(rows.slice(0, half), rowsOf, work);
        await attemptAll(rows.slice(half), rowsOf, work);
        return;
      }
      metrics.jobRowsFailed.inc({ queue });
      const mark = markOf(rowsOf.keyOf(row));
      failed.add(mark.toString('hex'));
      const count = await store.add(mark);
      const event = count === limit ? 'job_row_put_aside' : 'job_row_failed';
      logger.warn({ event, queue, ...describeFault(error) });
      return;
    }
    if (known.size === 0) return;
    const done = rows
      .map((row) => markOf(rowsOf.keyOf(row)))
      .filter((mark) => known.has(mark.toString('hex')));
    if (done.length > 0) await store.remove(done);
  }

  async function ready<Row>(rows: readonly Row[], part: RowsOf<Row>): Promise<ReadyRow<Row>[]> {
    const { failed, ...opened } = storeOf(part);
    const known = await opened.tries;
    if (known.size + failed.size === 0) return rows.map((row) => ({ row, tries: 0 }));
    return rows.flatMap((row) => {
      const mark = markOf(part.keyOf(row)).toString('hex');
      const tries = known.get(mark) ?? 0;
      if (tries > 0) met.add(mark);
      if (tries >= limit) putAside.add(mark);
      return tries < limit && !failed.has(mark) && random() < 2 ** -tries ? [{ row, tries }] : [];
    });
  }

  const eachBatch: JobRows['eachBatch'] = async (all, rowsOf, work) => {
    const now = await ready(all, rowsOf);
    const fresh = now.filter(({ tries }) => tries === 0).map(({ row }) => row);
    for (let from = 0; from < fresh.length; from += rowsOf.atOnce)
      await attemptAll(fresh.slice(from, from + rowsOf.atOnce), rowsOf, work);
    // One that failed before is alone, so that it does not fail others.
    for (const { row, tries } of now) if (tries > 0) await attemptAll([row], rowsOf, work);
  };

  const rows: JobRows = {
    ready,
    eachBatch,
    each: (all, rowsOf, work) =>
      eachBatch(all, { ...rowsOf, atOnce: 1 }, (batch) => Promise.all(batch.map(work))),
    attempt: (row, rowsOf, work) => attemptAll([row], rowsOf, () => work(row)),
  };
  return {
    rows,
    /** After a run that went through all its rows. What it did not meet is gone. */
    async finish(): Promise<void> {
      if (stores.size === 0) return;
      metrics.jobRowsPutAside.set({ queue }, putAside.size);
      for (const { store, tries } of stores.values()) {
        const gone = [...(await tries).keys()].filter((mark) => !met.has(mark));
        if (gone.length > 0) await store.remove(gone.map((mark) => Buffer.from(mark, 'hex')));
      }
    },
  };
}

/** Gives each run of a job its rows. */
export function bindJobs(jobs: readonly Job[], deps: JobRowsDeps): BoundJob[] {
  return jobs.map((job) => {
    // From the first scrape on: an increase from nothing is none.
    deps.metrics.jobRowsFailed.inc({ queue: job.name }, 0);
    return {
      ...job,
      async run() {
        const { rows, finish } = createJobRows(job, deps);
        await insideJob(() => job.run(rows));
        await finish();
      },
    };
  });
}
