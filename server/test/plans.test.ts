import {
  commentOnVent,
  getVent,
  listComments,
  listVents,
  react,
  searchVents,
  ventWeather,
  ventsSince,
  type Endpoint,
} from '@unsaid/contract';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { today } from '../src/platform/clock.ts';
import { transaction } from '../src/platform/db.ts';
import { seedUsers } from '../src/profiles/profiles.seed.ts';
import { rewriteTrending } from '../src/vents/vents.queries.ts';
import { seedVents } from '../src/vents/vents.seed.ts';
import { startTestApp, type TestApp } from './app.ts';
import { makeComment, makeUser, makeVent, type Person } from './make.ts';

/**
 * The statements that the hot calls really run, planned as the pools plan them on a community large
 * enough that a wrong plan shows. None of them walks through a table that grows.
 */
const vents = 30_000;
const users = 3000;
const growing = new Set([
  'vents',
  'vent_stats',
  'comments',
  'reactions',
  'users',
  'vent_search',
  'pens',
  'sessions',
]);

let app: TestApp;
let database: pg.Client;
let me: Person;
let mine: string;
let somebodys: string;
let deep: string;

beforeAll(async () => {
  app = await startTestApp({ limitsScale: 1_000_000 });
  const { db, seals } = app.deps;
  let firstUserId: bigint | undefined;
  for await (const ids of seedUsers(db.identity, { users, seed: 1, today: today(app.clock) }))
    firstUserId ??= ids[0];
  if (firstUserId === undefined) throw new Error('nobody was seeded');
  const options = { seed: 1, vents, users, firstUserId, seals, now: app.clock.now() };
  for await (const _ of seedVents(db.content, options)) void _;
  database = new pg.Client({ connectionString: app.config.databaseUrl });
  await database.connect();
  await database.query('analyze');
  me = await makeUser(app);
  for (let n = 0; n < 12; n += 1) mine = (await makeVent(app, me)).id;
  await makeComment(app, await makeUser(app), mine);
  const { rows } = await database.query<{ id: string }>(
    `select id from content.vents where state = 'visible' order by created_at desc, id desc limit 1 offset 100`,
  );
  deep = seals.vent.seal(BigInt(rows[0]?.id ?? 0));
  const { rows: loved } = await database.query<{ vent_id: string }>(
    'select vent_id from content.vent_stats order by comments desc limit 1',
  );
  somebodys = seals.vent.seal(BigInt(loved[0]?.vent_id ?? 0));
}, 120_000);
afterAll(async () => {
  await database.end();
  await app.close();
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

let prepared = 0;

/** As the pool would run it: by the same role, in the same plan mode. A generic plan is the same for all values. */
async function explain(
  role: string,
  text: string,
  mode: string,
  values?: readonly string[],
): Promise<PlanNode[]> {
  prepared += 1;
  const name = `plan_${prepared}`;
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/gu)].map(([, number]) => Number(number)));
  const given = values ?? Array.from({ length: count }, () => 'null');
  await database.query(`set role unsaid_${role}; set plan_cache_mode = ${mode}`);
  try {
    await database.query(`prepare ${name} as ${text}`);
    const { rows } = await database.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
      `explain (format json) execute ${name}${given.length > 0 ? `(${given.join(', ')})` : ''}`,
    );
    const [top] = rows[0]?.['QUERY PLAN'] ?? [];
    if (!top) throw new Error('no plan');
    return nodesOf(top.Plan);
  } finally {
    await database.query('reset role; reset plan_cache_mode');
  }
}

const walks = (nodes: readonly PlanNode[]) =>
  nodes
    .filter((node) => node['Node Type'].includes('Seq Scan') && growing.has(node['Relation Name'] ?? ''))
    .map((node) => `${node['Node Type']} on ${node['Relation Name']}`);

const isPlannable = (text: string) => /^\s*(?:select|insert|update|delete|with)\b/iu.test(text);

/** Makes the call and gives back what it ran, without what every call runs to let somebody in. */
async function statementsOf<E extends Endpoint>(endpoint: E, options: Parameters<typeof app.call<E>>[1]) {
  // Shared pages have gone by then, and the list of trending has not.
  app.clock.advance(1100);
  await transaction(app.deps.db.content, (tx) => rewriteTrending(tx, new Date(app.clock.now()), 50));
  const before = app.statements.length;
  const answer = await app.call(endpoint, { ...options, as: me } as never);
  expect(answer.status, answer.text).toBeLessThan(300);
  const seen = new Map(app.statements.slice(before).map((statement) => [statement.text, statement]));
  return [...seen.values()].filter(({ text }) => isPlannable(text));
}

interface HotCall {
  readonly name: string;
  /** Pieces of SQL that must be among the statements, so that the test cannot pass by looking at nothing. */
  readonly must: readonly RegExp[];
  make(): ReturnType<typeof statementsOf>;
}

