import { sql, type Kysely } from 'kysely';
import type { Keys, ReplacedKey } from './crypto/keys.ts';
import type { Logger } from './logger.ts';

/** Follows the replacement of a leaked key (replace-key.ts), so that no process has to be restarted for it. */
export interface KeyWatch {
  /** Reads now, and whether it could. While the database is away the last known keys stay in use. */
  refresh(): Promise<boolean>;
  /** The key in use is not in the ring of this process. */
  lacksKey(): boolean;
  /**
   * What this process writes would be lost: a replacement is being put in force, the key in use is not in its ring, or it
   * has not looked since the moment, in milliseconds of `performance`, at which a replacement may have been under way.
   */
  isBehind(since?: number): boolean;
  start(): void;
  stop(): void;
}

/** As switches: in every process within 5 s. */
const everyMs = 2000;

/** Beside the schemas: the row of a replacement that is being put in force, schema by schema. */
export const pendingSchema = 'pending';

/** Those of identity: it is replaced last, when the other schemas are done. */
async function readReplaced<T>(db: Kysely<T>) {
  const { rows } = await sql<ReplacedKey & { readonly schema: string }>`
    select schema, id, replaced_by, has_sessions from public.replaced_keys
     where schema in ('identity', ${pendingSchema})`.execute(db);
  return Map.groupBy(rows, ({ schema }) => schema);
}

export function createKeyWatch<T>(db: Kysely<T>, keys: Keys, logger: Logger): KeyWatch {
  let timer: NodeJS.Timeout | undefined;
  let [lacksKey, isPending] = [false, false];
  let readAt = 0;
  async function refresh(): Promise<boolean> {
    const begunAt = performance.now();
    const replaced = await readReplaced(db).catch(() => null);
    if (!replaced) return false;
    readAt = begunAt;
    const lackedKey = lacksKey;
    lacksKey = !keys.follow(replaced.get('identity') ?? []);
    isPending = replaced.has(pendingSchema);
    if (lacksKey && !lackedKey) logger.error({ event: 'master_key_missing', count: 1 });
    return true;
  }
  function start(): void {
    timer = setTimeout(() => void refresh().finally(() => timer && start()), everyMs).unref();
  }
  return {
    refresh,
    lacksKey: () => lacksKey,
    isBehind: (since = 0) => lacksKey || isPending || readAt < since,
    start,
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
