/**
 * @module-tag full
 * A day later: a wrong plan is slow with hundreds of thousands of vents. search.test.ts and feed.test.ts find wrong
 * results on every change.
 */
import {
  acceptMatch,
  changeUsername,
  commentOnVent,
  createVent,
  exportData,
  getUser,
  getVent,
  listComments,
  listInbox,
  listen,
  listVents,
  matchHistory,
  matchSuggestions,
  openLiveTicket,
  pendingMatches,
  react,
  rejectMatch,
  searchVents,
  setVentComments,
  updateDetails,
  ventWeather,
  ventsSince,
  type Endpoint,
  withdrawMatch,
} from '@unsaid/contract';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { samplePlan, uniformPlan } from '../src/matching/candidate-selection.ts';
import { addDays, today } from '../src/platform/clock.ts';
import { transaction } from '../src/platform/db.ts';
import { seedUsers } from '../seed/people.ts';
import { rewriteTrending } from '../src/content/feed/feed.queries.ts';
import { parseSearchTerms, soundsOfVent } from '../src/content/search/search-terms.ts';
import { createBenchmarkTexts, wordAt } from '../seed/benchmark-texts.ts';
import { seedVents } from '../seed/vents.ts';
import { createPairCipher } from '../src/matching/pair-details.ts';
import { newDetails } from '../src/matching/pair-view.ts';
import { weekOf } from '../src/platform/coarse-days.ts';
import { useTestApp } from './app.ts';
import { makeComment, makeUser, makeVent, markConfirmed, runJob, type Person } from './factories.ts';
import { pairKeysOf } from './pairs.ts';

/**
 * Query plans of the statements that the hot calls run, with the settings of the pools and on a database large
 * enough to show a wrong plan. No statement scans a growing table sequentially.
 */
const vents = 30_000;
const users = 3000;
const growing = new Set([
  'vents',
  'vent_stats',
  'comments',
  'taken_slots',
  'reactions',
  'users',
  'vent_search',
  'sessions',
  'pairs',
  'shut_outs',
  'idempotency',
  'held_vents',
  'thanks',
]);

/** Words that the parser of PostgreSQL splits, joins or quotes. */
const oddWords = [
  "it's o'clock",
  'e-mail me at some.body@example.com',
  'see example.com/~path/a=Sad?x=1 and /usr/share/~b',
  'half 12.5 -3e-7 v1.2.3',
  "back\\slash and '' quotes <b>bold</b> x<->y",
  'naïve café Ünïcode ŉ',
  'नींद-नहीं आती',
  'ज़िन्दगी की परीक्षा',
];

const app = useTestApp({ limitsScale: 1_000_000 });
let database: pg.Client;
let me: Person;
let mine: string;
let othersVent: string;
let deepVent: string;

