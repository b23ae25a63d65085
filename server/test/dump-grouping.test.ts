import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import {
  buildCommunity,
  dayOf,
  dump,
  largeTown,
  openColumns,
  ownerless,
  rewriteVents,
  smallTown,
  tablesOfVents,
  text,
  writerOf,
  type Community,
  type Dump,
  type Row,
} from './community.ts';
import { above, seeded, type Seeded } from './statistics.ts';

/**
 * No two rows of content can be linked because one person wrote them: not by a value, not by their place in a table
 * (F15). Each link is held against the same rows with their writers dealt out anew.
 */

const size = process.env['FULL'] ? largeTown : { ...smallTown, days: 6, vents: 800 };
const deals = 200;

let app: TestApp;
let rows: pg.Pool;
let town: Community;

beforeAll(async () => {
  app = await startTestApp({ limitsScale: 100_000, logLevel: 'silent', databasePoolSize: 1 });
  rows = new pg.Pool({ connectionString: app.config.databaseUrl, max: 1 });
  town = await buildCommunity(app, rows, size, { isTidied: true });
}, 1_200_000);
afterAll(async () => {
  await rows.end();
  await app.close();
});

interface Written {
  readonly row: Row;
  readonly by: string;
  readonly day: string;
}

function writtenIn(copy: Dump): [string, Written[]][] {
  return Object.entries(copy)
    .filter(([name]) => name.startsWith('content.') && !ownerless.has(name))
    .map(([name, held]): [string, Written[]] => [
      name,
      held
        .map((row) => ({ row, by: writerOf(town.truth, name, row), day: dayOf(town.truth, name, row) }))
        .filter(({ by }) => by !== ''),
    ])
    .filter(([, held]) => held.length > 0);
}

// By value ----------------------------------------------------------------------------------------------

const pairs = (count: number) => (count * (count - 1)) / 2;

/** Of all pairs of rows with an equal value, how many are of one writer. */
function pairsOfOne(groups: readonly (readonly number[])[], by: readonly string[]): number {
  return groups.reduce((sum, group) => {
    const counts = new Map<string, number>();
    for (const n of group) counts.set(by[n] ?? '', (counts.get(by[n] ?? '') ?? 0) + 1);
    return sum + [...counts.values()].reduce((all, count) => all + pairs(count), 0);
  }, 0);
}

/** Whoever comes on some days only has rows of those days: all that one wrote on a day goes to another of that day. */
function dealDays(held: readonly Written[], random: Seeded): string[] {
  const dealt = new Map<string, string>();
  for (const [day, ns] of Map.groupBy(held.keys(), (n) => held[n]?.day ?? '')) {
    const present = [...new Set(ns.map((n) => held[n]?.by ?? ''))];
    const shuffled = random.shuffle(present);
    for (const [n, by] of present.entries()) dealt.set(`${day} ${by}`, shuffled[n] ?? '');
  }
  return held.map(({ by, day }) => dealt.get(`${day} ${by}`) ?? '');
}

/** Each row of a day goes to the writer of another row of that day: who came on which day is no secret of the order. */
function dealRows(held: readonly Written[], random: Seeded): string[] {
  const dealt: string[] = [];
  for (const [, ns] of Map.groupBy(held.keys(), (n) => held[n]?.day ?? '')) {
    const writers = random.shuffle(ns.map((n) => held[n]?.by ?? ''));
    for (const [place, n] of ns.entries()) dealt[n] = writers[place] ?? '';
  }
  return dealt;
}

const isOpaque = (value: unknown) => typeof value === 'string' && value.startsWith('\\x');
const isDay = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/u.test(value);

/** By how many standard deviations equal values are of one writer, column by column; those beyond three. */
function linkedByValue(copy: Dump): Record<string, string> {
  const found: Record<string, string> = {};
  const random = seeded(11);
  for (const [name, held] of writtenIn(copy)) {
    for (const column of Object.keys(held[0]?.row ?? {})) {
      if (openColumns[name]?.includes(column) || held.every(({ row }) => isDay(row[column]))) continue;
      const groups = [
        ...Map.groupBy(
          [...held.keys()].filter((n) => held[n]?.row[column] !== null),
          (n) => text(held[n]?.row[column]),
        ).values(),
        // A value that most rows have links nothing; how many rows somebody has would weigh in alone.
      ].filter((group) => group.length > 1 && group.length < held.length / 2);
      if (groups.length === 0) continue;
      const by = held.map((one) => one.by);
      // Counters and states go with the day, which is public; keys must tell nothing at all.
      const isKey = groups.some((group) => isOpaque(held[group[0] ?? 0]?.row[column]));
      const deal = () => (isKey ? random.shuffle(by) : dealDays(held, random));
      const observed = pairsOfOne(groups, by);
      const strength = above(
        observed,
        Array.from({ length: deals }, () => pairsOfOne(groups, deal())),
      );
      const all = groups.reduce((sum, group) => sum + pairs(group.length), 0);
      if (strength > 3)
        found[`${name}.${column}`] = `${observed} of ${all} pairs, ${strength.toFixed(1)} sigma`;
    }
  }
  return found;
}

// By place ----------------------------------------------------------------------------------------------

