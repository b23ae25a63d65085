import { hash, randomBytes } from 'node:crypto';
import { readConfig } from '../../server/src/config.ts';
import { addDays, dayOf } from '../../server/src/platform/clock.ts';
import { createKeys } from '../../server/src/platform/crypto/keys.ts';
import { createRowSeals } from '../../server/src/platform/crypto/row-seals.ts';
import { createMetrics } from '../../server/src/platform/metrics.ts';
import { psql } from './psql.ts';

/** A command line has a limited length. */
const batchSize = 300;

/**
 * Inserts sessions directly, because a sign-in costs a slow hash. Returns a token for each user, in order. The database
 * may be of an older checkout, where a session had a plain hash.
 */
export function openSessions(url: string, userIds: readonly bigint[]): string[] {
  const isSealed = psql(
    url,
    `select 1 from information_schema.columns
      where table_schema = 'identity' and table_name = 'sessions' and column_name = 'seal'`,
  );
  const seals = createRowSeals(createKeys(readConfig({ NODE_ENV: 'test' }).masterKeys), createMetrics());
  const day = dayOf(Date.now());
  const endsOn = addDays(day, 30);
  const tokens = userIds.map(() => `uns_${randomBytes(32).toString('base64url')}`);
  const rows = tokens.map((token, n) => {
    const userId = userIds[n] ?? 0n;
    const tokenKey = isSealed ? seals.lookupKey('session', token) : hash('sha256', token, 'buffer');
    const seal = seals.seal('session', tokenKey, userId, endsOn);
    const keys = isSealed ? [tokenKey, seal] : [tokenKey];
    return `(${keys.map((key) => `'\\x${key.toString('hex')}'`).join()}, ${userId}, 'bench', '${day}', '${day}', '${endsOn}')`;
  });
  for (let at = 0; at < rows.length; at += batchSize)
    psql(
      url,
      `insert into identity.sessions (${isSealed ? 'token_key, seal' : 'token_sha256'}, user_id, label, created_on, last_seen_on, ends_on)
       values ${rows.slice(at, at + batchSize).join()}`,
    );
  psql(
    url,
    `update identity.users set last_seen_on = current_date where id in (select user_id from identity.sessions)`,
  );
  return tokens;
}
