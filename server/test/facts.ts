import type pg from 'pg';
import { factColumns, openFacts, type AccountFacts } from '../src/identity/facts/account-facts.ts';
import { findFacts } from '../src/identity/facts/account-facts.queries.ts';
import { openSession, sealSession } from '../src/identity/sessions/session-facts.ts';
import type { TestApp } from './app.ts';
import type { Person } from './factories.ts';

/** Reads and changes what accounts and sessions store encrypted. */

export async function readFacts({ deps }: TestApp, userId: bigint): Promise<AccountFacts> {
  const facts = await findFacts(deps.databases.identity, deps.seals, userId);
  if (!facts) throw new Error('no such account');
  return facts;
}

/** Of the given accounts, or of all. */
export async function changeFactsOf(
  { deps }: TestApp,
  userIds: readonly bigint[] | 'all',
  change: (facts: AccountFacts) => Partial<AccountFacts>,
): Promise<void> {
  const db = deps.databases.identity;
  const users = await db
    .selectFrom('identity.users')
    .select(['id', 'facts'])
    .$if(userIds !== 'all', (query) => query.where('id', 'in', userIds as readonly bigint[]))
    .execute();
  for (const row of users) {
    const facts = openFacts(deps.seals, row);
    if (!facts) throw new Error('not written by this service');
    await db
      .updateTable('identity.users')
      .set(factColumns(deps.seals, row.id, { ...facts, ...change(facts) }))
      .where('id', '=', row.id)
      .execute();
  }
}

/** Newest first. */
export async function readSessions({ deps }: TestApp, userId: bigint) {
  const rows = await deps.databases.identity
    .selectFrom('identity.sessions')
    .select(['id', 'facts'])
    .where('userId', '=', userId)
    .execute();
  return rows
    .flatMap((row) => openSession(deps.seals, row) ?? [])
    .toSorted((a, b) => b.createdOn.localeCompare(a.createdOn) || b.order - a.order);
}

/**
 * Gives a new account and its session the number `n` instead of the random ids, so that two servers have the same ones.
 * All rows that have them are sealed again.
 */
export async function renumber(app: TestApp, rows: pg.Pool, person: Person, n: number): Promise<Person> {
  const { seals } = app.deps;
  const id = BigInt(n);
  const facts = await readFacts(app, person.userId);
  const [session] = await readSessions(app, person.userId);
  if (!session) throw new Error('no session');
  const { rows: tables } = await rows.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
      where table_schema = 'identity' and column_name = 'user_id'`,
  );
  const {
    rows: [found],
  } = await rows.query<
    Record<'author_seed' | 'speaker_id' | 'token_key' | 'idx', Buffer> & { key_id: number }
  >(
    `select author_seed, speaker_id, token_key, idx, key_id
       from identity.users u join identity.sessions s on s.user_id = u.id join identity.phone_index p on p.user_id = u.id
      where u.id = $1`,
    [person.userId],
  );
  if (!found) throw new Error('no such account');
  const client = await rows.connect();
  try {
    await client.query(`begin; set local session_replication_role = replica`);
    for (const { name } of tables)
      await client.query(`update ${name} set user_id = $2 where user_id = $1`, [person.userId, id]);
    await client.query('update identity.users set id = $2, seal = $3, facts = $4 where id = $1', [
      person.userId,
      id,
      seals.seal('user', id, found.author_seed, found.speaker_id),
      factColumns(seals, id, facts).facts,
    ]);
    await client.query('update identity.sessions set id = $1, seal = $2, facts = $3 where user_id = $1', [
      id,
      seals.seal('session', found.token_key, id, id),
      sealSession(seals, id, session),
    ]);
    await client.query('update identity.phone_index set seal = $2 where user_id = $1', [
      id,
      seals.seal('number', found.key_id, '', found.idx, id),
    ]);
    await client.query('commit');
  } finally {
    client.release();
  }
  return { ...person, userId: id, user: { ...person.user, _id: app.deps.publicIds.user.encode(id) } };
}
