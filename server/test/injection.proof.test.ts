/**
 * @module-tag full
 * A day later: whoever already has a database login gains until the next night. On every change logins.test.ts finds
 * rights that are too wide, and the tests of accounts, sessions and moderators that their rows are sealed.
 */
import { hash } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSeededRandom } from '../seed/seeded-random.ts';
import { rolesWithSchemas, schemaNames, type DatabaseRole } from '../src/db/schemas.ts';
import { createPhoneIndex } from '../src/identity/accounts/phone-index.ts';
import { recoveryColumns } from '../src/identity/facts/recovery-facts.ts';
import type { RowSeals } from '../src/platform/crypto/row-seals.ts';
import { sealSession } from '../src/identity/sessions/session-facts.ts';
import { today } from '../src/platform/clock.ts';
import { usePool, useTestApp } from './app.ts';
import { signIn, type Person } from './factories.ts';
import {
  breaches,
  createSnapshots,
  drawSecrets,
  type Secrets,
  live,
  plainHashes,
  probe,
  readableText,
  writableColumns,
  type Column,
  type Key,
  type NewRows,
  type Shown,
} from './injection.ts';
import { runs, seed } from './runs.ts';

/**
 * Whoever can write rows with one database login must not open anybody's account, words, case or moderator's rights by
 * that. Each login writes whatever its role allows, then the attacker makes every call.
 */
const app = useTestApp({ limitsScale: 10_000 });
const pool = usePool(app);
let secrets: Secrets;

let me: Awaited<ReturnType<typeof live>>;
let victim: typeof me;
let second: Person;
let snapshots: Awaited<ReturnType<typeof createSnapshots>>;
let mine: NewRows;
let theirs: NewRows;
let usual: Shown;

beforeAll(async () => {
  secrets = drawSecrets(app.deps.keys);
  snapshots = await createSnapshots(pool);
  const stranger = await signIn(app);
  await snapshots.take();
  me = await live(app, 'me', { role: 'auditor', stranger });
  mine = await snapshots.newRows();
  await snapshots.take();
  victim = await live(app, 'victim', { role: 'lead', stranger });
  theirs = await snapshots.newRows();
  second = await signIn(app);
  // The passkey proofs of sign-in are over, the sessions are not.
  app.clock.advance(15 * 60_000);
  await snapshots.take();
  usual = await probeAfresh();
});

let turn = 0;
/** Nothing is cached: Redis is empty, and the clock moves by more than any cache keeps, or back. */
async function forget(): Promise<void> {
  const keys = await app.redis.keys(`${app.config.redisPrefix}*`);
  if (keys.length > 0) await app.redis.del(keys);
  turn += 1;
  app.clock.advance(turn % 2 === 0 ? -90_000 : 90_000);
}

async function probeAfresh(): Promise<Shown> {
  await forget();
  try {
    return await probe(app, me, victim, second, secrets);
  } finally {
    await snapshots.restore();
  }
}

type Work = (client: pg.PoolClient) => Promise<void>;

/** Each statement that the database refuses is skipped. */
async function inject(role: DatabaseRole, works: readonly Work[]): Promise<number> {
  const client = await pool.connect();
  let done = 0;
  try {
    await client.query(`set role unsaid_${role}`);
    for (const work of works) {
      await client.query('begin');
      try {
        await work(client);
        await client.query('commit');
        done += 1;
      } catch (error) {
        await client.query('rollback');
        if (!(error instanceof pg.DatabaseError)) throw error;
      }
    }
  } finally {
    await client.query('reset role');
    client.release();
  }
  return done;
}

const at = (key: Key) =>
  Object.entries(key)
    .map(([name, value]) => `${name}::text = ${pg.escapeLiteral(value)}`)
    .join(' and ');

const hashed = (name: string) => `substr(sha256(${name}), 1, octet_length(${name}))`;
const renamed = (name: string) => `${name} || substr(md5(random()::text), 1, 5)`;

