import {
  acceptMatch,
  changeUsername,
  endpoints,
  exportData,
  getUser,
  getVent,
  listComments,
  listVents,
  matchSuggestions,
  searchVents,
  updateDetails,
  type Endpoint,
} from '@unsaid/contract';
import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import { startBeside, startTestApp, type TestApp } from './app.ts';
import { admin, withClient } from './db.ts';
import { makeComment, makeUser, makeVent, markConfirmed, type Person } from './make.ts';

/**
 * A sign-in writes a session. Whatever else a visit writes, milliseconds later, a copy of the files or of the log
 * lays beside it (F5). So somebody who only looks must send no statement that writes, nor one that locks a row:
 * that is written too.
 */

let app: TestApp;
let person: Person;
let ventId: string;
let peerId: string;

beforeAll(async () => {
  app = await startTestApp({ logLevel: 'silent' });
  person = await makeUser(app);
  await app.call(changeUsername, { as: person, body: { newUsername: 'visitor' } });
  const other = await makeUser(app);
  ventId = (await makeVent(app, person)).id;
  await makeVent(app, other);
  await makeComment(app, other, ventId);
  for (const as of [person, other]) await app.call(updateDetails, { as, body: { feelings: ['Sad'] } });
  const [match] = (await app.call(matchSuggestions, { as: person })).body.matches;
  peerId = [match?.user1._id, match?.user2._id].find((id) => id !== person.user._id) ?? '';
  await app.call(acceptMatch, { as: person, body: { matchId: match?._id ?? '' } });
  await app.call(acceptMatch, { as: other, body: { matchId: match?._id ?? '' } });
  // Made once for everybody, by whoever comes first.
  await app.call(listVents, { as: other, query: { sort: 'trending' } });
});
afterAll(() => app.close());

type Look = readonly [string, Endpoint, { readonly params?: object; readonly query?: object }];

/** What each call needs to answer 200. */
const needs = new Map<Endpoint, () => Look[2]>([
  [getUser, () => ({ params: { id: person.user._id } })],
  [getVent, () => ({ params: { id: ventId } })],
  [listComments, () => ({ params: { id: ventId } })],
  [searchVents, () => ({ query: { query: 'words' } })],
]);

/** All that a signed-in person can read. Suggestions are left out: asking for them makes pairs. */
const looks: Look[] = endpoints
  .filter((one: Endpoint) => one.method === 'GET' && one.auth !== 'public' && one !== matchSuggestions)
  .map((one: Endpoint): Look => [one.path, one, {}]);
looks.push(
  ['/api/vent/all?mine=true', listVents, { query: { mine: 'true' } }],
  ['/api/vent/all?mine=true&query=words', listVents, { query: { mine: 'true', query: 'words' } }],
  ['/api/auth/user/:id of a peer', getUser, {}],
);
/** Weighed anew by a reader who finds it old: not by anybody's own row, but at the moment of a visit. */
const trending: Look = ['/api/vent/all?sort=trending', listVents, { query: { sort: 'trending' } }];

async function look(at: TestApp, [name, endpoint, input]: Look) {
  // An export asks for a fresh code.
  if (endpoint === (exportData as Endpoint)) await markConfirmed(app, person);
  const params = name.endsWith(' of a peer') ? { params: { id: peerId } } : {};
  const answer = await at.call(endpoint, { as: person, ...needs.get(endpoint)?.(), ...input, ...params });
  await at.deps.backgroundDone();
  return answer;
}

/** The first visit after a night: no copy of anything is left. */
async function comeAnew(): Promise<void> {
  app.clock.advance(60_000);
  const keys = await app.redis.keys(`${app.config.redisPrefix}*`);
  const kept = keys.filter((key) => /sess|standing/u.test(key));
  if (kept.length > 0) await app.redis.del(kept);
}

/** A transaction is opened and closed without a trace, if nothing is written in it. */
const isReading = (text: string) =>
  /^\s*(?:select|begin|commit|rollback)\b/iu.test(text) &&
  !/\bfor\s+(?:no\s+key\s+)?(?:key\s+)?(?:update|share)\b|advisory|nextval/iu.test(text);

