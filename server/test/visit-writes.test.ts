import {
  changeUsername,
  endpoints,
  getUser,
  getVent,
  listComments,
  listVents,
  matchSuggestions,
  searchVents,
  ventsSince,
  type Endpoint,
} from '@unsaid/contract';
import { beforeAll, afterAll, describe, expect, test } from 'vitest';
import { startBeside, startTestApp, type TestApp } from './app.ts';
import { admin } from './db.ts';
import { makeComment, makeUser, makeVent, type Person } from './make.ts';

/**
 * A sign-in writes a session. Whatever else a visit writes, milliseconds later, a copy of the files or of the log
 * lays beside it (F5). So somebody who only looks must send no statement that writes, nor one that locks a row:
 * that is written too.
 */

let app: TestApp;
let person: Person;
let ventId: string;

beforeAll(async () => {
  app = await startTestApp({ logLevel: 'silent' });
  person = await makeUser(app);
  await app.call(changeUsername, { as: person, body: { newUsername: 'visitor' } });
  const other = await makeUser(app);
  ventId = (await makeVent(app, person)).id;
  await makeVent(app, other);
  await makeComment(app, other, ventId);
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
);
/** Weighed anew by a reader who finds it old: not by anybody's own row, but at the moment of a visit. */
const trending: Look = ['/api/vent/all?sort=trending', listVents, { query: { sort: 'trending' } }];

async function look(at: TestApp, [, endpoint, input]: Look) {
  const answer = await at.call(endpoint, { as: person, ...needs.get(endpoint)?.(), ...input });
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

const red = new Set<Endpoint>([ventsSince]);

describe('somebody who looks', () => {
  test('can look in more than ten ways', () => {
    expect(looks.length).toBeGreaterThan(10);
  });

  for (const one of looks) {
    (red.has(one[1]) ? test.fails : test)(`sends nothing but SELECT for ${one[0]}`, async () => {
      expect(await writesOf(one)).toEqual([]);
    });
  }

  test.fails(`sends nothing but SELECT for ${trending[0]}`, async () => {
    expect(await writesOf(trending)).toEqual([]);
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
      (red.has(one[1]) ? test.fails : test)(`is answered for ${one[0]}`, async () => {
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