/** The same value in two rows may be refused; then the row that had it first gets another. */
function copyInto({ table, name, type }: Column, from: Key, to: Key): Work {
  return async (client) => {
    const { rows } = await client.query<{ value: string | null }>(
      `select ${name}::text as value from ${table} where ${at(from)}`,
    );
    const set = (where: string, value: string) =>
      client.query(`update ${table} set ${name} = ${value} where ${where}`);
    const value = `${pg.escapeLiteral(rows[0]?.value ?? '')}::${type}`;
    if (typeof rows[0]?.value !== 'string') return;
    await client.query('savepoint first');
    await set(at(to), value).catch(async (error: unknown) => {
      if ((error as pg.DatabaseError).code !== '23505') throw error;
      await client.query('rollback to first');
      if (type === 'bytea') await set(at(from), hashed(name));
      else await client.query(`delete from ${table} where ${at(from)}`);
      await set(at(to), value);
    });
  };
}

function copyRow(columns: readonly Column[], from: Key, to: Key): Work {
  return async (client) => {
    for (const column of columns) {
      await client.query('savepoint column_before');
      await copyInto(column, from, to)(client).catch(() => client.query('rollback to column_before'));
    }
  };
}

/** A new row like another one, with some values of its own. Where those of the other are taken, they are changed. */
function insertLike(columns: readonly Column[], like: Key, values: Readonly<Record<string, string>>): Work {
  const table = columns[0]?.table ?? '';
  const names = columns.filter((column) => column.mayInsert && !column.isGenerated).map(({ name }) => name);
  const otherwise = (type: string, change: (name: string) => string) =>
    Object.fromEntries(
      columns
        .filter((column) => column.type === type && column.isUnique)
        .map(({ name }) => [name, change(name)]),
    );
  return async (client) => {
    await client.query(
      `create temporary table kept on commit drop as select * from ${table} where ${at(like)}`,
    );
    const insert = (given: Readonly<Record<string, string>>) =>
      client.query(
        `insert into ${table} (${names.join()}) select ${names.map((name) => given[name] ?? name).join()} from kept`,
      );
    const ways = [
      () => insert(values),
      async () => {
        await client.query(`delete from ${table} where ${at(like)}`);
        await insert(values);
      },
      () => insert({ ...otherwise('text', renamed), ...values }),
      () => insert({ ...otherwise('text', renamed), ...otherwise('bytea', hashed), ...values }),
    ];
    await client.query('savepoint first');
    for (const [n, way] of ways.entries()) {
      try {
        await way();
        return;
      } catch (error) {
        if (n === ways.length - 1) throw error;
        await client.query('rollback to first');
      }
    }
  };
}

interface Attempt {
  readonly name: string;
  readonly works: readonly Work[];
}

function attemptsOn(columns: readonly Column[], own: readonly Key[], other: readonly Key[]): Attempt[] {
  const pairs = own.flatMap((key, n) => (other[n] ? [{ own: key, other: other[n] }] : []));
  const updated = columns.filter(({ mayUpdate, isGenerated }) => mayUpdate && !isGenerated);
  const rest = updated.filter(({ isKey }) => !isKey);
  const table = columns[0]?.table ?? '';
  const bytes = columns.filter(({ type }) => type === 'bytea');
  return [
    ...updated.flatMap((column) => [
      {
        name: `theirs to mine: ${column.name}`,
        works: pairs.map((pair) => copyInto(column, pair.other, pair.own)),
      },
      {
        name: `mine to theirs: ${column.name}`,
        works: pairs.map((pair) => copyInto(column, pair.own, pair.other)),
      },
    ]),
    {
      name: 'theirs to mine: the whole row',
      works: pairs.map((pair) => copyRow(rest, pair.other, pair.own)),
    },
    {
      name: 'mine to theirs: the whole row',
      works: pairs.map((pair) => copyRow(rest, pair.own, pair.other)),
    },
    ...updated
      .filter(({ type }) => /^(?:date|timestamp)/u.test(type))
      .map(({ name }) => ({
        name: `mine ends later: ${name}`,
        works: pairs.map(({ own: key }): Work => async (client) => {
          await client.query(`update ${table} set ${name} = ${name} + interval '9 days' where ${at(key)}`);
        }),
      })),
    ...bytes.map(({ name }) => ({
      name: `a new row with a plain hash: ${name}`,
      works: other.flatMap((key) =>
        plainHashes(secrets).map((hash) =>
          insertLike(columns, key, { [name]: `'\\x${hash.toString('hex')}'::bytea` }),
        ),
      ),
    })),
    ...updated
      .filter(({ type }) => type === 'bytea')
      .flatMap(({ name }) =>
        plainHashes(secrets).map((hashOf, n) => ({
          name: `plain hash ${n + 1} in their row: ${name}`,
          works: other.map((key): Work => async (client) => {
            await client.query(
              `update ${table} set ${name} = '\\x${hashOf.toString('hex')}' where ${at(key)}`,
            );
          }),
        })),
      ),
    ...columns
      .filter(({ mayUpdate, mayInsert, isGenerated }) => mayInsert && !mayUpdate && !isGenerated)
      .map(({ name }) => ({
        name: `my row again with theirs: ${name}`,
        works: pairs.map((pair) =>
          insertLike(columns, pair.own, { [name]: `(select ${name} from ${table} where ${at(pair.other)})` }),
        ),
      })),
  ].map((attempt) => ({ ...attempt, name: `${table}: ${attempt.name}` }));
}

