import { AsyncLocalStorage } from 'node:async_hooks';
import type { Schema } from '../db/schemas.ts';

/** A kind of rows that jobs go through. */
export interface RowsOf<Row> {
  /** Where the tries are counted: where the rows are. */
  readonly schema: Schema;
  readonly name: string;
  readonly keyOf: (row: Row) => Buffer | bigint;
  /** So many in one transaction. */
  readonly atOnce: number;
}

const kinds = new Set<string>();

/** Registers a kind of rows. A test poisons some of each. */
export function rowsOf<Row>(
  schema: Schema,
  name: string,
  keyOf: RowsOf<Row>['keyOf'],
  atOnce = 1,
): RowsOf<Row> {
  kinds.add(name);
  return { schema, name, keyOf, atOnce };
}

export const listKindsOfRows = (): readonly string[] => [...kinds].toSorted();

export interface ReadyRow<Row> {
  readonly row: Row;
  readonly tries: number;
}

/**
 * One row never stops a job. A batch that fails is halved until the row stands alone; its tries are counted, each wait is
 * about twice as long as the one before, and after about a day it is put aside, where the metric shows it. Which row it
 * is goes into no queue, log or label.
 */
export interface JobRows {
  /** Does the work for each row but those that wait or are put aside. */
  each<Row>(
    rows: readonly Row[],
    rowsOf: RowsOf<NoInfer<Row>>,
    work: (row: NoInfer<Row>) => Promise<unknown>,
  ): Promise<void>;
  /** The same for so many rows at once: those of one transaction. */
  eachBatch<Row>(
    rows: readonly Row[],
    rowsOf: RowsOf<NoInfer<Row>>,
    work: (rows: readonly Row[]) => Promise<unknown>,
  ): Promise<void>;
  /** Those that `each` would do now. */
  ready<Row>(rows: readonly Row[], rowsOf: RowsOf<NoInfer<Row>>): Promise<ReadyRow<Row>[]>;
  /** Does it now. */
  attempt<Row>(
    row: Row,
    rowsOf: RowsOf<NoInfer<Row>>,
    work: (row: NoInfer<Row>) => Promise<unknown>,
  ): Promise<void>;
}

/** A background job. It has no payload: the queue must not store what people wrote. */
interface NamedJob {
  readonly name: string;
  /** What it goes through row by row, it goes through with `rows`. */
  run(rows: JobRows): Promise<void>;
  /** Ends what a run has left to timers. */
  stop?(): void;
}

interface ScheduledJob extends NamedJob {
  /** A cron expression, in UTC. */
  readonly cron: string;
}

export interface RecurringJob extends NamedJob {
  /** From the end of one run to the next, plus or minus half: for jobs whose exact times must not be predictable. */
  readonly jitteredIntervalSeconds: number;
}

export type Job = ScheduledJob | RecurringJob;

/** A job whose runs have their rows (job-rows.ts). */
export type BoundJob = (Omit<ScheduledJob, 'run'> | Omit<RecurringJob, 'run'>) & { run(): Promise<void> };

const runs = new AsyncLocalStorage<true>();

/** Of a statement of a job, for which nobody waits. The logins give all others 2 s. */
export const jobTimeoutMs = 60_000;

export const insideJob = <R>(work: () => Promise<R>): Promise<R> => runs.run(true, work);
/** Whether a call runs in the work of a job. */
export const isInsideJob = (): boolean => runs.getStore() === true;
