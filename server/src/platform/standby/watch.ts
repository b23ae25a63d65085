import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';

/**
 * Knows up to which moment a standby has everything. The primary is asked for the position of its log, the standby a
 * moment later for the position it has replayed: once it is past the primary's, all that was committed before the
 * question can be read there. An idle primary gives no false lag, and no clock of another machine is compared.
 */
export type StandbyWatch = ReturnType<typeof createStandbyWatch>;

/** Reads are never further behind. The pin of a writer lasts much longer (http/pins.ts). */
export const maxLagMs = 3000;
const everyMs = 1000;
/** Time for the log to arrive: without it a busy primary would always be a measurement ahead. */
const settleMs = 100;
const replyMs = 1000;
/** Of the lag that can be measured; a longer one counts from the last moment that was reached. */
const knownMs = 60_000;

/** The server of a new connection is not known to have what the watch promises. */
export class StandbyBehind extends Error {
  override name = 'StandbyBehind';
}

interface Moment {
  /** By this process's monotonic clock. */
  readonly at: number;
  readonly lsn: string;
}

interface StandbyWatchDeps {
  readonly primary: { readonly connectionString: string; readonly options: string };
  readonly standby: { readonly connectionString: string; readonly options: string };
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const primaryQuery =
  'select pg_current_wal_flush_lsn()::text as lsn, system_identifier::text as id from pg_control_system()';
/** Without a row: another cluster, or a server that was promoted. With the moments that it has reached. */
const standbyQuery = `
  select array(select n from unnest($2::pg_lsn[]) with ordinality as known (lsn, n)
                where lsn <= pg_last_wal_replay_lsn()) as reached
    from pg_control_system() where system_identifier::text = $1 and pg_is_in_recovery()`;

function openOne(connection: StandbyWatchDeps['primary']): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    application_name: 'unsaid-lag',
    max: 1,
    connectionTimeoutMillis: replyMs,
    query_timeout: replyMs,
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export function createStandbyWatch({ primary, standby, logger, metrics }: StandbyWatchDeps) {
  // Connections of their own: where pools are exhausted, a measurement that waits would send all reads to the primary.
  const [primaryPool, standbyPool] = [openOne(primary), openOne(standby)];
  let cluster = '';
  let asked: readonly Moment[] = [];
  /** The newest moment that the standby has reached. Null while it is unknown. */
  let reached: Moment | null = null;
  let lastReachedAt = performance.now();
  let wasFresh: boolean | null = null;
  let timer: NodeJS.Timeout | undefined;
  let measuring: Promise<void> = Promise.resolve();

  const isFresh = () => reached !== null && performance.now() - reached.at <= maxLagMs;

  async function findReached(on: Pick<pg.ClientBase, 'query'>, moments: readonly Moment[]) {
    const { rows } = await on.query<{ reached: string[] }>(standbyQuery, [
      cluster,
      moments.map(({ lsn }) => lsn),
    ]);
    return rows[0]?.reached.map((n) => moments[Number(n) - 1] as Moment) ?? [];
  }

  async function measure(): Promise<void> {
    const at = performance.now();
    try {
      const { rows } = await primaryPool.query<{ lsn: string; id: string }>(primaryQuery);
      const [row] = rows;
      if (!row) return;
      cluster = row.id;
      asked = [...asked, { at, lsn: row.lsn }].filter((moment) => at - moment.at <= knownMs);
      await pause(settleMs);
    } catch {
      // A primary that does not reply commits nothing new that this process could compare with. The last moment gets old.
      return;
    }
    try {
      reached = (await findReached(standbyPool, asked)).at(-1) ?? null;
      lastReachedAt = reached?.at ?? lastReachedAt;
    } catch {
      reached = null;
    }
  }

  async function measureAndTell(): Promise<void> {
    await measure();
    metrics.standbyLagSeconds.set((performance.now() - lastReachedAt) / 1000);
    if (wasFresh !== isFresh())
      logger.info({ event: 'standby_reads', outcome: isFresh() ? 'standby' : 'primary' });
    wasFresh = isFresh();
  }

  function schedule(): void {
    timer = setTimeout(() => {
      measuring = measureAndTell().finally(() => timer && schedule());
    }, everyMs).unref();
  }

  return {
    /** Whether it has everything that was committed until `maxLagMs` ago. */
    isFresh,
    /** For each new connection: a standby that was restarted, or another server, may be further behind than the last one. */
    async verify(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
      if (!reached || (await findReached(client, [reached])).length === 0) throw new StandbyBehind();
    },
    /** It failed a read: not used again before it was measured. */
    distrust(): void {
      reached = null;
    },
    /** Measures now, and again and again until `stop`. */
    async start(): Promise<void> {
      await measureAndTell();
      schedule();
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      await measuring;
      await Promise.allSettled([primaryPool.end(), standbyPool.end()]);
    },
  };
}
