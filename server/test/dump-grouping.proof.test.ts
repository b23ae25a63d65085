/**
 * @module-tag full
 * A day later: dump-attack.proof.test.ts finds equal values and grouped slots on every change; this looks at every
 * table in a larger town.
 */
import { keepDays, needs } from '@unsaid/contract';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { usePool, useTestApp } from './app.ts';
import {
  buildCommunity,
  dayOf,
  dump,
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
 * No two rows of content can be linked because one person wrote them: not by a value, not by their position in a table
 * (F15). Permutation test: each link is compared with the same rows with their writers shuffled.
 */

const size = { ...smallTown, days: 6, vents: 800 };
const shuffles = 200;
/** A random result exceeds this once in millions. There are about fifty columns and tables. */
const maxSigmas = 6;

const app = useTestApp({ limitsScale: 100_000, logLevel: 'silent', databasePoolSize: 1 });
const rows = usePool(app, 1);
let town: Community;

beforeAll(async () => {
  town = await buildCommunity(app, rows, size, { isTidied: true });
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

/** The number of pairs of rows with an equal value that have one writer. */
function countPairsOfOneWriter(groups: readonly (readonly number[])[], by: readonly string[]): number {
  return groups.reduce((sum, group) => {
    const counts = new Map<string, number>();
    for (const n of group) counts.set(by[n] ?? '', (counts.get(by[n] ?? '') ?? 0) + 1);
    return sum + [...counts.values()].reduce((all, count) => all + pairs(count), 0);
  }, 0);
}

/**
 * Shuffles writers within a day: all rows of one writer on a day go to another writer of that day, because a person who
 * visits on some days has rows of those days only.
 */
function shuffleDays(held: readonly Written[], random: Seeded): string[] {
  const shuffledWriters = new Map<string, string>();
  for (const [day, ns] of Map.groupBy(held.keys(), (n) => held[n]?.day ?? '')) {
    const present = [...new Set(ns.map((n) => held[n]?.by ?? ''))];
    const shuffled = random.shuffle(present);
    for (const [n, by] of present.entries()) shuffledWriters.set(`${day} ${by}`, shuffled[n] ?? '');
  }
  return held.map(({ by, day }) => shuffledWriters.get(`${day} ${by}`) ?? '');
}

/**
 * Shuffles rows within a day: each row goes to the writer of another row of that day, because who visits on which day
 * is not a secret of the row order.
 */
function shuffleRows(held: readonly Written[], random: Seeded): string[] {
  const shuffledWriters: string[] = [];
  for (const [, ns] of Map.groupBy(held.keys(), (n) => held[n]?.day ?? '')) {
    const writers = random.shuffle(ns.map((n) => held[n]?.by ?? ''));
    for (const [place, n] of ns.entries()) shuffledWriters[n] = writers[place] ?? '';
  }
  return shuffledWriters;
}

const isOpaque = (value: unknown) => typeof value === 'string' && value.startsWith('\\x');
const isDay = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/u.test(value);

/**
 * Columns whose equal values have one writer more often than by chance, by more than `maxSigmas` standard deviations.
 */
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
        // A value that most rows have links nothing: only the number of rows of a writer would count.
      ].filter((group) => group.length > 1 && group.length < held.length / 2);
      if (groups.length === 0) continue;
      const by = held.map((one) => one.by);
      // Counters and states depend on the day, which is public; keys must reveal nothing at all.
      const isKey = groups.some((group) => isOpaque(held[group[0] ?? 0]?.row[column]));
      const shuffleWriters = () => (isKey ? random.shuffle(by) : shuffleDays(held, random));
      const observed = countPairsOfOneWriter(groups, by);
      const strength = above(
        observed,
        Array.from({ length: shuffles }, () => countPairsOfOneWriter(groups, shuffleWriters())),
      );
      const all = groups.reduce((sum, group) => sum + pairs(group.length), 0);
      if (strength > maxSigmas)
        found[`${name}.${column}`] = `${observed} of ${all} pairs, ${strength.toFixed(1)} sigma`;
    }
  }
  return found;
}

// By position -------------------------------------------------------------------------------------------

/** The numbers that are out of order: all except a longest increasing subsequence. */
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

interface Neighbours {
  readonly same: number;
  readonly pairs: number;
  readonly strength: number;
}