beforeAll(async () => {
  const { databases: db, publicIds, persons, speakers } = app.deps;
  const userIds: bigint[] = [];
  for await (const ids of seedUsers(db.identity, {
    seals: app.deps.seals,
    users,
    seed: 1,
    today: today(app.clock),
  }))
    userIds.push(...ids);
  const options = {
    seed: 1,
    vents,
    users,
    texts: createBenchmarkTexts,
    persons,
    speakers,
    now: app.clock.now(),
  };
  database = new pg.Client({ connectionString: app.config.databaseUrl });
  await database.connect();
  // Gaps between the ids, so that search has several segments to open.
  for await (const _ of seedVents(db.content, options))
    await database.query(`select setval('content.vents_id_seq', nextval('content.vents_id_seq') + 20000)`);
  await seedMatching(userIds);
  await database.query(
    `insert into identity.sessions (token_key, id, user_id, seal, facts)
     select sha256(id::text::bytea), id, id, sha256(id::text::bytea), substr(sha256(id::text::bytea), 1, 16) from identity.users`,
  );
  await database.query(
    `insert into content.shut_outs (vent_id, voice_key)
     select id, substr(sha256(id::text::bytea), 1, 16) from content.vents`,
  );
  await database.query(
    `insert into content.idempotency (key, sent_on) select sha256(id::text::bytea), $1 from content.vents`,
    [today(app.clock)],
  );
  await database.query(
    `insert into content.thanks (vent_id, no, thank_key, shown_from)
     select vent_id, no, substr(sha256(slot_key), 1, 16), $1 from content.comments`,
    [today(app.clock)],
  );
  // None is due: nothing here could open them.
  await database.query(
    `insert into content.held_vents (slot_key, goes_out_at, sealed)
     select substr(sha256(id::text::bytea), 1, 16), $1::timestamptz + interval '1 year', 'sealed' from content.vents`,
    [new Date(app.clock.now())],
  );
  // Among the oldest, so that the index has to find them.
  await database.query(
    `update content.vent_search
        set words = vent_search.words || to_tsvector('simple', content.folded(odd.text)) || odd.sounds::tsvector
       from unnest($1::text[], $2::text[]) with ordinality as odd (text, sounds, n)
      where vent_id = (select id from content.vents where state = 'visible' order by id limit 1 offset odd.n * 40)`,
    [oddWords, oddWords.map((body) => soundsOfVent({ title: '', body, hashtags: [] }))],
  );
  await database.query('analyze');
  me = await makeUser(app);
  await app.call(updateDetails, { as: me, body: { feelings: ['Sad', 'Anxious'], interests: ['music'] } });
  for (let n = 0; n < 12; n += 1) mine = (await makeVent(app, me)).id;
  const named = await makeUser(app);
  await app.call(changeUsername, { as: named, body: { newUsername: 'somebody_named' } });
  await makeComment(app, named, mine);
  const { rows } = await database.query<{ id: string }>(
    `select id from content.vents where state = 'visible' order by created_at desc, id desc limit 1 offset 100`,
  );
  deepVent = publicIds.vent.encode(BigInt(rows[0]?.id ?? 0));
  const { rows: loved } = await database.query<{ vent_id: string }>(
    'select vent_id from content.vent_stats order by comments desc limit 1',
  );
  othersVent = publicIds.vent.encode(BigInt(loved[0]?.vent_id ?? 0));
});
/** Twelve pairs for each person, with their neighbours by id: six of their own search, six of others'. */
async function seedMatching(userIds: readonly bigint[]): Promise<void> {
  const { clock } = app.deps;
  const keys = userIds.map((id) => app.pairKeys.encode(id, weekOf(today(clock))));
  const pairs = keys.flatMap((mine, n) =>
    keys.slice(n + 1, n + 7).map((theirs) => {
      const isAskedByA = mine.compare(theirs) < 0;
      return { isAskedByA, two: isAskedByA ? [mine, theirs] : [theirs, mine] };
    }),
  );
  const madeOn = today(clock);
  const cipher = createPairCipher(app.deps.keys);
  const details = newDetails({ score: 0.5, emotions: [], reasons: [] }, madeOn);
  // One in twenty is fresh and due for the rewrite.
  await database.query(
    `insert into matching.pairs (id, a_key, b_key, is_asked_by_a, week, is_fresh, details)
     select n * 7919 % 1000003, a_key, b_key, is_asked_by_a, $5, n % 20 = 0, details
       from unnest($1::bytea[], $2::bytea[], $3::boolean[], $4::bytea[])
            with ordinality as pair (a_key, b_key, is_asked_by_a, details, n)`,
    [
      pairs.map(({ two }) => two[0]),
      pairs.map(({ two }) => two[1]),
      pairs.map(({ isAskedByA }) => isAskedByA),
      pairs.map(({ isAskedByA, two: [aKey, bKey] }) =>
        cipher.seal(details, {
          aKey: aKey as Buffer,
          bKey: bKey as Buffer,
          isAskedByA,
          week: weekOf(madeOn),
        }),
      ),
      weekOf(madeOn),
    ],
  );
}

afterAll(async () => {
  await database.end();
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Plan Rows': number;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

let prepared = 0;

/**
 * Plans a statement with the role of its pool. A generic plan does not depend on values, so null will do for
 * them; a custom plan needs real ones.
 */
async function explain(
  role: string,
  text: string,
  mode: string,
  values?: readonly string[],
  options: '' | 'analyze, ' = '',
): Promise<PlanNode[]> {
  prepared += 1;
  const name = `plan_${prepared}`;
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/gu)].map(([, number]) => Number(number)));
  const given = values ?? Array.from({ length: count }, () => 'null');
  await database.query(`set role unsaid_${role}; set plan_cache_mode = ${mode}`);
  try {
    await database.query(`prepare ${name} as ${text}`);
    const { rows } = await database.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
      `explain (${options}format json) execute ${name}${given.length > 0 ? `(${given.join(', ')})` : ''}`,
    );
    const [top] = rows[0]?.['QUERY PLAN'] ?? [];
    if (!top) throw new Error('no plan');
    return nodesOf(top.Plan);
  } finally {
    await database.query('reset role; reset plan_cache_mode');
  }
}

const seqScans = (nodes: readonly PlanNode[]) =>
  nodes
    .filter((node) => node['Node Type'].includes('Seq Scan') && growing.has(node['Relation Name'] ?? ''))
    .map((node) => `${node['Node Type']} on ${node['Relation Name']}`);

const isPlannable = (text: string) => /^\s*(?:select|insert|update|delete|with)\b/iu.test(text);

/** Makes the call and returns the statements it ran, each text once. */
async function statementsOf<E extends Endpoint>(endpoint: E, options: Parameters<typeof app.call<E>>[1]) {
  // By then the cached pages have expired, and the list of trending has not.
  app.clock.advance(1100);
  await transaction(app.deps.databases.content, (tx) => rewriteTrending(tx, new Date(app.clock.now()), 50));
  const before = app.statements.length;
  const answer = await app.call(endpoint, { ...options, as: me } as never);
  expect(answer.status, answer.text).toBeLessThan(300);
  const seen = new Map(app.statements.slice(before).map((statement) => [statement.text, statement]));
  return [...seen.values()].filter(({ text }) => isPlannable(text));
}

