import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { commentOnVent, listVents, requestOtp, verifyOtp } from '@unsaid/contract';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { bareEnv } from '../../testkit/child-processes.ts';
import { repo } from '../../testkit/server-process.ts';
import { schemaNames } from '../src/db/schemas.ts';
import { createPhoneIndex } from '../src/identity/accounts/phone-index.ts';
import { rewrap } from '../src/platform/crypto/data-keys.ts';
import { labelsOf, turningLabels } from '../src/platform/crypto/key-labels.ts';
import { createLocalMasterKey, deriveFirst, type LocalKey } from '../src/platform/crypto/master-key.ts';
import { DataKeyError, hmac } from '../src/platform/crypto/keys.ts';
import { newActor, ownTestApp, startBeside, usePool, useTestApp, type TestApp } from './app.ts';
import { openPool, withClient } from './db.ts';
import { makeComment, makePhone, makeUser, makeVent, signIn } from './factories.ts';

const app = useTestApp({ limitsScale: 10_000 });
const pool = usePool(app);
const lastingOf = {
  identity: 'device/1',
  content: 'id-vent/1',
  matching: 'pair/1',
  moderation: 'moderation-subject/1',
} as const;
const newKey = (id: number): LocalKey => ({ id, bytes: randomBytes(32) });
type Ring = TestApp['config']['masterKeys'];

const envWith = (on: TestApp, ring: Ring) => ({
  ...bareEnv,
  NODE_ENV: 'test',
  DATABASE_URL: on.config.databaseUrl,
  REDIS_URL: on.config.redisUrl,
  REDIS_CLUSTER: String(on.config.isRedisCluster),
  REDIS_PREFIX: on.config.redisPrefix,
  MOD_ORIGIN: 'https://moderation.unsaid.example',
  MASTER_KEYS: ring.map(({ id, bytes }) => `${id}:${bytes.toString('base64')}`).join(','),
});
function runBin(on: TestApp, ring: Ring, name: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`${repo}server/src/bin/${name}.ts`, ...words],
    {
      env: envWith(on, ring),
      encoding: 'utf8',
      timeout: 300_000,
    },
  );
  return { status, stdout, stderr };
}
const beside = async (on: TestApp, masterKeys: Ring) => {
  const server = await startBeside(on, { masterKeys });
  onTestFinished(server.close);
  return server;
};
/** As its owner: what was added a minute ago is used. */
const settle = (on: TestApp) =>
  withClient(on.config.databaseUrl, async (client) => {
    for (const schema of schemaNames)
      await client.query(`update ${schema}.data_keys set made_at = made_at - interval '2 minutes'`);
  });
const replaceWith = (on: TestApp, ring: Ring) =>
  withClient(on.config.databaseUrl, (client) => rewrap(client, schemaNames, createLocalMasterKey(ring)));

describe('a server does not start, and says in one line', () => {
  afterEach(() => pool.query('drop table if exists kept'));

  test('that a data key is missing or was altered, or that all are gone', async () => {
    await makeVent(app, await makeUser(app));
    for (const schema of schemaNames) {
      const table = `${schema}.data_keys`;
      const labels = labelsOf(schema);
      const [one, other] = [labels[0] ?? '', labels.at(-1) ?? ''];
      await pool.query(`create table kept as select * from ${table}`);
      for (const [harm, line] of [
        [`delete from ${table} where purpose = '${one}'`, `${table}: a row is missing`],
        [`delete from ${table}`, `${table}: the first row is missing`],
        ...(schema === 'identity' || schema === 'content'
          ? ([[`delete from ${table} where no > 0`, `${table}: all rows but the first are missing`]] as const)
          : []),
        [
          `update ${table} set wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1) where purpose = '${one}'`,
          `does not open the data key ${one} 1 of ${schema}`,
        ],
        [
          `update ${table} set wrapped = (select wrapped from kept where purpose = '${other}') where purpose = '${one}'`,
          `does not open the data key ${one} 1 of ${schema}`,
        ],
      ] as const) {
        await pool.query(harm);
        await expect(beside(app, app.config.masterKeys), harm).rejects.toThrow(line);
        await pool.query(`delete from ${table}`);
        await pool.query(`insert into ${table} select * from kept`);
      }
      await pool.query('drop table kept');
    }
    await beside(app, app.config.masterKeys);
  });

  test('that it has another master key, also a command', async () => {
    for (const [name, ...words] of [
      ['keys'],
      ['keys', 'turn'],
      ['keys', 'replace'],
      ['moderators', 'list'],
      ['api'],
    ]) {
      const { status, stderr } = runBin(app, [newKey(1)], name ?? '', ...words);
      expect([name, status, stderr.trim().split('\n').length]).toEqual([name, 1, 1]);
      expect(stderr).toContain('MASTER_KEYS does not open the data key');
    }
    expect(runBin(app, app.config.masterKeys, 'keys')).toMatchObject({ status: 0, stderr: '' });
  });
});

