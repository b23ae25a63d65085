import { createHash, randomBytes } from 'node:crypto';
import { psql } from './psql.ts';

/** A command line has a limited length. */
const batchSize = 500;

/** Inserts sessions directly, because a sign-in costs a slow hash. Returns a token for each user, in order. */
export function openSessions(url: string, userIds: readonly bigint[]): string[] {
  const tokens = userIds.map(() => `uns_${randomBytes(32).toString('base64url')}`);
  const rows = tokens.map((token, n) => {
    const hash = createHash('sha256').update(token).digest('hex');
    return `('\\x${hash}', ${userIds[n]}, 'bench', current_date, current_date, current_date + 30)`;
  });
  for (let at = 0; at < rows.length; at += batchSize)
    psql(
      url,
      `insert into identity.sessions (token_sha256, user_id, label, created_on, last_seen_on, ends_on)
       values ${rows.slice(at, at + batchSize).join()}`,
    );
  psql(
    url,
    `update identity.users set last_seen_on = current_date where id in (select user_id from identity.sessions)`,
  );
  return tokens;
}