/** Which numbers stand out of their order: all but the longest row of growing ones. */
function outOfOrder(numbers: readonly number[]): Set<number> {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [n, number] of numbers.entries()) {
    let place = ends.findIndex((end) => (numbers[end] ?? 0) >= number);
    if (place === -1) place = ends.length;
    before[n] = place === 0 ? -1 : (ends[place - 1] ?? -1);
    ends[place] = n;
  }
  const moved = new Set(numbers.keys());
  for (let n = ends.at(-1) ?? -1; n >= 0; n = before[n] ?? -1) moved.delete(n);
  return moved;
}

interface Beside {
  readonly same: number;
  readonly pairs: number;
  readonly strength: number;
}

/** How many rows have the writer of the row before them, against writers dealt out anew. */
function beside(name: string, held: readonly Written[]): Beside {
  const random = seeded(13);
  const by = held.map((one) => one.by);
  const isOfVents = tablesOfVents.has(name);
  const numbers = held.map(({ row }) => Number(row['vent_id'] ?? row['id']));
  // Of vents, only those that were written again and lie beside another that is not of the same visit.
  const moved = isOfVents ? outOfOrder(numbers) : new Set<number>();
  const places = [...held.keys()].filter(
    (n) =>
      n > 0 &&
      (!isOfVents ||
        (moved.has(n) && moved.has(n - 1) && Math.abs((numbers[n] ?? 0) - (numbers[n - 1] ?? 0)) > 3)),
  );
  const count = (dealt: readonly string[]) => places.filter((n) => dealt[n] === dealt[n - 1]).length;
  const same = count(by);
  const byChance = Array.from({ length: deals }, () => count(dealRows(held, random)));
  return { same, pairs: places.length, strength: above(same, byChance) };
}

function linkedByPlace(copy: Dump): Record<string, Beside> {
  return Object.fromEntries(writtenIn(copy).map(([name, held]) => [name, beside(name, held)]));
}

/** Something done to the database and undone again. */
async function planted<T>(
  plant: (client: pg.PoolClient) => Promise<void>,
  look: (copy: Dump) => T,
): Promise<T> {
  const client = await rows.connect();
  try {
    await client.query('begin');
    await plant(client);
    return look(await dump(client));
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const ventsOf = (name: string) =>
  [...town.truth.authorOf].filter(([, author]) => author === name).map(([id]) => id);

describe(`a dump of ${size.people} people and ${size.vents} vents, some closed, hidden or deleted,`, () => {
  test('has rows of many writers in every table', () => {
    const tables = Object.fromEntries(writtenIn(town.night).map(([name, held]) => [name, held.length]));
    console.log(`rows: ${JSON.stringify(tables)}`);
    for (const name of [
      'vents',
      'vent_stats',
      'comments',
      'reactions',
      'taken_slots',
      'reports',
      'idempotency',
    ])
      expect(tables[`content.${name}`], name).toBeGreaterThan(10);
  });

  test('links no rows of one writer by an equal value', () => {
    const found = linkedByValue(town.night);
    console.log(`linked by value: ${JSON.stringify(found)}`);
    expect(found).toEqual({});
  }, 120_000);

  test('links rows by a key of the author that is planted', async () => {
    const found = await planted(
      async (client) => {
        await client.query('alter table content.vents add column planted bytea');
        for (const [id, author] of town.truth.authorOf)
          await client.query('update content.vents set planted = $2 where id = $1', [
            id,
            Buffer.from(author),
          ]);
      },
      (copy) => linkedByValue(copy),
    );
    expect(found).toHaveProperty(['content.vents.planted']);
  }, 300_000);

  /** What one visit wrote lies together here until it goes. But a row holds values that occur nowhere else, and a day. */
  const bare = ['taken_slots', 'idempotency'];
  test.each(bare)('has no value in %s that leads to any other row', (name) => {
    const held = town.night[`content.${name}`] ?? [];
    const others = new Map<string, number>();
    for (const row of Object.values(town.night).flat())
      for (const value of Object.values(row).map(text)) others.set(value, (others.get(value) ?? 0) + 1);
    for (const row of held)
      for (const value of Object.values(row))
        if (value !== null && !isDay(value))
          expect([isOpaque(value), others.get(text(value))]).toEqual([true, 1]);
  });

  for (const name of ['vents', 'vent_stats', 'vent_search', 'reports', 'comments', 'reactions']) {
    test(`links no rows of one writer by their place in ${name}`, () => {
      const { same, pairs, strength } = linkedByPlace(town.night)[`content.${name}`] as Beside;
      console.log(`${name}: ${same} of ${pairs} neighbours are of one writer, ${strength.toFixed(1)} sigma`);
      expect(strength).toBeLessThanOrEqual(3);
    }, 120_000);
  }

  test('links old vents of one author that are written again', async () => {
    const authors = [...Map.groupBy(town.truth.authorOf.values(), (name) => name)]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([name]) => name);
    // Of several, since a page with room to spare keeps what is written again.
    const found = await planted(
      async (client) => {
        for (const author of authors.slice(0, Math.ceil(authors.length / 12)))
          await rewriteVents(client, seeded(17).shuffle(ventsOf(author)));
      },
      (copy) => linkedByPlace(copy)['content.vents'] as Beside,
    );
    console.log(`planted: ${found.same} of ${found.pairs} neighbours, ${found.strength.toFixed(1)} sigma`);
    expect(found.strength).toBeGreaterThan(3);
  }, 120_000);
});
