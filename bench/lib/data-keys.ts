import { readConfig } from '../../server/src/config.ts';
import { schemaNames } from '../../server/src/db/schemas.ts';
import { openDataKeys } from '../../server/src/platform/crypto/data-keys.ts';
import { labelsOf } from '../../server/src/platform/crypto/key-labels.ts';
import { createKeys, type Keys } from '../../server/src/platform/crypto/keys.ts';
import { createLocalMasterKey, deriveFirst } from '../../server/src/platform/crypto/master-key.ts';
import { openDatabases } from '../../server/src/platform/db.ts';
import { createLogger } from '../../server/src/platform/logger.ts';
import { createMetrics } from '../../server/src/platform/metrics.ts';
import { psql } from './psql.ts';

/** The keys of a server with this database. It may be of an older checkout, where they were derived from the master key. */
export async function readKeys(url: string, env: NodeJS.ProcessEnv = {}): Promise<Keys> {
  const config = { ...readConfig({ ...env, NODE_ENV: 'test' }), databaseUrl: url };
  const ring = config.masterKeys;
  if (psql(url, `select 1 from pg_tables where tablename = 'data_keys' limit 1`) === '')
    return createKeys(
      schemaNames
        .flatMap(labelsOf)
        .map((label) => ({ label, no: 1, bytes: deriveFirst(ring[0], label), isSettled: true })),
    );
  const logger = createLogger('warn');
  const databases = openDatabases({ ...config, poolSize: 1, timeoutMs: 0, logger });
  try {
    const masterKey = createLocalMasterKey(ring);
    const { keys } = await openDataKeys({ databases, masterKey, ring, logger, metrics: createMetrics() });
    return keys;
  } finally {
    await databases.close();
  }
}