async function writesOf(one: Look): Promise<string[]> {
  await comeAnew();
  app.statements.length = 0;
  expect((await look(app, one)).status).toBe(200);
  expect(app.statements.length).toBeGreaterThan(0);
  return app.statements.map(({ text }) => text).filter((text) => !isReading(text));
}

describe('somebody who looks', () => {
  test('can look in more than ten ways', () => {
    expect(looks.length).toBeGreaterThan(10);
  });

  for (const one of looks) {
    test(`sends nothing but SELECT for ${one[0]}`, async () => {
      expect(await writesOf(one)).toEqual([]);
    });
  }

  // One list for everybody, and nobody's own row: weighed again behind the answer of any reader who finds it old.
  test(`writes nothing but the list of trending for ${trending[0]}`, async () => {
    const writes = await writesOf(trending);
    expect(writes.filter((text) => !/content\.trending/u.test(text))).toEqual([]);
  });

  describe('at their matches', () => {
    const pairs = async () =>
      (
        await withClient(app.config.databaseUrl, (client) =>
          client.query<{ id: string; row: string; keys: Buffer[]; asked_by: Buffer }>(
            `select id::text, to_jsonb(t)::text as row, array[a_key, b_key] as keys,
                  case when is_asked_by_a then a_key else b_key end as asked_by
             from matching.pairs t order by id`,
          ),
        )
      ).rows;

    test('makes pairs of their own search alone, and writes no other row', async () => {
      const newcomers = [];
      for (let n = 0; n < 3; n += 1) newcomers.push(await makeUser(app));
      const before = new Map((await pairs()).map(({ id, row }) => [id, row]));
      app.statements.length = 0;
      const asked = await app.call(matchSuggestions, { as: person });
      await app.deps.backgroundDone();
      expect(asked.body.matches).toHaveLength(newcomers.length);
      const mine = app.deps.seals.pairKey(person.userId);
      const after = await pairs();
      const made = after.filter(({ id }) => !before.has(id));
      expect(made).toHaveLength(newcomers.length);
      for (const { asked_by: askedBy } of made) expect(askedBy).toEqual(mine);
      for (const { id, row } of after) if (before.has(id)) expect(row).toBe(before.get(id));
      const writes = app.statements.map(({ text }) => text).filter((text) => !isReading(text));
      // A lock on the people of the pairs, which leaves no trace, and the pairs.
      expect(
        writes.filter((text) => !/pg_advisory_xact_lock|^\s*insert into matching\.pairs/u.test(text)),
      ).toEqual([]);
      expect(writes).toHaveLength(2);
    });

    test('writes nothing where there is nobody new', async () => {
      const before = await pairs();
      app.statements.length = 0;
      await app.call(matchSuggestions, { as: person });
      await app.deps.backgroundDone();
      expect(await pairs()).toEqual(before);
      expect(app.statements.map(({ text }) => text).filter((text) => !isReading(text))).toEqual([]);
    });
  });

  describe('in a database that takes no writes', () => {
    let second: TestApp;
    beforeAll(async () => {
      const { pathname } = new URL(app.config.databaseUrl);
      await admin((client) =>
        client.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`),
      );
      second = await startBeside(app);
    });
    afterAll(() => second.close());

    for (const one of looks) {
      test(`is answered for ${one[0]}`, async () => {
        await comeAnew();
        expect((await look(second, one)).status).toBe(200);
      });
    }
  });

  test('is seen to write where a row is locked, or changed in a query that begins otherwise', () => {
    for (const text of [
      'select 1 from content.vents for key share',
      'select 1 from content.vents for no key update',
      'with old as (select 1) update content.vents set title = title',
      'insert into content.vents default values',
    ])
      expect(isReading(text)).toBe(false);
    expect(isReading('select id from content.vents')).toBe(true);
  });
});