test('two processes that start at once on a new database have the same keys, and no two databases have', async () => {
  const [one, other] = [await ownTestApp(), await ownTestApp()];
  await withClient(one.config.databaseUrl, async (client) => {
    for (const schema of schemaNames) await client.query(`delete from ${schema}.data_keys where no > 0`);
  });
  const both = await Promise.all([one, one].map((app) => beside(app, app.config.masterKeys)));
  const [first, second] = both.map(({ deps }) =>
    schemaNames.flatMap((schema) => deps.keys.of(lastingOf[schema]).toString('hex')),
  );
  expect(first).toEqual(second);
  expect(first).not.toContain(other.deps.keys.of('id-vent/1').toString('hex'));
  expect(first).not.toContain(one.deps.keys.of('id-vent/1').toString('hex'));
});

test('a row that a stolen login adds, and that no key opens, counts for nothing', async () => {
  const own = await ownTestApp();
  const junk = (words: string) =>
    withClient(own.config.databaseUrl, async (client) => {
      for (const schema of schemaNames) await client.query(words.replace('each', `${schema}.data_keys`));
    });
  await junk(`insert into each (purpose, no, total, wrapped) values ('junk', 1, 32767, 'junk')`);
  expect(await own.deps.dataKeys.turn()).toBe(Object.values(turningLabels).flat().length);
  const ring: Ring = [newKey(2), ...own.config.masterKeys];
  await replaceWith(own, ring);
  await beside(own, ring);
  await junk(`delete from each where purpose = 'junk'`);
  await beside(own, ring);
});

test('data keys turn by age: each process opens what both write, and the oldest rows still open', async () => {
  const own = await ownTestApp({ limitsScale: 10_000 });
  const second = await beside(own, own.config.masterKeys);
  const person = await signIn(own);
  const vent = await makeVent(own, person);
  const before = own.deps.keys.ring('speaker-vent/1');
  await withClient(own.config.databaseUrl, async (client) => {
    for (const schema of schemaNames)
      await client.query(`update ${schema}.data_keys set made_at = now() - interval '2 years'`);
  });
  await Promise.all([own.deps.dataKeys.refresh(), second.deps.dataKeys.refresh()]);
  // Read, and not written with: another process may not have read it.
  expect(own.deps.keys.ring('speaker-vent/1')).toHaveLength(2);
  expect(own.deps.keys.ring('speaker-vent/1')[0]).toEqual(before[0]);
  await settle(own);
  await own.deps.dataKeys.refresh();
  expect(own.deps.keys.ring('speaker-vent/1')[0]).not.toEqual(before[0]);
  const after = await makeVent(own, person);
  for (const server of [own, second]) {
    const { body } = await server.call(listVents, { as: person, query: { mine: 'true' } });
    expect(body.vents.map(({ _id }) => _id).toSorted()).toEqual([vent.id, after.id].toSorted());
  }
  // Found by value: never another.
  expect(own.deps.keys.ofNumbers('phone-index/1')).toHaveLength(1);
  for (const schema of schemaNames) {
    const { rows } = await withClient(own.config.databaseUrl, (client) =>
      client.query<{ purpose: string }>(`select purpose from ${schema}.data_keys where no = 2`),
    );
    expect(rows.map(({ purpose }) => purpose).toSorted()).toEqual(turningLabels[schema].toSorted());
  }
  expect(await signIn(second, person.phone)).toMatchObject({ isNewUser: false, userId: person.userId });
});

