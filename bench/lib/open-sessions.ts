import { randomBytes } from 'node:crypto';
import type { Deps } from '../../server/src/deps.ts';
import { factColumns, newAccount } from '../../server/src/identity/facts/account-facts.ts';
import { sealSession } from '../../server/src/identity/sessions/session-facts.ts';
import { makeSessionToken } from '../../server/src/identity/sessions/authenticate.ts';
import { addDays, dayOf } from '../../server/src/platform/clock.ts';
import { createRowSeals } from '../../server/src/platform/crypto/row-seals.ts';
import { createMetrics } from '../../server/src/platform/metrics.ts';
import { randomRowId } from '../../server/src/platform/random-id.ts';
import { readKeys } from './data-keys.ts';
import { psql } from './psql.ts';

/** So many accounts, the same ones of the same seed. Ids are random; the seed of a picture is not, and says nothing. */
export function findPeople(url: string, count: number): bigint[] {
  const ids = psql(url, `select id from identity.users order by avatar_seed limit ${count}`)
    .split('\n')
    .filter(Boolean);
  if (ids.length < count) throw new Error(`${count} people are needed, there are ${ids.length}`);
  return ids.map(BigInt);
}

/** Whose session it is. */
export const findAccount = ({ databases, seals }: Pick<Deps, 'databases' | 'seals'>, token: string) =>
  databases.identity
    .selectFrom('identity.sessions as session')
    .innerJoin('identity.users as user', 'user.id', 'session.userId')
    .select(['user.authorSeed', 'user.speakerId'])
    .where('session.tokenKey', '=', seals.lookupKey('session', token))
    .executeTakeFirstOrThrow();

/** A command line has a limited length. */
const batchSize = 300;

const bytes = (value: Buffer) => `'\\x${value.toString('hex')}'::bytea`;

/**
 * Inserts sessions directly, because a sign-in costs a slow hash. Returns a token for each user, in order. The database
 * may be of an older checkout, where a session had plain days.
 */
export async function openSessions(url: string, userIds: readonly bigint[]): Promise<string[]> {
  const hasFacts = psql(
    url,
    `select 1 from information_schema.columns
      where table_schema = 'identity' and table_name = 'sessions' and column_name = 'facts'`,
  );
  const hasChecksum = psql(
    url,
    "select 1 from pg_constraint where conname = 'recovery_codes_facts_check' and pg_get_constraintdef(oid) like '%64%'",
  );
  const keys = await readKeys(url);
  const seals = createRowSeals(keys, createMetrics());
  const day = dayOf(Date.now());
  const sessions = userIds.map((userId) => {
    const token = hasChecksum ? makeSessionToken(keys) : `uns_${randomBytes(32).toString('base64url')}`;
    return { token, userId, id: randomRowId(), tokenKey: seals.lookupKey('session', token) };
  });
  for (let at = 0; at < sessions.length; at += batchSize) {
    const batch = sessions.slice(at, at + batchSize);
    if (hasFacts) {
      const rows = batch.map(({ tokenKey, userId, id }) => {
        const facts = sealSession(seals, id, { createdOn: day, lastSeenOn: day, order: 1, device: 0 });
        const seal = seals.seal('session', tokenKey, userId, id);
        return `(${bytes(tokenKey)}, ${id}, ${userId}, ${bytes(seal)}, ${bytes(facts)})`;
      });
      // Seen today.
      const seen = batch.map(({ userId }) => {
        const { facts, lookOn } = factColumns(seals, userId, newAccount(day));
        return `(${userId}, ${bytes(facts)}, '${lookOn}'::date)`;
      });
      psql(
        url,
        `insert into identity.sessions (token_key, id, user_id, seal, facts) values ${rows.join()};
         update identity.users as person set facts = visit.facts, look_on = visit.look_on
           from (values ${seen.join()}) as visit (id, facts, look_on) where person.id = visit.id`,
      );
    } else {
      const endsOn = addDays(day, 30);
      const rows = batch.map(({ tokenKey, userId }) => {
        const seal = seals.seal('session', tokenKey, userId, endsOn);
        return `(${bytes(tokenKey)}, ${bytes(seal)}, ${userId}, 'bench', '${day}', '${day}', '${endsOn}')`;
      });
      psql(
        url,
        `insert into identity.sessions (token_key, seal, user_id, label, created_on, last_seen_on, ends_on)
         values ${rows.join()};
         update identity.users set last_seen_on = current_date where id in (${batch.map(({ userId }) => userId).join()})`,
      );
    }
  }
  return sessions.map(({ token }) => token);
}
