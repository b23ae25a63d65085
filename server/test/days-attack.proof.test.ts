/** @module-tag full */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { usePool, useTestApp } from './app.ts';
import { dayNumber, explainPairs, hex, pairsByKeys, type Row } from './explain-pairs.ts';
import { runs } from './runs.ts';
import { seeded, type Seeded } from './statistics.ts';
import { liveForWeeks, type StolenWeeks } from './weeks.ts';

/**
 * One stolen copy of the database, after weeks in which people joined, came and fell silent. The attacker lays days and
 * switches of accounts beside pairs and vents. The estimators are those of the second hostile review. They read exact days
 * where a copy has them (see the planted ones), and else what the months and weeks in it allow.
 */

/** The first and the last day that a stored one may stand for. */
interface Span {
  readonly first: number;
  readonly last: number;
}
const on = (day: unknown): Span => ({ first: dayNumber(day), last: dayNumber(day) });
const isIn = (day: number, { first, last }: Span) => day >= first && day <= last;
const lengthOf = ({ first, last }: Span) => last - first + 1;
const middle = ({ first, last }: Span) => (first + last) / 2;
const distance = (day: number, { first, last }: Span) => Math.max(0, first - day, day - last);

interface Account {
  readonly name: string;
  readonly joined: Span;
  readonly lastSeen: Span;
  readonly isClosed: boolean;
}

/** The visit was a month before some day of the month before. */
function visitBefore(lookOn: unknown): Span {
  const look = new Date(String(lookOn));
  const monthBefore = new Date(Date.UTC(look.getUTCFullYear(), look.getUTCMonth() - 1, 1));
  return { first: dayNumber(monthBefore.toISOString()) - 30, last: dayNumber(lookOn) - 31 };
}

/** What the copy says of accounts: exact days where it has them. */
function accountsIn({ copy, days }: StolenWeeks): Account[] {
  return (copy['identity.users'] ?? []).map((row) => {
    const { first, last } = row['last_seen_on'] ? on(row['last_seen_on']) : visitBefore(row['look_on']);
    const lastSeen = { first: Math.max(first, days.first), last: Math.min(last, days.last) };
    return {
      name: String(row['username']),
      joined: row['created_on'] ? on(row['created_on']) : { first: days.first, last: lastSeen.last },
      lastSeen,
      isClosed: row['allow_comments'] === false,
    };
  });
}

/** The greatest share that may be right: half more than the base rate, and three standard deviations. */
const allowed = (base: number, tries: number) =>
  1.5 * base + 3 * Math.sqrt((base * (1 - base)) / Math.max(1, tries));

/** The mean of several assignments: which of several equal accounts a key gets is luck. */
function joinKeys(stolen: StolenWeeks): { right: number; tries: number } {
  const random = seeded(3);
  const groups = pairsByKeys(stolen);
  const times = stolen.people > 100 ? 2 : 20;
  const all = Array.from({ length: times }, () =>
    groups.map((pairs) => assignKeys(stolen, pairs, random)),
  ).flat();
  const sum = (what: 'right' | 'tries') => all.reduce((total, one) => total + one[what], 0) / times;
  return { right: sum('right'), tries: sum('tries') };
}

/** Pair keys with the days of their searches, assigned one to one to accounts with the days of joining and leaving. */
function assignKeys(
  stolen: StolenWeeks,
  pairs: readonly Row[],
  random: Seeded,
): { right: number; tries: number } {
  const accounts = random.shuffle(accountsIn(stolen));
  const seen = new Map<string, { asked: number[]; any: number[] }>();
  const at = (key: string) => {
    const known = seen.get(key) ?? { asked: [], any: [] };
    seen.set(key, known);
    return known;
  };
  for (const row of pairs) {
    const [a, b, day] = [hex(row['a_key']), hex(row['b_key']), dayNumber(row['made_on'] ?? row['week'])];
    at(row['is_asked_by_a'] ? a : b).asked.push(day);
    at(a).any.push(day);
    at(b).any.push(day);
  }
  // A week begins up to six days before the day.
  const slack = stolen.copy['matching.pairs']?.[0]?.['made_on'] ? 0 : 6;
  const score = ({ asked, any }: { asked: number[]; any: number[] }, { joined, lastSeen }: Account) => {
    const first = Math.min(...any);
    const searches = asked.toSorted((x, y) => x - y);
    const [begin, last] = [searches[0], searches.at(-1)];
    if (first + slack < joined.first || (last !== undefined && last > lastSeen.last + 3)) return -1e9;
    const bySearches =
      begin === undefined || last === undefined
        ? -(middle(lastSeen) - middle(joined)) * 0.5
        : (isIn(begin, joined) ? 0 : -1.6 - distance(begin, joined) * 0.3) - distance(last, lastSeen) * 0.35;
    return bySearches - distance(first, joined) * 0.2;
  };
  const keys = random.shuffle([...seen.keys()]);
  const table = keys.map((key) => accounts.map((account) => score(at(key), account)));
  const cell = (i: number, j: number) => table[i]?.[j] ?? -1e9;
  const owner = keys.map(() => -1);
  const used = new Set<number>();
  const cells = table.flatMap((line, i) => line.map((value, j) => ({ value, i, j })));
  for (const { i, j } of cells.toSorted((x, y) => y.value - x.value)) {
    if (owner[i] !== -1 || used.has(j)) continue;
    owner[i] = j;
    used.add(j);
  }
  for (let hasSwapped = true, round = 0; hasSwapped && round < 60; round += 1) {
    hasSwapped = false;
    for (let i = 0; i < keys.length; i += 1)
      for (let k = i + 1; k < keys.length; k += 1) {
        const [x, y] = [owner[i] ?? -1, owner[k] ?? -1];
        if (x < 0 || y < 0 || cell(i, y) + cell(k, x) <= cell(i, x) + cell(k, y)) continue;
        [owner[i], owner[k]] = [y, x];
        hasSwapped = true;
      }
  }
  const right = keys.filter((key, i) => accounts[owner[i] ?? -1]?.name === stolen.truth.accountOf.get(key));
  return { right: right.length, tries: keys.length };
}

