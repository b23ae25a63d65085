import { sql, type Kysely } from 'kysely';
import type { Keys, ReplacedKey } from './crypto/keys.ts';
import type { Logger } from './logger.ts';

/** Follows the replacement of a leaked key (replace-key.ts), so that no process has to be restarted for it. */
export interface KeyWatch {
  /** Reads now. While the database is away the last known keys stay in use. */
  refresh(): Promise<void>;
  /**
   * What this process writes would be lost: the key in use is not in its ring, or it has not looked since the moment, in
   * milliseconds of `performance`, at which a replacement may have been under way.
   */
  isBehind(since?: number): boolean;
  start(): void;
  stop(): void;
}

/** As switches: in every process within 5 s. */
const everyMs = 2000;

/** Those of identity: it is replaced last, when the other schemas are done. */
async function readReplaced<T>(db: Kysely<T>): Promise<readonly ReplacedKey[]> {
  const { rows } = await sql<ReplacedKey>`
    select id, replaced_by, has_sessions from public.replaced_keys where schema = 'identity'`.execute(db);
  return rows;
}

export function createKeyWatch<T>(db: Kysely<T>, keys: Keys, logger: Logger): KeyWatch {
  let timer: NodeJS.Timeout | undefined;
  let isBehind = false;
  let readAt = 0;
  async function refresh(): Promise<void> {
    const begunAt = performance.now();
    const replaced = await readReplaced(db).catch(() => null);
    if (!replaced) return;
    readAt = begunAt;
    const wasBehind = isBehind;
    isBehind = !keys.follow(replaced);
    if (isBehind && !wasBehind) logger.error({ event: 'master_key_missing', count: 1 });
  }
  function start(): void {
    timer = setTimeout(() => void refresh().finally(() => timer && start()), everyMs).unref();
  }
  return {
    refresh,
    isBehind: (since = 0) => isBehind || readAt < since,
    start,
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