const byId = /vent\.id = any\(/u;
const newestComments = /cross join lateral/u;
const myReactions = /join content\.reactions/u;
const names = /from identity\.users/u;

const hotCalls: HotCall[] = [
  {
    name: 'the feed, page 1',
    must: [/from content\.vents[\s\S]*offset/u, /count\(\*\)/u, byId, newestComments, myReactions, names],
    make: () => statementsOf(listVents, { query: {} }),
  },
  { name: 'the feed, page 10', must: [byId], make: () => statementsOf(listVents, { query: { page: '10' } }) },
  {
    name: 'the feed, a hundred at once',
    must: [byId],
    make: () => statementsOf(listVents, { query: { limit: '100', page: '7' } }),
  },
  {
    name: 'older',
    must: [/created_at, vent\.id\) < /u, byId],
    make: () => statementsOf(listVents, { query: { before: deep } }),
  },
  {
    name: 'trending',
    must: [/from "content"\."trending"/u, byId],
    make: () => statementsOf(listVents, { query: { sort: 'trending' } }),
  },
  {
    name: 'one vent',
    must: [byId, newestComments, myReactions, names],
    make: () => statementsOf(getVent, { params: { id: somebodys } }),
  },
  {
    name: 'my vents',
    must: [/"vent"\."author_key" = /u, byId],
    make: () => statementsOf(listVents, { query: { mine: 'true' } }),
  },
  {
    name: 'my vents, older',
    must: [byId],
    make: () => statementsOf(listVents, { query: { mine: 'true', before: mine } }),
  },
  {
    name: 'my vents with a word',
    must: [/vent_search/u],
    make: () => statementsOf(listVents, { query: { mine: 'true', query: 'number' } }),
  },
  {
    name: 'comments of a vent',
    must: [/from "content"\."comments"/u, names],
    make: () => statementsOf(listComments, { params: { id: somebodys }, query: {} }),
  },
  {
    name: 'a reaction',
    must: [
      /insert into "content"\."reactions"/u,
      /update "content"\."vent_stats"/u,
      /update "content"\."pens"/u,
    ],
    make: () => statementsOf(react, { body: { ventId: somebodys, reactionType: 'hug', active: true } }),
  },
  {
    name: 'a reaction taken back',
    must: [/delete from "content"\."reactions"/u],
    make: () => statementsOf(react, { body: { ventId: somebodys, reactionType: 'hug', active: false } }),
  },
  {
    name: 'a comment',
    must: [/insert into content\.comments/u],
    make: () => statementsOf(commentOnVent, { body: { ventId: somebodys, text: 'I hear you' } }),
  },
  {
    name: 'since you were here',
    must: [/update "content"\."pens"/u],
    make: () => statementsOf(ventsSince, {}),
  },
  { name: 'the weather', must: [/group by/u], make: () => statementsOf(ventWeather, {}) },
];

describe(`plans among ${vents} vents`, () => {
  test('the content pool makes one plan for all values, the search pool one for each', async () => {
    const mode = sql<{ mode: string }>`select current_setting('plan_cache_mode') as mode`;
    expect((await mode.execute(app.deps.db.content)).rows).toEqual([{ mode: 'force_generic_plan' }]);
    expect((await mode.execute(app.deps.db.search)).rows).toEqual([{ mode: 'force_custom_plan' }]);
  });

  test.each(hotCalls)('$name: no statement walks through a table that grows', async ({ make, must }) => {
    const statements = await make();
    for (const piece of must) expect(statements.map(({ text }) => text).join('\n;\n')).toMatch(piece);
    for (const { role, text } of statements) {
      const nodes = await explain(role, text, role === 'content' ? 'force_generic_plan' : 'auto');
      expect(walks(nodes), text).toEqual([]);
    }
  });

  test.each([
    { what: 'a frequent word', query: 'parents' },
    { what: 'a rare word', query: 'nananaro' },
    { what: 'a word nobody said', query: 'xylophonist' },
    { what: 'a Hindi word', query: 'नींद' },
    { what: 'a hashtag', query: '#exams' },
  ])('search for $what: no statement walks through a table that grows', async ({ query }) => {
    const isTag = query.startsWith('#');
    const words = `'''${query.replace('#', '')}'':*${isTag ? 'A' : ''}'`;
    const beforeId = String(app.deps.seals.vent.open(deep));
    const searches = [
      { more: {}, values: [words, `'visible'`, '1001', '0'] },
      { more: { limit: '5' }, values: [words, `'visible'`, '51', '0'] },
      { more: { limit: '5', before: deep }, values: [words, `'visible'`, beforeId, '6', '0'] },
    ];
    for (const { more, values: sent } of searches) {
      const statements = await statementsOf(searchVents, { query: { query, ...more } });
      const search = statements.find(({ text }) => text.includes('@@ to_tsquery'));
      expect(search).toBeDefined();
      for (const { role, text } of statements) {
        const isSearch = text === search?.text;
        const values = isSearch ? sent : undefined;
        const nodes = await explain(
          role,
          text,
          isSearch ? 'force_custom_plan' : role === 'content' ? 'force_generic_plan' : 'auto',
          values,
        );
        expect(walks(nodes), text).toEqual([]);
      }
    }
  });

  test('trending is rewritten from as many candidates as stand in the text, however many vents there are', () => {
    const rewrite = app.statements.find(({ text }) => text.includes('insert into content.trending'));
    expect(rewrite?.text).toMatch(/order by created_at desc, id desc limit \d+\) as vent/u);
  });

  test('the check bites: a condition that no index knows is found out', async () => {
    const nodes = await explain(
      'content',
      'select id from content.vents where title = $1',
      'force_generic_plan',
    );
    expect(walks(nodes)).toEqual(['Seq Scan on vents']);
  });
});
