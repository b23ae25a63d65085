import { similarity } from '../src/matching/emotion-space.ts';
import { seeded } from './statistics.ts';
import type { StolenWeeks } from './weeks.ts';

export const dayNumber = (day: unknown) => Math.floor(Date.parse(String(day)) / 86_400_000);
/** Weeks begin on Mondays. */
const weekNumber = (day: number) => Math.floor((day + 3) / 7);
export const hex = (bytes: unknown) => String(bytes).replace(/^\\x/u, '');

interface KeyOfPairs {
  /** Hex. Empty for accounts without pairs. */
  readonly key: string;
  readonly weeks: readonly number[];
  readonly asked: Set<number>;
  readonly pairs: { readonly other: number; readonly isAsking: boolean }[];
}

export type Row = Readonly<Record<string, unknown>>;

/** The pairs among whose keys no two are of one account: those of each week, or all if keys last longer. */
export function pairsByKeys({ copy }: StolenWeeks): Row[][] {
  const pairs = copy['matching.pairs'] ?? [];
  const weeksOf = Map.groupBy(
    pairs.flatMap((row) => [row['a_key'], row['b_key']].map((key) => ({ key, week: row['week'] }))),
    ({ key }) => key,
  );
  const lastWeeks = [...weeksOf.values()].some((seen) => new Set(seen.map(({ week }) => week)).size > 1);
  return lastWeeks ? [pairs] : [...Map.groupBy(pairs, (row) => row['week']).values()];
}

/** The keys of each such group, filled up to the number of accounts. */
function groupKeys(stolen: StolenWeeks, accounts: number): KeyOfPairs[][] {
  return pairsByKeys(stolen).map((pairs) => {
    const its = pairs.map((row) => ({
      two: [hex(row['a_key']), hex(row['b_key'])] as const,
      asker: hex(row[row['is_asked_by_a'] ? 'a_key' : 'b_key']),
      week: weekNumber(dayNumber(row['week'])),
    }));
    const weeks = [...new Set(its.map(({ week }) => week))];
    const keys = [...new Set(its.flatMap(({ two }) => two))];
    const group = Array.from({ length: Math.max(accounts, keys.length) }, (_, n): KeyOfPairs => ({
      key: keys[n] ?? '',
      weeks,
      asked: new Set(),
      pairs: [],
    }));
    for (const { two, asker, week } of its) {
      const [one, other] = two.map((key) => keys.indexOf(key)) as [number, number];
      group[asker === two[0] ? one : other]?.asked.add(week);
      group[one]?.pairs.push({ other, isAsking: asker === two[0] });
      group[other]?.pairs.push({ other: one, isAsking: asker === two[1] });
    }
    return group;
  });
}

/**
 * Explains all pairs at once, by simulated annealing: which accounts under the keys make it most likely that searches
 * found whom they found (by the feelings in profiles), in which weeks people searched (by the weeks of their named comments
 * and the month of the last visit), and that no two met twice.
 */
export function explainPairs(
  stolen: StolenWeeks,
  known: readonly { readonly name: string; readonly lastSeen: { readonly last: number } }[],
): { right: number; tries: number } {
  const random = seeded(5);
  const commented = Map.groupBy(stolen.shown, ({ name }) => name);
  const feelings = new Map(
    (stolen.copy['identity.users'] ?? []).map((row) => [String(row['username']), Number(row['feelings'])]),
  );
  const accounts = known.map(({ name, lastSeen }) => ({
    name,
    feelings: feelings.get(name) ?? 0,
    lastWeek: weekNumber(lastSeen.last),
    named: new Set((commented.get(name) ?? []).map(({ day }) => weekNumber(dayNumber(day)))),
  }));
  const groups = groupKeys(stolen, accounts.length);
  const size = Math.max(accounts.length, ...groups.map((group) => group.length));
  /** How likely a search of one finds the other, as a logarithm. */
  const finds = Array.from({ length: size }, (_, i) => {
    const fits = Array.from({ length: size }, (_, j) => {
      const [mine, theirs] = [accounts[i]?.feelings ?? 0, accounts[j]?.feelings ?? 0];
      return 5 * (mine === 0 || theirs === 0 ? 0.5 : similarity(mine, theirs));
    });
    const whole = Math.log(fits.reduce((sum, fit) => sum + Math.exp(fit), 0));
    return fits.map((fit) => fit - whole);
  });
  const searches = ({ weeks, asked }: KeyOfPairs, owner: number) => {
    const account = accounts[owner];
    if (!account) return -5 * asked.size;
    return weeks.reduce((sum, week) => {
      if (week > account.lastWeek) return sum - (asked.has(week) ? 15 : 0);
      const share = account.named.has(week) ? 0.85 : 0.35;
      return sum + Math.log(asked.has(week) ? share : 1 - share);
    }, 0);
  };
  const owners = groups.map((group) => random.shuffle([...group.keys()]));
  const met = new Int16Array(size * size);
  const placeOf = (i: number, j: number) => Math.min(i, j) * size + Math.max(i, j);
  /** Counts the pairs of a key as meetings of its owner, and weighs them. */
  const count = (g: number, k: number, by: 1 | -1, but = -1) => {
    const its = owners[g] ?? [];
    for (const { other } of groups[g]?.[k]?.pairs ?? [])
      if (other !== but) {
        const place = placeOf(its[k] ?? 0, its[other] ?? 0);
        met[place] = (met[place] ?? 0) + by;
      }
  };
  const weigh = (g: number, k: number, but = -1) => {
    const [one, its] = [groups[g]?.[k] as KeyOfPairs, owners[g] ?? []];
    const i = its[k] ?? 0;
    return one.pairs.reduce(
      (sum, { other, isAsking }) => {
        if (other === but) return sum;
        const j = its[other] ?? 0;
        const found = (isAsking ? finds[i]?.[j] : finds[j]?.[i]) ?? 0;
        return sum + found - ((met[placeOf(i, j)] ?? 0) > 1 ? 3 : 0);
      },
      searches(one, i),
    );
  };
  for (const [g, group] of groups.entries()) for (const k of group.keys()) count(g, k, 1);
  // Each pair was counted for both of its keys.
  for (const place of met.keys()) met[place] = (met[place] ?? 0) / 2;
  const steps = 6000 * groups.flat().length;
  for (let step = 0; step < steps; step += 1) {
    const heat = 4 * 0.01 ** (step / steps);
    const g = random.below(groups.length);
    const its = owners[g] as number[];
    const [k, l] = [random.below(its.length), random.below(its.length)];
    if (k === l) continue;
    const both = () => weigh(g, k) + weigh(g, l, k);
    const swap = () => {
      count(g, k, -1);
      count(g, l, -1, k);
      [its[k], its[l]] = [its[l] ?? 0, its[k] ?? 0];
      count(g, k, 1);
      count(g, l, 1, k);
    };
    const before = both();
    swap();
    const gain = both() - before;
    if (gain < 0 && random.next() >= Math.exp(gain / heat)) swap();
  }
  const real = groups.flatMap((group, g) =>
    group.flatMap(({ key }, k) => (key ? [{ key, name: accounts[owners[g]?.[k] ?? -1]?.name }] : [])),
  );
  const right = real.filter(({ key, name }) => name === stolen.truth.accountOf.get(key));
  return { right: right.length, tries: real.length };
}
