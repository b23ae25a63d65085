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
  /** The first week of each of its pairs, by the other's index. */
  readonly others: Map<number, number>;
  /** Those that its own searches found. */
  readonly found: Set<number>;
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
    const keys = [...new Set(pairs.flatMap((row) => [hex(row['a_key']), hex(row['b_key'])]))];
    const group = Array.from({ length: Math.max(accounts, keys.length) }, (_, n): KeyOfPairs => ({
      key: keys[n] ?? '',
      others: new Map(),
      found: new Set(),
    }));
    for (const row of pairs) {
      const week = weekNumber(dayNumber(row['week']));
      const [a, b] = [keys.indexOf(hex(row['a_key'])), keys.indexOf(hex(row['b_key']))];
      group[a]?.others.set(b, week);
      group[b]?.others.set(a, week);
      if (row['is_asked_by_a']) group[a]?.found.add(b);
      else group[b]?.found.add(a);
    }
    return group;
  });
}

/** How strongly searches follow feelings. Chosen with keys for life in three communities: with more the search gets stuck. */
const weight = 2;
const bins = 41;
/** A step costs as many additions as there are keys, so large communities get fewer. The planted keys say whether they suffice. */
const effort = (size: number) =>
  size > 100 ? { attempts: 1, steps: 300 * size } : { attempts: 3, steps: 2000 * size };

/**
 * For each two keys: how likely it is that the searches of one found the other or left them out, by how well their feelings
 * fit (-1 to 1, in bins). A search chooses among those who were there and whom it had not found.
 */
function likelihoods(group: readonly KeyOfPairs[]): (Float64Array | undefined)[][] {
  const since = group.map(({ others }) => Math.min(...others.values()));
  return group.map(({ others, found }, k) => {
    const line: (Float64Array | undefined)[] = [];
    for (const week of new Set([...found].map((l) => others.get(l) ?? 0))) {
      const candidates = [...group.keys()].filter(
        (l) =>
          l !== k &&
          (since[l] ?? 0) <= week &&
          (others.get(l) ?? week) >= week &&
          (!others.has(l) || found.has(l)),
      );
      const chosen = candidates.filter((l) => others.get(l) === week).length;
      if (chosen === candidates.length) continue;
      const base = Math.log(chosen / (candidates.length - chosen));
      for (const l of candidates) {
        const isChosen = others.get(l) === week;
        const sums = (line[l] ??= new Float64Array(bins));
        for (let bin = 0; bin < bins; bin += 1) {
          const odds = base + weight * ((2 * bin) / (bins - 1) - 1);
          sums[bin] = (sums[bin] ?? 0) - Math.log1p(Math.exp(isChosen ? -odds : odds));
        }
      }
    }
    return line;
  });
}

/**
 * Explains all pairs at once, by simulated annealing: which accounts under the keys make it most likely that searches found
 * whom they found (by the feelings in profiles), in those weeks (by the weeks of named comments and the month of the last
 * visit).
 */
export function explainPairs(
  stolen: StolenWeeks,
  known: readonly {
    readonly name: string;
    readonly lastSeen: { readonly first: number; readonly last: number };
  }[],
): { right: number; tries: number } {
  const random = seeded(5);
  const commented = Map.groupBy(stolen.shown, ({ name }) => name);
  const feelings = new Map(
    (stolen.copy['identity.users'] ?? []).map((row) => [String(row['username']), Number(row['feelings'])]),
  );
  const accounts = known.map(({ name, lastSeen }) => ({
    name,
    feelings: feelings.get(name) ?? 0,
    last: { first: weekNumber(lastSeen.first), last: weekNumber(lastSeen.last) },
    named: new Set((commented.get(name) ?? []).map(({ day }) => weekNumber(dayNumber(day)))),
  }));
  const nobody = { last: { first: 0, last: 0 }, named: new Set<number>() };
  const fit = (i: number, j: number) => {
    const [mine, theirs] = [accounts[i]?.feelings ?? 0, accounts[j]?.feelings ?? 0];
    return mine === 0 || theirs === 0 ? 0.5 : similarity(mine, theirs);
  };
  let [right, tries] = [0, 0];
  for (const group of groupKeys(stolen, accounts.length)) {
    const size = group.length;
    const weeks = [...new Set(group.flatMap(({ others }) => [...others.values()]))];
    const binOf = group.map((_, i) => {
      const fits = group.map((__, j) => fit(i, j));
      const mean = fits.reduce((sum, one) => sum + one, 0) / size;
      return fits.map((one) => Math.round(((one - mean + 1) / 2) * (bins - 1)));
    });
    const found = likelihoods(group);
    /** By how its weeks fit to those of an account. */
    const byWeeks = group.map(({ others, found: own }) => {
      const asked = new Set([...own].map((l) => others.get(l) ?? 0));
      const [since, until] = [Math.min(...others.values()), Math.max(...asked)];
      return group.map((_, i) => {
        const { last, named } = accounts[i] ?? nobody;
        const ofWeek = (week: number) => {
          if (!asked.has(week)) return named.has(week) ? (week < since ? -4 : -1.5) : 0;
          return week > last.last ? -15 : named.has(week) ? 0 : -1;
        };
        const endsEarly = weeks.length > 1 && until < last.first ? -1.5 : 0;
        return weeks.reduce((sum, week) => sum + ofWeek(week), endsEarly);
      });
    });
    let its = [...group.keys()];
    const weigh = (k: number) => {
      const i = its[k] ?? 0;
      let sum = byWeeks[k]?.[i] ?? 0;
      for (let l = 0; l < size; l += 1) {
        const j = its[l] ?? 0;
        sum += (found[k]?.[l]?.[binOf[i]?.[j] ?? 0] ?? 0) + (found[l]?.[k]?.[binOf[j]?.[i] ?? 0] ?? 0);
      }
      return sum;
    };
    let best = { its, total: -Infinity };
    const { attempts, steps } = effort(size);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      its = random.shuffle([...group.keys()]);
      for (let step = 0; step < steps; step += 1) {
        const heat = 6 * 0.03 ** (step / steps);
        const [k, l] = [random.below(size), random.below(size)];
        const before = weigh(k) + weigh(l);
        const swap = () => void ([its[k], its[l]] = [its[l] ?? 0, its[k] ?? 0]);
        swap();
        const gain = weigh(k) + weigh(l) - before;
        if (gain < 0 && random.next() >= Math.exp(gain / heat)) swap();
      }
      const total = its.reduce((sum, _, k) => sum + weigh(k) + (byWeeks[k]?.[its[k] ?? 0] ?? 0), 0);
      if (total > best.total) best = { its, total };
    }
    its = best.its;
    for (const [k, { key }] of group.entries()) {
      if (key === '') continue;
      tries += 1;
      if (accounts[its[k] ?? -1]?.name === stolen.truth.accountOf.get(key)) right += 1;
    }
  }
  return { right, tries };
}