test('the master key is replaced under load, with two processes: nothing fails, and every row opens (R30)', async () => {
  const own = await ownTestApp({ limitsScale: 100_000 });
  const [old, replacing] = [own.config.masterKeys[0], newKey(2)];
  const second = await beside(own, [old]);
  const people = [await signIn(own), await signIn(second)];
  const host = await makeVent(own, people[0] as (typeof people)[0]);
  const failures: unknown[] = [];
  const written: string[] = [];
  const state = { isOver: false, signIns: 0 };
  const servers = [own, second];
  const writer = async (n: number) => {
    const [server, as] = [servers[n % 2] as TestApp, people[n % 2] as (typeof people)[0]];
    while (!state.isOver) {
      const answer = await server.call(commentOnVent, {
        as,
        body: { ventId: host.id, text: `I hear you ${n}` },
      });
      if (answer.status === 201) written.push(answer.body.comment._id);
      else failures.push(answer.text);
    }
  };
  const enterer = async (n: number) => {
    const server = servers[n % 2] as TestApp;
    while (!state.isOver) {
      const [as, phone] = [newActor(), makePhone()];
      const sent = await server.call(requestOtp, { as, body: { phone } });
      const otp = await server.codeFor(phone);
      const answer = await server.call(verifyOtp, { as, body: { phone, otp } });
      if (sent.status === 200 && answer.status === 200) state.signIns += 1;
      else failures.push([sent.text, answer.text]);
    }
  };
  const load = [...[0, 1, 2, 3].map(writer), ...[0, 1].map(enterer)];
  await expect.poll(() => written.length).toBeGreaterThan(20);

  const result = runBin(own, [replacing, old], 'keys', 'replace');
  expect(result).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/data keys wrapped with key 2 in \d/u),
  });
  const afterReplaced = written.length;
  await Promise.all(servers.map(({ deps }) => deps.dataKeys.refresh()));
  expect(servers.map(({ deps }) => deps.dataKeys.isKeyMissing())).toEqual([false, false]);
  await expect.poll(() => written.length).toBeGreaterThan(afterReplaced + 20);

  // One restarts with the new key alone. The other has the old one, and is not ready once the data keys turn.
  const restarted = await beside(own, [replacing]);
  servers[1] = restarted;
  expect(runBin(own, [replacing], 'keys', 'turn').stdout).toMatch(/^\d+ data keys added/u);
  for (const server of [own, restarted]) await server.deps.dataKeys.refresh();
  const ready = async (server: TestApp) => {
    const answer = await server.server.inject('/readyz');
    return [answer.statusCode, answer.json<{ masterKeys: string }>().masterKeys];
  };
  expect([await ready(own), await ready(restarted)]).toEqual([
    [503, 'missing'],
    [200, 'present'],
  ]);
  await expect.poll(() => written.length).toBeGreaterThan(afterReplaced + 60);
  state.isOver = true;
  await Promise.all(load);
  expect(failures).toEqual([]);
  expect(state.signIns).toBeGreaterThan(3);
  await expect(beside(own, [old])).rejects.toThrow(DataKeyError);

  await settle(own);
  await restarted.deps.dataKeys.refresh();
  written.push(await makeComment(restarted, people[0] as (typeof people)[0], host.id));
  // Every speaker opens, whichever key it was encrypted with.
  const owner = openPool(own.config.databaseUrl, 1);
  onTestFinished(() => owner.end());
  const { rows } = await owner.query<{ vent_id: string; no: number; voice: 'named'; speaker: Buffer }>(
    'select vent_id, no, voice, speaker from content.comments',
  );
  expect(rows).toHaveLength(written.length);
  const opened = rows.map(({ vent_id: id, ...row }) =>
    restarted.deps.speakers.open({ ...row, ventId: BigInt(id) }),
  );
  expect(opened.filter((speaker) => speaker === null)).toEqual([]);
}, 120_000);