/** The same copy as if each account had one pair key for life. */
function withLifelongKeys(stolen: StolenWeeks): StolenWeeks {
  const keyOf = (key: string) =>
    createHash('md5')
      .update(stolen.truth.accountOf.get(key) ?? '')
      .digest('hex');
  const { accountOf } = stolen.truth;
  return {
    ...stolen,
    truth: {
      ...stolen.truth,
      accountOf: new Map([...accountOf].map(([key, name]) => [keyOf(key), name])),
    },
    copy: {
      ...stolen.copy,
      'matching.pairs': (stolen.copy['matching.pairs'] ?? []).map((row) => {
        const [one, other] = [keyOf(hex(row['a_key'])), keyOf(hex(row['b_key']))];
        const isSwapped = one > other;
        return {
          ...row,
          a_key: isSwapped ? other : one,
          b_key: isSwapped ? one : other,
          is_asked_by_a: row['is_asked_by_a'] !== isSwapped,
        };
      }),
    },
  };
}

/** Each vent beside the accounts that joined or were last seen on its day. Ties count in part. */
function nameAuthorsByDays(stolen: StolenWeeks): { right: number; tries: number } {
  const accounts = accountsIn(stolen);
  const vents = stolen.copy['content.vents'] ?? [];
  let right = 0;
  for (const vent of vents) {
    const day = dayNumber(vent['created_at']);
    const weights = accounts.map(({ joined, lastSeen }) => {
      if (day < joined.first || day > lastSeen.last) return 0;
      const isFirst = isIn(day, joined) ? 0.45 / lengthOf(joined) : 0;
      const isLast = isIn(day, lastSeen) ? 0.15 / lengthOf(lastSeen) : 0;
      return 0.1 + isFirst + isLast;
    });
    const most = Math.max(...weights);
    const best = accounts.filter((_, n) => weights[n] === most);
    const author = stolen.truth.authorOf.get(String(vent['id']));
    if (best.some(({ name }) => name === author)) right += 1 / best.length;
  }
  return { right, tries: vents.length };
}

/** Vents that were born closed beside the accounts that take no comments. */
function nameAuthorsBySwitch(stolen: StolenWeeks): { right: number; tries: number } {
  const off = accountsIn(stolen).filter(({ isClosed }) => isClosed);
  const closed = (stolen.copy['content.vent_stats'] ?? []).filter((row) => row['allow_comments'] === false);
  const right = closed.filter(({ vent_id: id }) =>
    off.some(({ name }) => name === stolen.truth.authorOf.get(String(id))),
  );
  return { right: right.length / Math.max(1, off.length), tries: closed.length };
}

/** The same copy as if accounts and pairs had what is encrypted in plain columns. */
function withPlainFacts(stolen: StolenWeeks): StolenWeeks {
  const { accounts, madeOn } = stolen.truth;
  return {
    ...stolen,
    copy: {
      ...stolen.copy,
      'identity.users': (stolen.copy['identity.users'] ?? []).map((row) => {
        const facts = accounts.get(String(row['username']));
        return {
          ...row,
          created_on: facts?.createdOn,
          last_seen_on: facts?.lastSeenOn,
          allow_comments: facts?.allowComments,
        };
      }),
      'matching.pairs': (stolen.copy['matching.pairs'] ?? []).map((row) => ({
        ...row,
        made_on: madeOn.get(String(row['id'])),
      })),
    },
  };
}

/** Rank correlation of values with their positions, -1 to 1. */
function follows(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const ranks = values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
  const mean = (values.length - 1) / 2;
  const spread = (list: readonly number[]) =>
    Math.sqrt(list.reduce((sum, one) => sum + (one - mean) ** 2, 0));
  const product = ranks.reduce((sum, rank, position) => sum + (rank - mean) * (position - mean), 0);
  return product / (spread(ranks) * spread(ranks.map((_, position) => position)) || 1);
}