/** What a role must not learn: words of the victim that it cannot read in plain, and the public ids of the account. */
async function secretsFrom(role: DatabaseRole): Promise<readonly string[]> {
  const readable = await readableText(pool, role, snapshots.tables);
  return [
    ...victim.words,
    victim.ids['user'] ?? '',
    victim.ids['session'] ?? '',
    victim.moderator.alias,
  ].filter((word) => !readable.includes(word));
}

async function opened(role: DatabaseRole, attempt: Attempt, words: readonly string[]): Promise<string[]> {
  if ((await inject(role, attempt.works)) === 0) return [];
  return breaches(usual, await probeAfresh(), {
    words,
    items: [victim.ids['vent'] ?? '', victim.ids['comment'] ?? '', victim.ids['named'] ?? ''],
    // Who can write content says whose it is: a mark of their own tells them nothing.
    isOwnMarkTheirs: role !== 'content',
  }).map((line) => `${attempt.name} -> ${line}`);
}

/** Every attempt at night, and some of each login for every change. */
const mostAttempts = runs('INJECTIONS', { change: 12, full: 10_000 });

describe.each(rolesWithSchemas)('with the login of $role', ({ role }) => {
  test('no row that it writes opens anything of another person (R33)', async () => {
    const columns = await writableColumns(pool, role);
    const tables = [...new Set(columns.map(({ table }) => table))];
    const attempts = tables.flatMap((table) =>
      attemptsOn(
        columns.filter((column) => column.table === table),
        mine.get(table) ?? [],
        theirs.get(table) ?? [],
      ),
    );
    // Nobody's: figures of weeks, the copy of what is hearted most, which a job writes, data keys, and rows that a job failed
    // at, of which there are none.
    const isNobodys = (table: string) => (theirs.get(table) ?? []).length === 0;
    const nobodys = ['content.trending', 'content.heard_weeks'];
    const ofEach = schemaNames.flatMap((schema) => [`${schema}.failed_rows`, `${schema}.data_keys`]);
    expect([...nobodys, ...ofEach]).toEqual(expect.arrayContaining(tables.filter(isNobodys)));
    const words = await secretsFrom(role);
    const random = createSeededRandom(seed);
    const drawn = attempts
      .map((attempt) => ({ attempt, place: random.next() }))
      .toSorted((a, b) => a.place - b.place)
      .slice(0, mostAttempts);
    const found: string[] = [];
    for (const { attempt } of drawn) found.push(...(await opened(role, attempt, words)));
    expect(found).toEqual([]);
  });
});

const bytes = (value: Buffer) => `'\\x${value.toString('hex')}'::bytea`;
const farOff = `timestamptz '2031-01-01'`;

