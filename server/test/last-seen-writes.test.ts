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
import { startReadOnly, useTestApp, type TestApp } from './app.ts';
import { withClient } from './db.ts';
import { makeComment, makeUser, makeVent, markConfirmed, type Person } from './factories.ts';

/**
 * A sign-in writes a session. Anything else that the visit writes milliseconds later can be linked to it by a copy of
 * the files or of the log (F5). So a person who only reads must send no statement that writes or locks a row: a row
 * lock is a write too.
 */

const app = useTestApp({ logLevel: 'silent' });
let person: Person;
let ventId: string;
let peerId: string;

beforeAll(async () => {
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
});

type Read = readonly [string, Endpoint, { readonly params?: object; readonly query?: object }];

/** The input that each call needs to return 200. */
const needs = new Map<Endpoint, () => Read[2]>([
  [getUser, () => ({ params: { id: person.user._id } })],
  [getVent, () => ({ params: { id: ventId } })],
  [listComments, () => ({ params: { id: ventId } })],
  [searchVents, () => ({ query: { query: 'words' } })],
]);

/** Every read of a signed-in person. Suggestions are left out: requesting them creates pairs. */
const reads: Read[] = endpoints
  .filter((one: Endpoint) => one.method === 'GET' && one.auth !== 'public' && one !== matchSuggestions)
  .map((one: Endpoint): Read => [one.path, one, {}]);
reads.push(
  ['/api/vent/all?mine=true', listVents, { query: { mine: 'true' } }],
  ['/api/vent/all?mine=true&query=words', listVents, { query: { mine: 'true', query: 'words' } }],
  ['/api/vent/all?sort=trending', listVents, { query: { sort: 'trending' } }],
  ['/api/auth/user/:id of a peer', getUser, {}],
);

async function sendRead(at: TestApp, [name, endpoint, input]: Read) {
  // An export requires reauthentication.
  if (endpoint === (exportData as Endpoint)) await markConfirmed(app, person);
  const params = name.endsWith(' of a peer') ? { params: { id: peerId } } : {};
  const answer = await at.call(endpoint, { as: person, ...needs.get(endpoint)?.(), ...input, ...params });
  await at.deps.backgroundDone();
  return answer;
}

/** The first visit after a night: nothing is cached. */
async function clearCaches(): Promise<void> {
  app.clock.advance(60_000);
  const keys = await app.redis.keys(`${app.config.redisPrefix}*`);
  const kept = keys.filter((key) => /sess|standing/u.test(key));
  if (kept.length > 0) await app.redis.del(kept);
}

/** A transaction without writes leaves no trace. */
const isReading = (text: string) =>
  /^\s*(?:select|with|begin|commit|rollback)\b/iu.test(text) &&
  !/\b(?:insert\s+into|update|delete\s+from)\b/iu.test(text) &&
  !/\bfor\s+(?:no\s+key\s+)?(?:key\s+)?(?:update|share)\b|advisory|nextval/iu.test(text);

async function findWrites(one: Read): Promise<string[]> {
  await clearCaches();
  app.statements.length = 0;
  expect((await sendRead(app, one)).status).toBe(200);
  expect(app.statements.length).toBeGreaterThan(0);
  return app.statements.map(({ text }) => text).filter((text) => !isReading(text));
}

describe('a person who only reads', () => {
  test('has more than ten calls to read with', () => {
    expect(reads.length).toBeGreaterThan(10);
  });

  for (const one of reads) {
    test(`sends only SELECT statements for ${one[0]} (R34)`, async () => {
      expect(await findWrites(one)).toEqual([]);
    });
  }

  describe('their matches', () => {
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

    test('creates pairs of their own search only, and writes no other row', async () => {
      const newcomers = [];
      for (let n = 0; n < 3; n += 1) newcomers.push(await makeUser(app));
      const before = new Map((await pairs()).map(({ id, row }) => [id, row]));
      app.statements.length = 0;
      const asked = await app.call(matchSuggestions, { as: person });
      await app.deps.backgroundDone();
      expect(asked.body.matches).toHaveLength(newcomers.length);
      const after = await pairs();
      const made = after.filter(({ id }) => !before.has(id));
      expect(made).toHaveLength(newcomers.length);
      for (const { asked_by: askedBy } of made) expect(app.pairKeys.decode(askedBy)).toBe(person.userId);
      for (const { id, row } of after) if (before.has(id)) expect(row).toBe(before.get(id));
      const writes = app.statements.map(({ text }) => text).filter((text) => !isReading(text));
      // An advisory lock on the people of the pairs, which leaves no trace, and the pairs.
      expect(
        writes.filter((text) => !/pg_advisory_xact_lock|^\s*insert into matching\.pairs/u.test(text)),
      ).toEqual([]);
      expect(writes).toHaveLength(2);
    });

    test('writes nothing where no one is new', async () => {
      const before = await pairs();
      app.statements.length = 0;
      await app.call(matchSuggestions, { as: person });
      await app.deps.backgroundDone();
      expect(await pairs()).toEqual(before);
      expect(app.statements.map(({ text }) => text).filter((text) => !isReading(text))).toEqual([]);
    });
  });

  describe('in a read-only database', () => {
    let second: TestApp;
    beforeAll(async () => {
      second = await startReadOnly(app);
    });
    afterAll(() => second.close());

    for (const one of reads) {
      test(`gets a 200 for ${one[0]}`, async () => {
        await clearCaches();
        expect((await sendRead(second, one)).status).toBe(200);
      });
    }
  });

  test('is found to write where a row is locked, or changed in a statement that begins otherwise', () => {
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