/** How many rows have the writer of the row before them, compared with shuffled writers. */
function compareNeighbours(name: string, held: readonly Written[]): Neighbours {
  const random = seeded(13);
  const by = held.map((one) => one.by);
  const isOfVents = tablesOfVents.has(name);
  const numbers = held.map(({ row }) => Number(row['vent_id'] ?? row['id']));
  // Of vents, only those that were rewritten and are next to one of another visit.
  const moved = isOfVents ? outOfOrder(numbers) : new Set<number>();
  const places = [...held.keys()].filter(
    (n) =>
      n > 0 &&
      (!isOfVents ||
        (moved.has(n) && moved.has(n - 1) && Math.abs((numbers[n] ?? 0) - (numbers[n - 1] ?? 0)) > 3)),
  );
  const count = (shuffledWriters: readonly string[]) =>
    places.filter((n) => shuffledWriters[n] === shuffledWriters[n - 1]).length;
  const same = count(by);
  const byChance = Array.from({ length: shuffles }, () => count(shuffleRows(held, random)));
  return { same, pairs: places.length, strength: above(same, byChance) };
}

function linkedByPlace(copy: Dump): Record<string, Neighbours> {
  return Object.fromEntries(writtenIn(copy).map(([name, held]) => [name, compareNeighbours(name, held)]));
}

/** Runs `plant` in a transaction, reads the dump and rolls back. */
async function withPlanted<T>(
  plant: (client: pg.PoolClient) => Promise<void>,
  read: (copy: Dump) => T,
): Promise<T> {
  const client = await rows.connect();
  try {
    await client.query('begin');
    await plant(client);
    return read(await dump(client));
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
    for (const name of ['vents', 'vent_stats', 'comments', 'reactions', 'taken_slots', 'idempotency'])
      expect(tables[`content.${name}`], name).toBeGreaterThan(10);
  });

  test('links no rows of one writer by an equal value (R34)', () => {
    const found = linkedByValue(town.night);
    console.log(`linked by value: ${JSON.stringify(found)}`);
    expect(found).toEqual({});
  });

  test('links rows of one writer when a key of the author is planted', async () => {
    const found = await withPlanted(
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
  });

  test.each(['need', 'keep_days'])(
    'links vents of one author where %s is planted as a habit',
    async (column) => {
      const values = column === 'need' ? needs : keepDays;
      const found = await withPlanted(
        async (client) => {
          for (const [id, author] of town.truth.authorOf)
            await client.query(`update content.vents set ${column} = $2 where id = $1`, [
              id,
              values[Number(author.replace(/\D/gu, '')) % (2 * values.length)] ?? null,
            ]);
        },
        (copy) => linkedByValue(copy),
      );
      expect(found).toHaveProperty([`content.vents.${column}`]);
    },
  );

  /** A row has only a day, a mark that all rows share after the night, and values that occur nowhere else. */
  const unlinkedTables = ['taken_slots', 'idempotency'];
  test.each(unlinkedTables)('has no value in %s that leads to any other row', (name) => {
    const held = town.night[`content.${name}`] ?? [];
    const others = new Map<string, number>();
    for (const row of Object.values(town.night).flat())
      for (const value of Object.values(row).map(text)) others.set(value, (others.get(value) ?? 0) + 1);
    for (const row of held)
      for (const value of Object.values(row))
        if (value !== null && value !== false && !isDay(value))
          expect([isOpaque(value), others.get(text(value))]).toEqual([true, 1]);
  });

  for (const name of ['vents', 'vent_stats', 'vent_search', 'comments', 'reactions']) {
    test(`links no rows of one writer by their position in ${name}`, () => {
      const { same, pairs, strength } = linkedByPlace(town.night)[`content.${name}`] as Neighbours;
      console.log(`${name}: ${same} of ${pairs} neighbours are of one writer, ${strength.toFixed(1)} sigma`);
      expect(strength).toBeLessThanOrEqual(maxSigmas);
    });
  }

  test('links old vents of one author when they are rewritten', async () => {
    const authors = [...Map.groupBy(town.truth.authorOf.values(), (name) => name)]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([name]) => name);
    // Of several authors, because a page with free space keeps a rewritten row in place.
    const found = await withPlanted(
      async (client) => {
        // Vents whose time is over leave such space.
        await client.query('cluster content.vents using vents_pkey');
        for (const author of authors.slice(0, Math.ceil(authors.length / 12)))
          await rewriteVents(client, seeded(17).shuffle(ventsOf(author)));
      },
      (copy) => linkedByPlace(copy)['content.vents'] as Neighbours,
    );
    console.log(`planted: ${found.same} of ${found.pairs} neighbours, ${found.strength.toFixed(1)} sigma`);
    expect(found.strength).toBeGreaterThan(maxSigmas);
  });
});