/** What broke in the hostile review: rows for secrets of the attacker's own. `seals` makes what their rows need. */
function forgeries(seals: RowSeals): readonly (Attempt & { readonly role: DatabaseRole })[] {
  const { userId } = victim.person;
  const sessionId = 4711n;
  const run =
    (statement: () => Promise<string> | string): Work =>
    async (client) => {
      await client.query(await statement());
    };
  const tokenKey = seals.lookupKey('session', secrets.token);
  const code = secrets.code.replaceAll('-', '');
  const codeKey = seals.lookupKey('recovery', code);
  return [
    {
      role: 'identity',
      name: 'a session of the victim for a token of mine',
      works: [
        run(
          () => `insert into identity.sessions (token_key, id, user_id, seal, facts)
            values (${bytes(tokenKey)}, ${sessionId}, ${userId}, ${bytes(seals.seal('session', tokenKey, userId, sessionId))},
                    ${bytes(sealSession(seals, sessionId, { createdOn: today(app.clock), lastSeenOn: today(app.clock), order: 1, device: 0 }))})`,
        ),
      ],
    },
    {
      role: 'identity',
      name: 'my own number pointed at the victim',
      works: [
        run(async () => {
          const index = createPhoneIndex({ ...app.deps, seals }, app.config.phoneIndexCost);
          const [entry] = await index.lookupCandidates(me.person.phone);
          const { idx, seal } = index.seal(entry, userId);
          return `delete from identity.phone_index where user_id = ${userId};
            update identity.phone_index set user_id = ${userId}, seal = ${bytes(seal)} where idx = ${bytes(idx)}`;
        }),
      ],
    },
    {
      role: 'identity',
      name: "the victim's seed in my own row",
      works: [
        run(async () => {
          const { rows } = await pool.query<{ authorSeed: Buffer; speakerId: Buffer }>(
            `select v.author_seed as "authorSeed", m.speaker_id as "speakerId" from identity.users v, identity.users m
              where v.id = $1 and m.id = $2`,
            [userId, me.person.userId],
          );
          const { authorSeed, speakerId } = rows[0] ?? {
            authorSeed: Buffer.alloc(0),
            speakerId: Buffer.alloc(0),
          };
          return `update identity.users set author_seed = ${bytes(authorSeed)},
              seal = ${bytes(seals.seal('user', me.person.userId, authorSeed, speakerId))} where id = ${me.person.userId}`;
        }),
      ],
    },
    {
      role: 'identity',
      name: 'a recovery code of mine for the victim',
      works: [
        run(() => {
          const code = { key: codeKey, madeOn: today(app.clock) };
          const row = recoveryColumns(seals, userId, { code, replaced: null, wait: null, former: null });
          return `update identity.recovery_codes set code_key = ${bytes(row.codeKey)},
              replaced_key = ${bytes(row.replacedKey)}, facts = ${bytes(row.facts)}, seal = ${bytes(row.seal)}
              where user_id = ${userId}`;
        }),
      ],
    },
    {
      role: 'console',
      name: 'a lead of my own, with a session whose proof does not end',
      works: [
        run(async () => {
          const { rows } = await pool.query<{ id: number }>(
            `select max(id) + 1 as id from moderation.moderators`,
          );
          const id = rows[0]?.id ?? 0;
          const sessionKey = seals.lookupKey('console', secrets.consoleToken);
          const end = new Date('2031-01-01T00:00:00Z');
          const enrolKey = seals.lookupKey('enrol', secrets.enrolToken);
          const lead = [id, 'evil-lead', 'lead', null, enrolKey, end] as const;
          return `insert into moderation.moderators (id, alias, role, enrol_key, enrol_until, seal) overriding system value
              values (${id}, 'evil-lead', 'lead', ${bytes(enrolKey)}, ${farOff}, ${bytes(seals.seal('moderator', ...lead))});
            insert into moderation.sessions (token_key, moderator_id, proven_at, seen_at, ends_at, seal)
              values (${bytes(sessionKey)}, ${id}, ${farOff}, ${farOff}, ${farOff},
                      ${bytes(seals.seal('console', sessionKey, id, 'lead', end, end))})`;
        }),
      ],
    },
  ];
}

/** Without the keys, an attacker has hashes alone. */
const plain: RowSeals = {
  lookupKey: (_, secret) => hash('sha256', secret, 'buffer'),
  seal: (_, ...parts) => hash('sha256', parts.map(String).join(), 'buffer'),
  fits: () => true,
  encryptFacts: (_, id, facts) => hash('sha256', `${id} ${facts.toString('hex')}`, 'buffer').subarray(0, 16),
  decryptFacts: () => null,
};

describe('rows for secrets of the attacker', () => {
  test('open nothing if they are made with plain hashes, and are counted where they are found (R33)', async () => {
    for (const { role, ...attempt } of forgeries(plain))
      expect(await opened(role, attempt, await secretsFrom(role)), attempt.name).toEqual([]);
    const { values } = await app.deps.metrics.misfitSeals.get();
    expect(values.map(({ labels }) => labels.row)).toEqual(expect.arrayContaining(['number', 'user']));
  });

  test('are found by this proof where the attacker has the keys, as if a hash were plain', async () => {
    for (const { role, ...attempt } of forgeries(app.deps.seals))
      expect(await opened(role, attempt, await secretsFrom(role)), attempt.name).not.toEqual([]);
  });
});