describe('one copy of a community of eight weeks', () => {
  const app = useTestApp({ limitsScale: 10_000, logLevel: 'silent' });
  const rows = usePool(app, 1);
  let stolen: StolenWeeks;
  beforeAll(async () => {
    const people = runs('WEEKS_PEOPLE', { change: 60, full: 60 });
    stolen = await liveForWeeks(app, rows, { people, days: 56, stayDays: 9 }, 11);
  }, 3_600_000);

  test('is worth attacking', () => {
    expect(stolen.truth.authorOf.size).toBeGreaterThan(60);
    expect((stolen.copy['matching.pairs'] ?? []).length).toBeGreaterThan(100);
    expect(stolen.truth.closed.size).toBeGreaterThan(1);
  });

  /** How strongly the rows of accounts follow the days of joining and of the last visit, in every table and order. */
  function ordersIn({ copy, truth }: StolenWeeks): Record<string, number> {
    const nameOf = new Map(
      (copy['identity.users'] ?? []).map((row) => [String(row['id']), String(row['username'])]),
    );
    return Object.fromEntries(
      Object.entries(copy).flatMap(([table, held]) => {
        const column = table === 'identity.users' ? 'id' : 'user_id';
        if (!table.startsWith('identity.') || held[0]?.[column] === undefined) return [];
        const by = (order: string, rows: typeof held) =>
          (['createdOn', 'lastSeenOn'] as const).map((day): [string, number] => {
            const days = rows.flatMap((row) => {
              const facts = truth.accounts.get(nameOf.get(String(row[column])) ?? '');
              return facts ? [dayNumber(facts[day])] : [];
            });
            return [`${table} ${order} follows ${day}`, days.length < 20 ? 0 : follows(days)];
          });
        const values = (row: (typeof held)[number], name: string) => JSON.stringify(row[name] ?? null);
        return [
          ...by('as it lies', held),
          ...Object.keys(held[0]).flatMap((name) =>
            by(
              `by ${name}`,
              held.toSorted((a, b) => (values(a, name) < values(b, name) ? -1 : 1)),
            ),
          ),
        ];
      }),
    );
  }
  const strongest = (orders: Record<string, number>) =>
    Object.entries(orders)
      .filter(([name]) => !/ by (?:look_on|held_until) /u.test(name))
      .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))[0] ?? ['none', 0];
  /** Of about fifty people, beyond luck in any of a hundred orders. */
  const mostByLuck = 0.55;

  test('has accounts in no order of days, as they lie or by any column but the declared months', () => {
    const [name, strength] = strongest(ordersIn(stolen));
    console.log(`strongest order: ${name}, ${strength.toFixed(2)}`);
    expect(Math.abs(strength)).toBeLessThan(mostByLuck);
  });

  test('would show the days if only visits moved rows', () => {
    const { accounts } = stolen.truth;
    const dayOf = (row: Record<string, unknown>) => accounts.get(String(row['username']))?.lastSeenOn ?? '';
    const users = (stolen.copy['identity.users'] ?? []).toSorted((a, b) => dayOf(a).localeCompare(dayOf(b)));
    const [, strength] = strongest(
      ordersIn({ ...stolen, copy: { ...stolen.copy, 'identity.users': users } }),
    );
    expect(strength).toBeGreaterThan(0.9);
  });

  const shareOfKeys = (copy: StolenWeeks, what: string) => {
    const { right, tries } = explainPairs(copy, accountsIn(copy));
    console.log(`explainPairs, ${what}: ${right} of ${tries} keys (${((100 * right) / tries).toFixed(1)} %)`);
    return right / tries;
  };

  test('joins pair keys of one week to accounts no better than declared (docs/known-exceptions.md)', () => {
    expect(shareOfKeys(stolen, 'as stored')).toBeLessThan(0.1);
  });

  test('would join pair keys for life to accounts', () => {
    expect(shareOfKeys(withLifelongKeys(stolen), 'with keys for life')).toBeGreaterThan(0.25);
  });

  const attacks = { joinKeys, nameAuthorsByDays, nameAuthorsBySwitch };
  describe.each(Object.entries(attacks))('%s', (name, attack) => {
    const shareOf = (copy: StolenWeeks, what: string) => {
      const { right, tries } = attack(copy);
      const base = 1 / copy.people;
      const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
      console.log(
        `${name}, ${what}: ${right.toFixed(1)} of ${tries} (${percent(right / tries)}), chance ${percent(base)}`,
      );
      return { share: right / tries, most: allowed(base, tries) };
    };

    test('is right no more often than half above chance', () => {
      const { share, most } = shareOf(stolen, 'as stored');
      expect(share).toBeLessThanOrEqual(most);
    });

    test('is right more often where days and switches are in plain, and keys are for life', () => {
      const { share, most } = shareOf(
        withLifelongKeys(withPlainFacts(stolen)),
        'with plain days and switches',
      );
      expect(share).toBeGreaterThan(most);
    });
  });
});