interface HotCall {
  readonly name: string;
  /** Parts of SQL that must be among the statements, so that the test cannot pass on an empty list. */
  readonly must: readonly RegExp[];
  make(): ReturnType<typeof statementsOf>;
}

const byEmotion = /as chosen \(emotion\)/u;
const byId = /vent\.id = any\(/u;
const newestComments = /cross join lateral/u;
const myReactions = /join content\.reactions/u;
const names = /from identity\.users/u;
const waitingList = /from content\.vent_stats\s+where answers < 2/u;
const facts = /interests[\s\S]*from identity\.users where id = /u;
const candidates = /as wanted \(feelings, most\)/u;
const pairsOfMine = /as mine \(key, n\)\s+cross join lateral \(select \*/u;
const threads = /as thread \(vent_id, is_own, after_no, seen_no, n\)/u;
const ownPlaces = /from content\.comments\s+where slot_key = substring\(given\.keys/u;
const found = /not is_asked_by_a/u;
/** It writes the comment with all that belongs to it. A test of its own looks at the statements in it. */
const addComment = /select content\.add_comment\(/u;
const pairByNumber = /from "matching"\."pairs" where "id" = /u;

/**
 * The queries for a person's own vents and comments, with the indexes they use. None reads other people's rows.
 */
const ownItems = new Map([
  [/from content\.taken_slots/u, ['taken_slots_pkey']],
  [/join content\.comments as comment on comment\.slot_key = slot\.key/u, ['comments_slot']],
  [/from content\.vents\s+where slot_key = substring\(given\.keys/u, ['vent_stats_pkey', 'vents_slot']],
]);

/**
 * Statements of an export, of the content role only: identity is read by id, and few users here ever signed in.
 */
async function runExport() {
  await makeComment(app, me, othersVent, { anonymous: true });
  await markConfirmed(app, me);
  return (await statementsOf(exportData, {})).filter(({ role }) => role === 'content');
}

const hotCalls: HotCall[] = [
  {
    name: 'the feed, page 1',
    must: [/from content\.vents[\s\S]*offset/u, /count\(\*\)/u, byId, newestComments, myReactions, names],
    make: () => statementsOf(listVents, { query: {} }),
  },
  { name: 'the feed, page 10', must: [byId], make: () => statementsOf(listVents, { query: { page: '10' } }) },
  {
    name: 'the feed, a page of a hundred',
    must: [byId],
    make: () => statementsOf(listVents, { query: { limit: '100', page: '7' } }),
  },
  {
    name: 'the feed, older vents',
    must: [/created_at, vent\.id\) < /u, byId],
    make: () => statementsOf(listVents, { query: { before: deepVent } }),
  },
  {
    name: 'trending',
    must: [/from "content"\."trending"/u, byId],
    make: () => statementsOf(listVents, { query: { sort: 'trending' } }),
  },
  {
    name: 'the feed, one emotion',
    must: [byEmotion, byId],
    make: () => statementsOf(listVents, { query: { emotion: 'Sad' } }),
  },
  {
    name: 'the feed, three emotions, a page of a hundred',
    must: [byEmotion, byId],
    make: () => statementsOf(listVents, { query: { emotion: 'Sad,Angry,Neutral', limit: '100', page: '7' } }),
  },
  {
    name: 'the feed, two emotions, older vents',
    must: [byEmotion, byId],
    make: () => statementsOf(listVents, { query: { emotion: 'Happy,Burnout', before: deepVent } }),
  },
  {
    name: 'trending, two emotions',
    must: [/from "content"\."trending"/u, byId],
    make: () => statementsOf(listVents, { query: { sort: 'trending', emotion: 'Sad,Anxious' } }),
  },
  {
    name: 'own vents, one emotion',
    must: [/slot_key = substring\(given\.keys/u],
    make: () => statementsOf(listVents, { query: { mine: 'true', emotion: 'Sad' } }),
  },
  {
    name: 'a draw for a listener, which reads the list',
    must: [waitingList, /language from content\.vents/u, byId],
    make: () => statementsOf(listen, { query: { count: '5' } }),
  },
  {
    name: 'one vent',
    must: [byId, newestComments, myReactions, names],
    make: () => statementsOf(getVent, { params: { id: othersVent } }),
  },
  {
    name: 'own vents',
    must: [/from content\.taken_slots/u, /slot_key = substring\(given\.keys/u, byId],
    make: () => statementsOf(listVents, { query: { mine: 'true' } }),
  },
  {
    name: 'own vents, older',
    must: [byId],
    make: () => statementsOf(listVents, { query: { mine: 'true', before: mine } }),
  },
  {
    name: 'own vents with a word',
    must: [/vent_search/u],
    make: () => statementsOf(listVents, { query: { mine: 'true', query: 'number' } }),
  },
  {
    name: 'comments of a vent',
    must: [/from content\.comments/u, names],
    make: () => statementsOf(listComments, { params: { id: othersVent }, query: {} }),
  },
  {
    name: 'a reaction',
    must: [/insert into content\.reactions/u, /update "content"\."vent_stats"/u],
    make: () => statementsOf(react, { body: { ventId: othersVent, reactionType: 'hug', active: true } }),
  },
  {
    name: 'a reaction taken back',
    must: [/delete from content\.reactions/u],
    make: () => statementsOf(react, { body: { ventId: othersVent, reactionType: 'hug', active: false } }),
  },
  {
    name: 'a comment',
    must: [/from content\.taken_slots[\s\S]*from content\.shut_outs/u, addComment],
    make: () => statementsOf(commentOnVent, { body: { ventId: othersVent, text: 'I hear you' } }),
  },
  {
    name: 'a comment as Anonymous',
    must: [/from content\.taken_slots[\s\S]*from content\.shut_outs/u, addComment],
    make: () =>
      statementsOf(commentOnVent, { body: { ventId: othersVent, text: 'I hear you', anonymous: true } }),
  },
  {
    name: 'an export',
    must: [...ownItems.keys()],
    make: runExport,
  },
  {
    name: 'a vent',
    must: [
      /from content\.taken_slots/u,
      /slot_key = any/u,
      /insert into content\.taken_slots[\s\S]*insert into content\.idempotency[\s\S]*insert into content\.vents/u,
    ],
    make: () =>
      statementsOf(createVent, { body: { title: 'New', text: `words ${app.clock.now()}`, emotion: 'Sad' } }),
  },
  {
    name: 'closing a vent for comments',
    must: [/update "content"\."vent_stats"/u],
    make: () => statementsOf(setVentComments, { params: { id: mine }, body: { allowComments: true } }),
  },
  {
    name: 'since you were here',
    must: [/stats\.last_no/u, threads],
    make: () => statementsOf(ventsSince, { query: {} }),
  },
  {
    name: 'the inbox',
    must: [/stats\.last_no/u, ownPlaces, threads, pairsOfMine],
    async make() {
      await makeComment(app, me, othersVent, { anonymous: true });
      return statementsOf(listInbox, { query: {} });
    },
  },
  {
    name: 'a ticket for the live connection',
    must: [/stats\.last_no/u, threads, pairsOfMine, /select created_at from content\.vents/u],
    make: () => statementsOf(openLiveTicket, { body: {} }),
  },
  {
    name: 'the check of sessions at a tick',
    must: [/from identity\.sessions/u],
    async make() {
      const before = app.statements.length;
      await app.features.sessions.areOpen([Buffer.alloc(32)]);
      return app.statements.slice(before);
    },
  },
  {
    name: 'comments from a given one on',
    must: [/no >= \$\d/u, names],
    async make() {
      const { comments } = (await app.call(getVent, { as: me, params: { id: othersVent } })).body.vent;
      const query = { from: comments[0]?._id ?? '' };
      return statementsOf(listComments, { params: { id: othersVent }, query });
    },
  },
  { name: 'the weather', must: [/group by/u], make: () => statementsOf(ventWeather, {}) },
  {
    name: 'suggestions for a person who has none',
    must: [pairsOfMine, facts, candidates, found, /insert into matching\.pairs/u],
    async make() {
      await database.query('delete from matching.pairs where a_key = any($1) or b_key = any($1)', [
        pairKeysOf(app, me.userId),
      ]);
      madeStatements = await statementsOf(matchSuggestions, {});
      return madeStatements;
    },
  },
  {
    name: 'suggestions for a person who has ten',
    must: [pairsOfMine, names],
    make: () => statementsOf(matchSuggestions, {}),
  },
  {
    name: 'the profile of a peer',
    must: [pairByNumber, /from "identity"\."users" where "id" = /u],
    async make() {
      const [match] = (await app.call(matchSuggestions, { as: me })).body.matches;
      const id = [match?.user1._id, match?.user2._id].find((one) => one !== me.user._id) ?? '';
      return statementsOf(getUser, { params: { id } });
    },
  },
  {
    name: 'accepting a suggestion',
    must: [/for update/u, /update "matching"\."pairs"/u],
    make: () => answerWith(acceptMatch),
  },
  {
    name: 'rejecting a suggestion',
    must: [/for update/u, /update "matching"\."pairs"/u],
    make: () => answerWith(rejectMatch),
  },
  {
    name: 'taking back a yes',
    must: [/for update/u, /update "matching"\."pairs"/u],
    async make() {
      const [match] = (await app.call(matchSuggestions, { as: me })).body.matches;
      const body = { matchId: match?._id ?? '' };
      await app.call(acceptMatch, { as: me, body });
      return statementsOf(withdrawMatch, { body });
    },
  },
  {
    name: 'pending matches',
    must: [pairsOfMine, names],
    make: () => statementsOf(pendingMatches, {}),
  },
  {
    name: 'the match history',
    must: [pairsOfMine, names],
    make: () => statementsOf(matchHistory, {}),
  },
];

/** The statements that a search for suggestions ran. */
let madeStatements: Awaited<ReturnType<typeof statementsOf>> = [];

/** Values for the parameters of a statement, by the type that each is cast to. */
const valuesInOrder = (text: string, byType: Readonly<Record<string, string>>) =>
  [...text.matchAll(/\$\d+::(\w+)/gu)].map(([, type = '']) => byType[type] ?? 'null');

async function answerWith(endpoint: typeof acceptMatch | typeof rejectMatch) {
  const [match] = (await app.call(matchSuggestions, { as: me })).body.matches;
  return statementsOf(endpoint, { body: { matchId: match?._id ?? '' } });
}

describe(`with ${vents} vents and ${users} people`, () => {
  test('the content pool uses generic plans', async () => {
    const mode = sql<{ mode: string }>`select current_setting('plan_cache_mode') as mode`;
    expect((await mode.execute(app.deps.databases.content)).rows).toEqual([{ mode: 'force_generic_plan' }]);
  });

  test('no pool uses JIT compilation, which at ten million vents takes a hundred times as long as the statements', async () => {
    const { identity, content, matching } = app.deps.databases;
    const setting = sql<{ jit: string }>`select current_setting('jit') as jit`;
    for (const pool of [identity, content, matching])
      expect((await setting.execute(pool)).rows).toEqual([{ jit: 'off' }]);
  });

  test.each(hotCalls)('$name: no statement scans a growing table sequentially', async ({ make, must }) => {
    const statements = await make();
    for (const piece of must) expect(statements.map(({ text }) => text).join('\n;\n')).toMatch(piece);
    for (const { role, text } of statements) {
      const nodes = await explain(role, text, 'force_generic_plan');
      expect(seqScans(nodes), text).toEqual([]);
    }
  });

  test('an export finds the person’s own vents and comments by index, without reading other rows', async () => {
    const statements = await runExport();
    for (const [piece, indexes] of ownItems) {
      const { text } = statements.find((statement) => piece.test(statement.text)) ?? { text: '' };
      const nodes = await explain('content', text, 'force_generic_plan');
      expect(nodes.flatMap((node) => node['Index Name'] ?? []).toSorted(), text).toEqual(indexes);
    }
  });

  const indexesOf = (nodes: readonly PlanNode[]) =>
    nodes
      .map((node) => node['Index Name'])
      .filter(Boolean)
      .toSorted();
  const literal = (key: Buffer) => `'\\x${key.toString('hex')}'::bytea`;

  /** What was scanned in this transaction: tables row by row, and indexes. */
  async function countScans(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await database.query<{ name: string; scans: string }>(
      `select relname as name, pg_stat_get_xact_numscans(oid) as scans from pg_class
        where relnamespace = 'content'::regnamespace and relkind in ('r', 'i')`,
    );
    return new Map(rows.map(({ name, scans }) => [name, Number(scans)]));
  }

  // EXPLAIN does not show the statements of a function: this one runs, and what it scanned is counted.
  test('each statement in the function that writes a comment uses an index', async () => {
    const statements = await statementsOf(commentOnVent, {
      body: { ventId: othersVent, text: 'I hear you' },
    });
    const { role, text } = statements.find((one) => addComment.test(one.text)) ?? { role: '', text: '' };
    const ventId = String(app.deps.publicIds.vent.decode(othersVent));
    const { rows } = await database.query<{ next: number; known: Buffer[] }>(
      `select last_no + 1 as next, array(select voice_key from content.shut_outs where vent_id = $1) as known
         from content.vent_stats where vent_id = $1`,
      [ventId],
    );
    const [{ next, known } = { next: 0, known: [] }] = rows;
    const key = literal(randomBytes(16));
    const values = [
      ...[ventId, next, `array[${known.map(literal).join()}]::bytea[]`, "'anonymous'", key, key, "'Hello'"],
      ...[`'${today(app.clock)}'`, 1, 2, true, key, literal(randomBytes(32)), `'${today(app.clock)}'`, key],
    ];
    await database.query(
      `begin; set local role unsaid_${role}; set local plan_cache_mode = force_generic_plan`,
    );
    try {
      await database.query(`prepare add_comment as ${text}`);
      const before = await countScans();
      const added = await database.query<{ no: number }>(`execute add_comment(${values.join()})`);
      expect(added.rows).toEqual([{ no: next }]);
      const scanned = [...(await countScans())].filter(([name, scans]) => scans > (before.get(name) ?? 0));
      expect(scanned.map(([name]) => name).toSorted()).toEqual([
        'shut_outs_pkey',
        'taken_slots_pkey',
        'vent_stats_pkey',
        'vents_pkey',
      ]);
    } finally {
      await database.query('rollback');
    }
  });

  test('the pairs of a person are found by key, also with a custom plan', async () => {
    const keys = `array[${pairKeysOf(app, me.userId).map(literal).join()}]`;
    const read = (await statementsOf(pendingMatches, {})).find(({ text }) => pairsOfMine.test(text));
    const values = [keys];
    const nodes = await explain('matching', read?.text ?? '', 'force_custom_plan', values);
    expect(seqScans(nodes)).toEqual([]);
    expect(indexesOf(nodes)).toEqual(['pairs_b', 'pairs_two']);
  });

  test('the count of how often twenty people were found uses their keys, with a generic and with a custom plan', async () => {
    const { text } = madeStatements.find((one) => found.test(one.text)) ?? { text: '' };
    const { rows } = await database.query<{ a_key: Buffer }>(
      'select distinct a_key from matching.pairs limit 21',
    );
    const keys = `array[${rows.map((row) => literal(row.a_key)).join()}]`;
    for (const [mode, values] of [
      ['force_generic_plan', undefined],
      ['force_custom_plan', valuesInOrder(text, { bytea: keys, int: '3' })],
    ] as const) {
      const nodes = await explain('matching', text, mode, values);
      expect(seqScans(nodes), mode).toEqual([]);
      expect(new Set(indexesOf(nodes)), mode).toEqual(new Set(['pairs_b', 'pairs_two']));
      // One lookup for each key. Keys have no statistics, so for twenty at once the planner expects a tenth of
      // the table, and from a million pairs on it scans all of them.
      const expected = nodes
        .filter((node) => node['Relation Name'] === 'pairs')
        .map((node) => node['Plan Rows']);
      expect(Math.max(...expected), mode).toBeLessThan((users * 6) / 100);
    }
  });

  test.each([
    ['people who named feelings', samplePlan({ feelings: 0b10, preference: null })],
    ['people who named none', samplePlan({ feelings: 0, preference: null })],
    ['all people', uniformPlan],
  ])(
    'candidates for %s are read by index from a place on, in both directions, and nothing is sorted',
    async (_, plan) => {
      const { text } = madeStatements.find((one) => candidates.test(one.text)) ?? { text: '' };
      const list = (values: readonly number[]) => `array[${values.join()}]`;
      const known = [
        list(plan.map(({ feelings }) => feelings)),
        list(plan.map(({ most }) => most)),
        ...['12345', '4', '12345', '4', '4', `'${addDays(today(app.clock), -30)}'`],
      ];
      for (const [mode, values] of [
        ['force_generic_plan', undefined],
        ['force_custom_plan', known],
      ] as const) {
        const nodes = await explain('identity', text, mode, values);
        expect(seqScans(nodes), mode).toEqual([]);
        expect(indexesOf(nodes), mode).toEqual(['users_candidates', 'users_candidates']);
        for (const node of nodes.filter((one) => one['Index Name']))
          expect(node['Index Cond'], mode).toMatch(/feelings = wanted\.feelings.*place (?:>=|<)/u);
        expect(nodes.filter((node) => node['Node Type'].includes('Sort'))).toEqual([]);
      }
    },
  );

  test.each([
    [
      'settle-todays-pairs',
      /^\s*select "id" as key from "matching"\."pairs"\s+where is_fresh/u,
      ['pairs_fresh'],
    ],
    ['settle-todays-pairs', /with gone as \(delete from "matching"\."pairs"/u, ['pairs_fresh']],
    [
      'settle-ended-pairs',
      /^\s*select "id" as key from "matching"\."pairs"\s+where is_fresh/u,
      ['pairs_fresh'],
    ],
    ['release-held-vents', /with due as materialized/u, ['held_vents_due']],
    ['forget-old-matches', /from "matching"\."pairs" where "week" = \S+ and "id" >/u, ['pairs_week']],
    ['forget-old-matches', /from "matching"\."pairs" order by "week"/u, ['pairs_week']],
  ])('%s reads only the rows that it is about', async (job, piece, indexes) => {
    const before = app.statements.length;
    await runJob(app, job);
    const { role, text } = app.statements.slice(before).find((one) => piece.test(one.text)) ?? {
      role: '',
      text: '',
    };
    const nodes = await explain(role, text, 'force_generic_plan');
    expect(seqScans(nodes), text).toEqual([]);
    expect(indexesOf(nodes), text).toEqual(indexes);
  });

  test('the job of each minute reads only vents whose time is over or that were deleted', async () => {
    const { rows } = await database.query<{ id: string }>(
      `update content.vents set keep_days = 1
        where id = (select id from content.vents where state = 'visible' order by id limit 1) returning id`,
    );
    const before = app.statements.length;
    await runJob(app, 'remove-deleted-vents');
    const ran = app.statements.slice(before);
    for (const [piece, indexes] of [
      [/where keep_days = \S+ and created_at <= /u, ['vents_kept']],
      [/with over as/u, ['vents_pkey', 'vents_pkey']],
      [/where state = 'author_deleted' and id > /u, ['vents_deleted']],
      [/delete from "content"\."vents" where "id" = /u, ['thanks_pkey', 'vents_pkey']],
    ] as const) {
      const { role, text } = ran.find((one) => piece.test(one.text)) ?? { role: '', text: '' };
      const nodes = await explain(role, text, 'force_generic_plan');
      expect(seqScans(nodes), text).toEqual([]);
      expect(indexesOf(nodes), text).toEqual(indexes);
    }
    const left = await database.query('select from content.vents where id = $1', [rows[0]?.id]);
    expect(left.rowCount).toBe(0);
  });

  const searchStatement = /content\.in_segment/u;

  test.each([{}, { emotion: 'Sad,Neutral' }])(
    'search (%o) is one statement, which looks up words by their segment',
    async (more) => {
      const statements = await statementsOf(searchVents, { query: { query: 'parents exam', ...more } });
      const search = statements.filter(({ text }) => /content\.vent_search/u.test(text));
      expect(search.map(({ text }) => text)).toEqual([expect.stringMatching(searchStatement)]);
      for (const { role, text } of statements)
        expect(seqScans(await explain(role, text, 'force_generic_plan')), text).toEqual([]);
      const nodes = await explain('content', search[0]?.text ?? '', 'force_generic_plan');
      expect(new Set(indexesOf(nodes))).toEqual(
        new Set(['vent_search_pkey', 'vent_search_segments', 'vents_pkey']),
      );
    },
  );

  /** All vents that match, newest first, by reading every row. */
  async function findAll(query: string, emotions: readonly string[] | null = null) {
    const terms = parseSearchTerms(query);
    const { rows } = await database.query<{ id: string; is_exact: boolean }>(
      `with term as materialized (
         select exact, case when sound is null then exact else exact || sound::tsquery end as query
           from unnest($1::text[], $2::text[]) as typed (word, sound)
          cross join to_tsquery('simple', content.folded(word)) as exact where numnode(exact) > 0
       )
       select vent_id as id, not exists (select from term where not words @@ exact) as is_exact
         from content.vent_search join content.vents on id = vent_id
        where state = 'visible' and ($3::text[] is null or emotion = any($3))
          and not exists (select from term where not words @@ query)
        order by vent_id desc`,
      [terms.map(({ words }) => words), terms.map(({ sounds }) => sounds), emotions],
    );
    const { vent } = app.deps.publicIds;
    return rows.map(({ id, is_exact: isExact }) => ({ id: vent.encode(BigInt(id)), isExact }));
  }

  test('the vents are in several segments', async () => {
    const { rows } = await database.query<{ segments: number }>(
      'select count(distinct id >> 16)::int as segments from content.vents',
    );
    expect(rows[0]?.segments).toBeGreaterThan(5);
  });

  test('of a frequent and a rare word, only the rare one is looked up', async () => {
    const typed = parseSearchTerms(`parents ${wordAt(1000)}`);
    const lists = [typed.map(({ words }) => words), typed.map(({ sounds }) => sounds ?? '')].map(
      (list) => `array[${list.map((one) => `'${one.replaceAll("'", "''")}'`).join()}]`,
    );
    const statements = await statementsOf(searchVents, { query: { query: `parents ${wordAt(1000)}` } });
    const { text = '' } = statements.find((one) => searchStatement.test(one.text)) ?? {};
    const byCast: Record<string, string> = { bigint: String(2n ** 62n), int: '101' };
    // The two parameters without a cast are the words and their sounds. There is no filter by emotion.
    const values = [...text.matchAll(/\$\d+(?:::([\w[\]]+))?/gu)].map(([, cast]) =>
      cast === undefined ? (lists.shift() ?? '') : (byCast[cast] ?? 'null'),
    );
    const nodes = await explain('content', text, 'force_generic_plan', values, 'analyze, ');
    const gathered = nodes
      .filter((node) => node['Index Name'] === 'vent_search_segments')
      .reduce((sum, node) => sum + (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0), 0);
    const [frequent, rare] = [(await findAll('parents')).length, (await findAll(wordAt(1000))).length];
    expect(frequent).toBeGreaterThan(20 * rare);
    expect(gathered).toBeGreaterThan(0);
    // A mean over the segments is rounded.
    expect(gathered).toBeLessThan(2 * rare);
  });

  test.each([
    ...['parents', 'parents exam', '#exams', 'नींद', 'k', 'xylophonist', `parents ${wordAt(300)}`],
    ...['neend', 'nind', '#neend', 'nind nhi', 'pariksha', 'naind', 'zindgi'],
    ...[`${wordAt(10)} ${wordAt(11)}`, `study ${wordAt(12)} three`, wordAt(30), wordAt(1000)],
    ...oddWords,
    ...[
      "o'clock",
      'e-mail',
      'mail',
      'some.body@ex',
      'example.com/~path',
      '/usr/share/~b',
      '~b',
      '=Sad',
      'a=Sad',
    ],
    ...['12.5', '-3e-7', 'back\\slash', 'x<->y', '<b>bold', '#it', "cafe' & 'x", 'CAFÉ naive', 'नींद-न', 'ŉ'],
  ])('search for %s returns exactly the newest vents with it, whichever way finds them', async (query) => {
    const all = await findAll(query);
    const truth = all.map(({ id }) => id);
    const soundAlone = new Set(all.filter(({ isExact }) => !isExact).map(({ id }) => id));
    for (const limit of [5, 20, 100]) {
      const page = async (more: Record<string, string>) => {
        const asked = { query, limit: String(limit), ...more };
        const { body } = await app.call(searchVents, { as: me, query: asked });
        const ids = body.vents.map(({ _id }) => _id);
        expect(body.bySound ?? []).toEqual(ids.filter((id) => soundAlone.has(id)));
        return body;
      };
      const most = await page({});
      expect(most.vents.map(({ _id }) => _id)).toEqual(truth.slice(0, limit));
      expect(most.hasOlder).toBe(truth.length > limit);
      const first = await page({ page: '1' });
      expect(first.vents.map(({ _id }) => _id)).toEqual(truth.slice(0, limit));
      expect(first.pageCount).toBe(Math.min(10, Math.ceil(truth.length / limit)));
      expect(first.hasOlder).toBe(truth.length > 10 * limit);
      const tenth = await page({ page: '10' });
      expect(tenth.vents.map(({ _id }) => _id)).toEqual(truth.slice(9 * limit, 10 * limit));
      for (const place of [limit - 1, 120]) {
        const before = truth[place];
        if (before === undefined) continue;
        const older = await page({ before });
        expect(older.vents.map(({ _id }) => _id)).toEqual(truth.slice(place + 1, place + 1 + limit));
      }
    }
  });

  test.each(['Sad', 'Sad,Angry,Neutral'])(
    'the feed and searches of %s return exactly the newest vents of these emotions',
    async (emotion) => {
      for (const query of [undefined, 'parents', 'parents exam', wordAt(1000), `parents ${wordAt(300)}`]) {
        const truth = (await findAll(query ?? '', emotion.split(','))).map(({ id }) => id);
        for (const limit of [5, 100]) {
          const page = async (more: Record<string, string>) => {
            const asked = { emotion, limit: String(limit), ...more };
            return query === undefined
              ? (await app.call(listVents, { as: me, query: asked })).body
              : (await app.call(searchVents, { as: me, query: { query, ...asked } })).body;
          };
          for (const number of [1, 2, 10]) {
            const numbered = await page({ page: String(number) });
            expect(numbered.vents.map(({ _id }) => _id)).toEqual(
              truth.slice((number - 1) * limit, number * limit),
            );
            expect(numbered.pageCount).toBe(Math.min(10, Math.ceil(truth.length / limit)));
            expect(numbered.hasOlder).toBe(truth.length > 10 * limit);
          }
          for (const place of [limit - 1, 120]) {
            const before = truth[place];
            if (before === undefined) continue;
            const older = await page({ before });
            expect(older.vents.map(({ _id }) => _id)).toEqual(truth.slice(place + 1, place + 1 + limit));
            expect(older.hasOlder).toBe(truth.length > place + 1 + limit);
          }
        }
      }
    },
  );

  test('trending is rewritten from a fixed number of candidates, however many vents there are', () => {
    const rewrite = app.statements.find(({ text }) => text.includes('insert into content.trending'));
    expect(rewrite?.text).toMatch(/order by created_at desc, id desc limit \d+\) as vent/u);
  });

  test('the list of vents that wait is read from its index alone, in its order', async () => {
    app.clock.advance(60_000);
    const statements = await statementsOf(listen, { query: {} });
    const { text = '' } = statements.find((one) => waitingList.test(one.text)) ?? {};
    const nodes = await explain('content', text, 'force_generic_plan');
    expect(indexesOf(nodes)).toEqual([
      'vent_stats_waiting',
      'vent_stats_waiting',
      'vents_feed',
      'vents_feed',
    ]);
    const waiting = nodes.filter((node) => node['Index Name'] === 'vent_stats_waiting');
    expect(new Set(waiting.map((node) => node['Node Type']))).toEqual(new Set(['Index Only Scan']));
    expect(nodes.filter((node) => node['Node Type'].includes('Sort'))).toEqual([]);
  });

  test('the check detects a condition without an index', async () => {
    const nodes = await explain(
      'content',
      'select id from content.vents where title = $1',
      'force_generic_plan',
    );
    expect(seqScans(nodes)).toEqual(['Seq Scan on vents']);
  });
});
