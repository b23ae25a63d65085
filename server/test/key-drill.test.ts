/**
 * @module-tag full
 * A day later: keys are rotated by hand, and after a drill.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { requestOtp, verifyOtp } from '@unsaid/contract';
import { beforeAll, expect, test } from 'vitest';
import { bareEnv } from '../../testkit/child-processes.ts';
import { createPhoneIndex } from '../src/identity/accounts/phone-index.ts';
import { createKeys, type MasterKey } from '../src/platform/crypto/keys.ts';
import { newActor, startBeside, useTestApp } from './app.ts';
import { withClient } from './db.ts';
import { signIn } from './factories.ts';

const rowCount = 10_000;
const app = useTestApp();
beforeAll(async () => {
  await withClient(app.config.databaseUrl, (client) =>
    client.query(
      `with people as (
         insert into identity.users (id, avatar_seed, author_seed, speaker_id, seal, facts, look_on)
         select n, 'seed', sha256(int8send(n)), substr(sha256(int8send(n)), 1, 8), sha256(int8send(n)),
                sha256(int8send(n)), '2027-01-01'
           from generate_series(1::bigint, ${rowCount}) n returning id)
       insert into identity.phone_index (key_id, idx, user_id, seal)
       select 1, sha256(convert_to(id::text, 'utf8')), id, sha256(convert_to(id::text, 'utf8')) from people`,
    ),
  );
});

function createKeyRing(first: MasterKey, newer: number): MasterKey[] {
  return [{ id: newer, bytes: randomBytes(32) }, first];
}

/** The number of rows by state, as `key<wrappings`. */
async function countByState(): Promise<Record<string, number>> {
  return withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ way: string; count: number }>(
      `select key_id || case when wrapped_by = '{}' then '' else '<' || array_to_string(wrapped_by, '<') end as way,
              count(*)::int as count
         from identity.phone_index group by 1`,
    );
    return Object.fromEntries(rows.map(({ way, count }) => [way, count]));
  });
}

function runKeys(ring: readonly MasterKey[], ...words: string[]): string {
  const bin = fileURLToPath(new URL('../src/bin/keys.ts', import.meta.url));
  return execFileSync(process.execPath, [bin, ...words], {
    encoding: 'utf8',
    env: {
      ...bareEnv,
      NODE_ENV: 'test',
      DATABASE_URL: app.config.databaseUrl,
      REDIS_URL: app.config.redisUrl,
      REDIS_CLUSTER: String(app.config.isRedisCluster),
      MASTER_KEYS: ring.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`).join(','),
    },
  });
}

test('the master keys are rotated, planned and in an emergency, and everyone can sign in before, during and after (R30)', async () => {
  const [first] = app.config.masterKeys;
  if (!first) throw new Error('no key');
  const people = [];
  for (let n = 0; n < 12; n += 1) people.push(await signIn(app));
  expect(await countByState()).toEqual({ '1': rowCount + people.length });

  // Planned: a newer key is added. A number moves to it at the next sign-in; other rows do not change.
  const ring = createKeyRing(first, 2);
  const second = await startBeside(app, { masterKeys: ring });
  const [mover] = people;
  if (!mover) throw new Error('no person');
  expect((await signIn(second, mover.phone)).userId).toBe(mover.userId);
  expect(await countByState()).toEqual({ '1': rowCount + people.length - 1, '2': 1 });
  expect((await signIn(second)).isNewUser).toBe(true);

  // A process that still has the old key ring cannot find the number, and must not create a second account.
  const lost = newActor();
  await app.call(requestOtp, { as: lost, body: { phone: mover.phone } });
  const answer = await app.call(verifyOtp, {
    as: lost,
    body: { phone: mover.phone, otp: await app.codeFor(mover.phone) },
  });
  expect([answer.status, answer.body.code]).toEqual([503, 'TEMPORARILY_UNAVAILABLE']);

  // Emergency: every row is wrapped, without knowing any number, while people sign in.
  const progress = { isDone: false };
  const wrapping = second.features.accounts.rewrapAll().finally(() => (progress.isDone = true));
  let during = 0;
  do {
    const person = people[1 + (during % 3)];
    if (!person) throw new Error('no person');
    second.clock.advance(31_000);
    expect((await signIn(second, person.phone)).userId).toBe(person.userId);
    during += 1;
  } while (!progress.isDone);
  expect(await wrapping).toBeGreaterThan(rowCount - 1);
  const after = await countByState();
  expect(after['1']).toBeUndefined();
  expect((after['1<2'] ?? 0) + (after['2'] ?? 0)).toBe(rowCount + people.length + 1);

  // An attacker with the first key and the table finds no one, not even with the number.
  const stolen = createPhoneIndex({ ...app.deps, keys: createKeys([first]) }, app.config.phoneIndexCost);
  const wrapped = people[5];
  if (!wrapped) throw new Error('no person');
  const guesses = await stolen.lookupCandidates(wrapped.phone);
  const hits = await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query('select 1 from identity.phone_index where idx = any($1)', [
      guesses.map(({ idx }) => idx),
    ]);
    return rows.length;
  });
  expect(hits).toBe(0);
  second.clock.advance(3_600_000);
  expect((await signIn(second, wrapped.phone)).userId).toBe(wrapped.userId);

  // Again, with the command-line tool: rows that were wrapped before are wrapped again.
  const third = [{ id: 3, bytes: randomBytes(32) }, ...ring];
  expect(runKeys(third, 'wrap')).toContain('wrapped with 2 and 3');
  const latest = await startBeside(app, { masterKeys: third });
  for (const person of people) {
    latest.clock.advance(31_000);
    expect((await signIn(latest, person.phone)).userId).toBe(person.userId);
  }
  expect((await countByState())['3']).toBe(people.length);
  expect(runKeys(third)).toContain(`key 3: ${people.length} numbers`);
  await Promise.all([second.close(), latest.close()]);
});
