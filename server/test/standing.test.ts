import * as contract from '@unsaid/contract';
import {
  acceptMatch,
  changeUsername,
  commentOnVent,
  createVent,
  deleteVent,
  getSelf,
  listInbox,
  listVents,
  matchSuggestions,
  react,
  rejectMatch,
  updateDetails,
  type Endpoint,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import { createCaseBox } from '../src/moderation/case-box.ts';
import { voidNotice } from '../src/moderation/notices/notices.queries.ts';
import { ownTestApp, startBehindProxy, useTestApp, usePool, type Actor } from './app.ts';
import { makeDecision } from './decisions.ts';
import { keysOf, makeUser, makeVent, runJob, sanction, signIn } from './factories.ts';
import { listTables, schemasBut } from './tables.ts';

const app = useTestApp({ limitsScale: 1000 });
const rows = usePool(app);
const hour = 3_600_000;
const day = 24 * hour;

const codeOf = async (answer: Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await answer;
  return body.code ?? String(status);
};
const post = (as: Actor) =>
  codeOf(app.call(createVent, { as, body: { title: 'A title', text: 'Some words', emotion: 'Sad' } }));
const read = (as: Actor) => codeOf(app.call(listVents, { as, query: {} }));

test('calls that others can see are marked as speaking, and no other', () => {
  const speaking = Object.values(contract).flatMap((one) => {
    const endpoint = one as Partial<Endpoint>;
    return typeof one === 'object' && endpoint.isSpeaking ? [endpoint.path] : [];
  });
  expect(speaking.toSorted()).toEqual([
    '/api/auth/change-username',
    '/api/auth/update-details',
    '/api/match/accept',
    '/api/vent/comment',
    '/api/vent/create',
    '/api/vent/held/:id/release',
  ]);
});

test('a limited person reads, reacts, deletes and answers no, but does not speak', async () => {
  const [person, other] = [await makeUser(app), await makeUser(app)];
  const [own, theirs] = [await makeVent(app, person), await makeVent(app, other)];
  const [match] = (await app.call(matchSuggestions, { as: person })).body.matches;
  const matchId = match?._id ?? '';
  await sanction(app, person, 'limit');
  expect((await app.call(getSelf, { as: person })).body.user).toMatchObject({ limited: true });
  expect((await app.call(getSelf, { as: person })).body.user).not.toHaveProperty('suspended');

  const spoken = [
    post(person),
    codeOf(app.call(commentOnVent, { as: person, body: { ventId: theirs.id, text: 'Hello' } })),
    codeOf(app.call(changeUsername, { as: person, body: { newUsername: 'limited_one' } })),
    codeOf(app.call(updateDetails, { as: person, body: { bio: 'Hello' } })),
    codeOf(app.call(acceptMatch, { as: person, body: { matchId } })),
  ];
  expect(new Set(await Promise.all(spoken))).toEqual(new Set(['ACCOUNT_LIMITED']));

  expect(await read(person)).toBe('200');
  expect(await codeOf(app.call(listInbox, { as: person, query: {} }))).toBe('200');
  const hug = { ventId: theirs.id, reactionType: 'hug' as const, active: true };
  expect(await codeOf(app.call(react, { as: person, body: hug }))).toBe('200');
  expect(await codeOf(app.call(rejectMatch, { as: person, body: { matchId } }))).toBe('200');
  expect(await codeOf(app.call(deleteVent, { as: person, params: { id: own.id } }))).toBe('200');
  // Others are not limited with them.
  expect(await post(other)).toBe('201');
});

test.each(['suspend', 'ban'] as const)('%s: neither reads nor speaks', async (kind) => {
  const person = await makeUser(app);
  await sanction(app, person, kind);
  expect(await read(person)).toBe('ACCOUNT_SUSPENDED');
  expect(await post(person)).toBe('ACCOUNT_SUSPENDED');
  const { user } = (await app.call(getSelf, { as: person })).body;
  expect(user).toMatchObject({ suspended: true });
  expect(user).not.toHaveProperty('limited');
});

test('the stricter of two sanctions counts, and the other one is left after it', async () => {
  const person = await makeUser(app);
  const keys = await keysOf(app, person);
  const now = app.clock.now();
  await makeDecision(app, keys, { sanction: 'limit', endsAt: new Date(now + 9 * day) });
  await makeDecision(app, keys, { sanction: 'suspend', endsAt: new Date(now + 7 * day) });
  expect(await read(person)).toBe('ACCOUNT_SUSPENDED');
  app.clock.advance(7 * day);
  expect([await read(person), await post(person)]).toEqual(['200', 'ACCOUNT_LIMITED']);
  app.clock.advance(2 * day);
  expect(await post(person)).toBe('201');
});

describe('the cache', () => {
  /** Writes the rows without telling the server. */
  const decideUnseen = async (person: Actor) => {
    const keys = await keysOf(app, person);
    const { caseId } = await makeDecision(app, keys, { sanction: 'none' });
    const { slotKey } = await app.deps.databases.moderation
      .selectFrom('moderation.notices')
      .select('slotKey')
      .where('caseId', '=', caseId)
      .executeTakeFirstOrThrow();
    const now = app.clock.now();
    await app.deps.databases.moderation
      .updateTable('moderation.notices')
      .set({
        sealed: createCaseBox(app.deps.keys).seal('notice', slotKey, {
          points: 2,
          sanction: 'suspend',
          startsAt: now,
          endsAt: now + day,
        }),
      })
      .where('caseId', '=', caseId)
      .execute();
    return keys;
  };

  test('a decision shows at once, and one that is not announced after the time of the cache', async () => {
    const person = await makeUser(app);
    expect(await read(person)).toBe('200');
    const keys = await decideUnseen(person);
    expect(await read(person)).toBe('200');
    await app.features.standing.invalidate(keys);
    expect(await read(person)).toBe('ACCOUNT_SUSPENDED');
  });

  test('sensitive calls do not use it', async () => {
    const person = await makeUser(app);
    expect(await read(person)).toBe('200');
    await decideUnseen(person);
    const renamed = app.call(changeUsername, { as: person, body: { newUsername: 'too_late' } });
    expect(await codeOf(renamed)).toBe('ACCOUNT_SUSPENDED');
  });

  test('lasts 60 seconds, under a name and with a value that tell nothing', async () => {
    const [person, other, loud] = [await makeUser(app), await makeUser(app), await makeUser(app)];
    await sanction(app, person, 'ban');
    for (let n = 0; n < 16; n += 1) await sanction(app, loud, 'suspend');
    for (const one of [person, other, loud]) await read(one);
    const names = await app.redis.keys(`${app.config.redisPrefix}standing:*`);
    const texts = await Promise.all(names.map((name) => app.redis.get(name)));
    expect(names.length).toBeGreaterThan(2);
    // Nor does its length tell who is sanctioned, and how often.
    expect(new Set(texts.map((text) => text?.length)).size).toBe(1);
    for (const name of names) {
      const left = await app.redis.ttl(name);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(60);
    }
    const all = [...names, ...texts].join('\n');
    expect(all).not.toMatch(/"ban"|suspend|limit/u);
    const keys = await keysOf(app, person);
    for (const form of ['hex', 'base64', 'base64url'] as const)
      for (const key of [keys.speakerId, ...keys.noticeSlots()])
        expect(all).not.toContain(key.toString(form));
  });

  test('without Redis the database answers', async () => {
    const person = await makeUser(app);
    await sanction(app, person, 'suspend');
    const { second, redis } = await startBehindProxy(app);
    await redis.refuse();
    const keys = await keysOf(app, person);
    expect(await second.features.standing.find(keys, { skipCache: false })).toBe('suspended');
  });
});

test('a sanction that starts later begins by itself, without another write', async () => {
  const person = await makeUser(app);
  const now = app.clock.now();
  await makeDecision(app, await keysOf(app, person), {
    sanction: 'limit',
    startsAt: new Date(now + 3 * hour),
    endsAt: new Date(now + 3 * day),
  });
  expect(await post(person)).toBe('201');
  app.clock.advance(3 * hour - 1);
  expect(await post(person)).toBe('201');
  app.clock.advance(1);
  expect(await post(person)).toBe('ACCOUNT_LIMITED');
  app.clock.advance(3 * day);
  expect(await post(person)).toBe('201');
});

test('a voided sanction ends at once, also one that has not started', async () => {
  const person = await makeUser(app);
  const keys = await keysOf(app, person);
  const now = app.clock.now();
  const running = await makeDecision(app, keys, { sanction: 'suspend' });
  const later = { startsAt: new Date(now + hour), endsAt: new Date(now + 3 * day) };
  const waiting = await makeDecision(app, keys, { sanction: 'limit', ...later });
  for (const { caseId } of [running, waiting])
    await voidNotice(app.deps.databases.moderation, caseId, new Date(app.clock.now()));
  await app.features.standing.invalidate(keys);
  expect(await read(person)).toBe('200');
  app.clock.advance(2 * hour);
  expect(await post(person)).toBe('201');
});

test('a sanction of one person is no sanction of another, and no account or item carries it', async () => {
  const [person, other] = [await makeUser(app), await makeUser(app)];
  const before = await dumpOthers();
  await sanction(app, person, 'ban');
  expect(await read(other)).toBe('200');
  expect(await dumpOthers()).toEqual(before);
});

/** Every row outside the moderation schema. */
async function dumpOthers(): Promise<unknown> {
  const tables = await listTables(rows, schemasBut('moderation'));
  return Promise.all(
    tables.map(async (name) => [name, (await rows.query(`select * from ${name} order by 1`)).rows]),
  );
}

describe('matching', () => {
  test('suspended and banned people are passed over, limited ones and those whose sanction has not begun are not', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => makeUser(app)));
    const [good, limited, suspended, banned, later] = await Promise.all(
      people.map((person) => keysOf(app, person)),
    );
    if (!good || !limited || !suspended || !banned || !later) throw new Error('no people');
    await makeDecision(app, limited, { sanction: 'limit' });
    await makeDecision(app, suspended, { sanction: 'suspend' });
    await makeDecision(app, banned, { sanction: 'ban' });
    const starts = { startsAt: new Date(app.clock.now() + hour), endsAt: new Date(app.clock.now() + day) };
    await makeDecision(app, later, { sanction: 'ban', ...starts });
    const all = [good, limited, suspended, banned, later];
    expect(await app.features.standing.suspendedAmong(all)).toEqual(new Set([suspended, banned]));
  });

  test('the nightly job introduces no suspended person to anybody', async () => {
    const own = await ownTestApp({ limitsScale: 1000 });
    const [banned] = [await signIn(own), await signIn(own), await signIn(own)] as const;
    await sanction(own, banned, 'ban');
    await runJob(own, 'top-up-suggestions');
    const made = await own.deps.databases.matching
      .selectFrom('matching.pairs')
      .select(['aKey', 'bKey'])
      .execute();
    const people = made.flatMap(({ aKey, bKey }) => [aKey, bKey].map(own.pairKeys.decode));
    expect(people).toHaveLength(2);
    expect(people).not.toContain(banned.userId);
  });

  test('asking about 20 people is one statement, which reads the index of slots', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, async () => keysOf(app, await signIn(app))));
    const [author] = people;
    if (!author) throw new Error('no people');
    await makeDecision(app, author, { sanction: 'suspend' });
    await rows.query(`
      with one as (select * from moderation.cases limit 1),
      made as (
        insert into moderation.cases (subject_key, subject_kind, source, policy, severity, language, state, opened_at,
                                      due_at, outcome, decided_by, decided_at, appeal_until)
        select substr(sha256(n::text::bytea), 1, 16), 'vent', 'staff', 'other', 1, 'en', 'decided', opened_at, due_at,
               'remove', decided_by, decided_at, appeal_until
          from one, generate_series(1, 20000) as n returning id, decided_at)
      insert into moderation.notices (slot_key, case_id, kind, policy, policy_version, sealed, made_on, expires_at)
      select substr(sha256((-id)::text::bytea), 1, 16), id, 'remove', 'other', 1, decode(repeat('00', 1052), 'hex'),
             decided_at, decided_at + interval '180 days' from made`);
    await rows.query('analyze moderation.notices');
    const from = app.statements.length;
    expect(await app.features.standing.suspendedAmong(people)).toEqual(new Set([author]));
    const asked = app.statements.slice(from);
    expect(asked.map(({ role }) => role)).toEqual(['moderation']);
    const slotKeys = people.flatMap((person) => person.noticeSlots());
    expect(slotKeys).toHaveLength(20 * 16);
    const { rows: plan } = await rows.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off) ${asked[0]?.text}`,
      [slotKeys],
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('notices_slot_key_key');
  });
});