test('a process with the old master key adds no data key that the new one does not open', async () => {
  const own = await ownTestApp();
  const [old, replacing] = [own.config.masterKeys[0], newKey(2)];
  await replaceWith(own, [replacing, old]);
  const count = async () =>
    (await own.deps.databases.identity.selectFrom('identity.dataKeys').select('no').execute()).length;
  const before = await count();
  await withClient(own.config.databaseUrl, (client) =>
    client.query(`update identity.data_keys set made_at = now() - interval '2 years'`),
  );
  await own.deps.dataKeys.refresh();
  expect(await count()).toBe(before);
  await beside(own, [replacing]);
  expect(await count()).toBeGreaterThan(before);
});

test('a database from before begins with the keys of its master keys, and wrapped numbers open (R30)', async () => {
  const own = await ownTestApp();
  const ring: Ring = [newKey(2), newKey(1)];
  const [newer, oldest] = ring as unknown as [LocalKey, LocalKey];
  const owner = openPool(own.config.databaseUrl, 1);
  onTestFinished(() => owner.end());
  // As the migration leaves it.
  for (const schema of schemaNames)
    await owner.query(
      `delete from ${schema}.data_keys where no > 0; update ${schema}.data_keys set purpose = '${schema} derived'`,
    );
  await owner.query(
    `insert into identity.data_keys (purpose, no, total, wrapped) values ('key-check/1', 1, 2, ''), ('key-check/1', 2, 3, '')`,
  );
  await expect(beside(own, [newer])).rejects.toThrow('key 1 is not the one');
  await expect(beside(own, [newKey(3), oldest])).rejects.toThrow('key 2 is not the one');
  // A user says it, whom the oldest key sealed.
  const sealedWith = (key: LocalKey) =>
    hmac(deriveFirst(key, 'row-seal-user/1'), '7', Buffer.alloc(32), Buffer.alloc(8));
  await owner.query(
    `insert into identity.users (id, avatar_seed, author_seed, speaker_id, seal, facts, look_on) values (7, '', $1, $2, $3, $1, '2026-11-01')`,
    [Buffer.alloc(32), Buffer.alloc(8), sealedWith(oldest)],
  );
  await expect(beside(own, [newer, newKey(1)])).rejects.toThrow('key 1 is not the one');
  const upgraded = await beside(own, ring);
  expect(upgraded.deps.keys.of('id-vent/1')).toEqual(deriveFirst(oldest, 'id-vent/1'));
  expect(upgraded.deps.keys.ring('row-seal-user/1')).toEqual([deriveFirst(oldest, 'row-seal-user/1')]);

  // A number that was made with key 1 and wrapped with key 2. The next sign-in stores it as they are made now.
  const person = await signIn(upgraded);
  const index = createPhoneIndex(upgraded.deps, own.config.phoneIndexCost);
  const wrapped = (await index.lookupCandidates(person.phone)).find(({ wrappedBy }) => wrappedBy.length > 0);
  if (!wrapped) throw new Error('no wrapped entry');
  const { keyId, wrappedBy, idx, seal } = index.seal(wrapped, person.userId);
  const change = 'update identity.phone_index set key_id = $1, wrapped_by = $2, idx = $3, seal = $4';
  await owner.query(change, [keyId, wrappedBy, idx, seal]);
  for (const state of [
    [1, [2]],
    [2, []],
  ] as const) {
    const { rows } = await owner.query('select key_id, wrapped_by from identity.phone_index');
    expect(rows).toEqual([{ key_id: state[0], wrapped_by: state[1] }]);
    expect(await signIn(upgraded, person.phone)).toMatchObject({ isNewUser: false, userId: person.userId });
  }
});
