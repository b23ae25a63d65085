import type pg from 'pg';
import { seeded, type Seeded } from './statistics.ts';

/**
 * An attacker who knows nothing of the schema but which rows belong to which subject. Two sides of a dump are given:
 * targets (decided items, with all rows of their cases) and accounts (with all of their rows). Every column of the one
 * side is compared with every column of the other: by value, by order, by size, by number of rows, by the position of
 * rows and by the transactions that wrote them.
 *
 * Four statistics, each with a bound that holds if no column of accounts depends on who wrote what. Then the truth, one
 * target for each author, is a random injection of targets into accounts.
 * - Matching: a guess assigns an account to each target, and k or more guesses are right with a probability of at most
 *   1/k!, whatever the guess. (The expected number of k-subsets of right guesses is at most 1/k!.)
 * - Order: the rank correlation r of n pairs; its tail is the integral of (1 - r²)^((n - 4) / 2).
 * - Sets: the number of authors in a set of accounts that a column marks; the hypergeometric tail, exactly.
 * - Equal values: no opaque value is on both sides.
 * The bound of each comparison is divided by the number of comparisons, so that the whole attack raises a false alarm
 * less than once in ten million runs.
 */

type Row = Record<string, unknown>;
export interface SeenRow {
  readonly row: Row;
  /** The position among the rows of its table. */
  readonly place: number;
  readonly xmin: number;
}
/** Every table of every schema, as a copy of the files shows it: rows in physical order, with their transactions. */
export type Copy = Record<string, SeenRow[]>;

export async function copyTables(client: pg.Pool | pg.PoolClient): Promise<Copy> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema', 'public')`,
  );
  const copy: Copy = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: Row; xmin: string }>(
      `select to_jsonb(t) as row, t.xmin::text as xmin from ${name} t order by t.ctid`,
    );
    copy[name] = rows.map(({ row, xmin }, place) => ({ row, place, xmin: Number(xmin) }));
  }
  return copy;
}

type Kind = 'time' | 'number' | 'xmin' | 'text';
type Value = number | string;
/** A value for each subject that has one. */
interface Column {
  readonly name: string;
  readonly kind: Kind;
  readonly values: ReadonlyMap<string, Value>;
}
/** The rows of each subject, by table. */
export type Side = Record<string, ReadonlyMap<string, readonly SeenRow[]>>;

const isTime = (value: string) => /^\d{4}-\d\d-\d\d(?:T|$)/u.test(value);

/** What a cell says: its value, and the size of a text or of encrypted bytes. */
function* readCell(name: string, value: unknown): Generator<[string, Kind, Value]> {
  if (value === null || value === undefined) return;
  if (typeof value === 'number') yield [name, 'number', value];
  else if (typeof value === 'boolean') yield [name, 'number', Number(value)];
  else if (typeof value === 'object' && !Array.isArray(value))
    for (const [key, inner] of Object.entries(value)) yield* readCell(`${name}.${key}`, inner);
  else {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (isTime(text)) yield [name, 'time', Date.parse(text)];
    else {
      yield [name, 'text', text];
      yield [`${name} (size)`, 'number', text.length];
    }
  }
}

const compare = (a: Value, b: Value): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : a === b ? 0 : 1;

/** All columns of a side. Where a subject has several rows of a table, the smallest and the largest value of each. */
function columnsOf(side: Side): Column[] {
  const columns = new Map<string, { kind: Kind; values: Map<string, Value> }>();
  const put = (name: string, kind: Kind, subject: string, value: Value) => {
    const column = columns.get(name) ?? { kind, values: new Map<string, Value>() };
    column.values.set(subject, value);
    columns.set(name, column);
  };
  for (const [table, bySubject] of Object.entries(side)) {
    for (const [subject, rows] of bySubject) {
      if (rows.length === 0) continue;
      put(`${table} (rows)`, 'number', subject, rows.length);
      const cells = new Map<string, { kind: Kind; values: Value[] }>();
      for (const { row, place, xmin } of rows) {
        const all = [
          ['(position)', 'number', place],
          ['(transaction)', 'xmin', xmin],
          ...Object.entries(row).flatMap(([name, value]) => [...readCell(name, value)]),
        ] as [string, Kind, Value][];
        for (const [name, kind, value] of all) {
          const cell = cells.get(name) ?? { kind, values: [] };
          cell.values.push(value);
          cells.set(name, cell);
        }
      }
      for (const [name, { kind, values }] of cells) {
        const sorted = values.toSorted(compare);
        put(`${table}.${name}`, kind, subject, sorted[0] as Value);
        put(`${table}.${name} (last)`, kind, subject, sorted.at(-1) as Value);
      }
    }
  }
  // Equal columns would be compared twice.
  const seen = new Set<string>();
  return [...columns].flatMap(([name, { kind, values }]) => {
    const signature = JSON.stringify([kind, [...values].toSorted()]);
    if (seen.has(signature)) return [];
    seen.add(signature);
    return [{ name, kind, values }];
  });
}

/** Average ranks, from 0. */
function ranksOf(values: readonly Value[]): number[] {
  const order = [...values.keys()].toSorted((a, b) => compare(values[a] as Value, values[b] as Value));
  const ranks: number[] = [];
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && values[order[end] as number] === values[order[start] as number]) end += 1;
    for (let n = start; n < end; n += 1) ranks[order[n] as number] = (start + end - 1) / 2;
    start = end;
  }
  return ranks;
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [product, squareA, squareB] = [0, 0, 0];
  for (const [n, one] of a.entries()) {
    const [x, y] = [one - meanA, (b[n] ?? 0) - meanB];
    product += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  return squareA === 0 || squareB === 0 ? 0 : product / Math.sqrt(squareA * squareB);
}

/** The probability that |r| of n random pairs is at least this, as a decimal logarithm. */
function logTailOfCorrelation(r: number, n: number): number {
  // Not worth computing: three standard deviations.
  if (r * r * (n - 1) < 9) return 0;
  const steps = 400;
  const integral = (from: number) => {
    const width = (1 - from) / steps;
    let sum = 0;
    for (let k = 0; k < steps; k += 1) sum += (1 - (from + (k + 0.5) * width) ** 2) ** ((n - 4) / 2);
    return sum * width;
  };
  return Math.log10(integral(Math.min(Math.abs(r), 0.999_999)) / integral(0));
}

const logFactorial = (n: number): number => {
  let sum = 0;
  for (let k = 2; k <= n; k += 1) sum += Math.log10(k);
  return sum;
};
const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** The probability that at least `both` of `drawn` are among the `marked` of `all`, as a decimal logarithm. */
function logTailOfOverlap(all: number, marked: number, drawn: number, both: number): number {
  let sum = 0;
  for (let k = both; k <= Math.min(marked, drawn); k += 1)
    if (drawn - k <= all - marked)
      sum += 10 ** (logChoose(marked, k) + logChoose(all - marked, drawn - k) - logChoose(all, drawn));
  return Math.log10(sum);
}

export interface Finding {
  readonly what: string;
  readonly how: 'matching' | 'order' | 'set';
  /** Right guesses, the correlation, or how many of the set are authors. */
  readonly found: number;
  readonly of: number;
  /** The decimal logarithm of the bound on its probability, before the correction for the number of comparisons. */
  readonly log: number;
}

export interface Attack {
  readonly comparisons: number;
  /** Below this logarithm, chance does not explain a finding. */
  readonly limit: number;
  /** Strongest first. */
  readonly findings: readonly Finding[];
  /** Those that chance does not explain. */
  readonly proven: readonly Finding[];
}

export interface Question {
  readonly name: string;
  /** The account of each target; each account occurs once. */
  readonly truth: ReadonlyMap<string, string>;
}

/** Once in ten million attacks. */
const falseAlarms = 1e-7;
/** Fewer pairs prove nothing. */
const fewest = 12;

/** A column with its subjects in the order of their values. */
interface Ordered extends Column {
  readonly order: readonly string[];
}

const inOrder = (column: Column): Ordered => ({
  ...column,
  order: [...column.values].toSorted(([, a], [, b]) => compare(a, b)).map(([subject]) => subject),
});

/** Guesses for targets by their columns: an account for each, or none. */
function* guesses(
  target: Ordered,
  account: Ordered,
  random: Seeded,
): Generator<[string, Map<string, string>]> {
  const [targets, accounts] = [target.order, account.order];
  const step = (accounts.length - 1) / Math.max(1, targets.length - 1);
  const ways: Record<string, (n: number) => number> = {
    'from the first': (n) => n,
    'from the last': (n) => accounts.length - targets.length + n,
    backwards: (n) => accounts.length - 1 - n,
    'spread out': (n) => Math.round(n * step),
  };
  for (const [way, placeOf] of Object.entries(ways))
    yield [way, new Map(targets.map((id, n) => [id, accounts[placeOf(n)] ?? '']))];
  if (target.kind !== account.kind || target.kind === 'text') return;
  const held = accounts.map((subject) => account.values.get(subject) as number);
  /** One of those with this value. */
  const pick = (value: number | undefined) =>
    value === undefined ? '' : random.pick(accounts.slice(held.indexOf(value), held.lastIndexOf(value) + 1));
  const [before, after, nearest] = [new Map(), new Map(), new Map()] as Map<string, string>[];
  for (const id of targets) {
    const value = target.values.get(id) as number;
    const low = held.findLast((other) => other <= value);
    const high = held.find((other) => other >= value);
    const isLowNearer = high === undefined || (low !== undefined && value - low <= high - value);
    before?.set(id, pick(low));
    after?.set(id, pick(high));
    nearest?.set(id, pick(isLowNearer ? low : high));
  }
  yield* Object.entries({ 'last before': before, next: after, nearest }) as [string, Map<string, string>][];
}

/** Sets of accounts that a column marks: those that have it, and those whose value is not the usual one. */
function* markedBy({ name, values }: Column, all: number): Generator<[string, Set<string>]> {
  if (values.size < all) yield [`having ${name}`, new Set(values.keys())];
  const counts = [...Map.groupBy(values.values(), (value) => value)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const [usual, times] = [counts[0]?.[0], counts[0]?.[1].length ?? 0];
  if (times > values.size / 2 && times < values.size)
    yield [
      `an unusual ${name}`,
      new Set([...values].filter(([, value]) => value !== usual).map(([subject]) => subject)),
    ];
}

/** Whether one value is on more than half of the subjects: then ranks say little, and their tail is another. */
const isFlat = (values: readonly Value[]) =>
  Math.max(...[...Map.groupBy(values, (value) => value).values()].map(({ length }) => length)) >
  values.length / 2;

const isConstant = ({ values }: Column) => new Set(values.values()).size < 2;

export function attack(
  targets: Side,
  accounts: Side,
  everyone: readonly string[],
  questions: readonly Question[],
): Attack {
  const [ofTargets, ofAccounts] = [columnsOf(targets), columnsOf(accounts).map(inOrder)];
  const findings: Finding[] = [];
  const random = seeded(31);
  for (const { name, truth } of questions) {
    const authors = new Set(truth.values());
    const drawn = everyone.filter((one) => authors.has(one)).length;
    const asked = ofTargets
      .map((column) => ({
        ...column,
        values: new Map([...column.values].filter(([id]) => truth.has(id))),
      }))
      .filter((column) => column.values.size >= fewest && !isConstant(column))
      .map(inOrder);
    for (const account of ofAccounts) {
      for (const [set, marked] of markedBy(account, everyone.length)) {
        const here = everyone.filter((one) => marked.has(one));
        const both = here.filter((one) => authors.has(one)).length;
        const log = logTailOfOverlap(everyone.length, here.length, drawn, both);
        findings.push({ what: `${name}: ${set}`, how: 'set', found: both, of: here.length, log });
      }
      // A constant marks a set and has no order.
      for (const target of isConstant(account) ? [] : asked) {
        const what = `${name}: ${target.name} and ${account.name}`;
        const pairs = [...target.values].flatMap(([id, value]) => {
          const other = account.values.get(truth.get(id) ?? '');
          return other === undefined ? [] : [[value, other] as const];
        });
        const [a, b] = [pairs.map(([value]) => value), pairs.map(([, value]) => value)];
        if (pairs.length >= fewest && !isFlat(a) && !isFlat(b)) {
          const found = correlation(ranksOf(a), ranksOf(b));
          const log = logTailOfCorrelation(found, pairs.length);
          findings.push({ what, how: 'order', found, of: pairs.length, log });
        }
        for (const [way, guess] of guesses(target, account, random)) {
          const right = [...guess].filter(([id, one]) => truth.get(id) === one).length;
          const log = -logFactorial(right);
          findings.push({ what: `${what}, ${way}`, how: 'matching', found: right, of: guess.size, log });
        }
      }
    }
  }
  return conclude(findings);
}

/** The probability of at least `count` events where `mean` are expected, as a decimal logarithm. */
function logTailOfPoisson(mean: number, count: number): number {
  let sum = 0;
  for (let k = count; k < count + 100; k += 1)
    sum += 10 ** (k * Math.log10(mean) - mean * Math.LOG10E - logFactorial(k));
  return Math.log10(sum);
}

/**
 * Whether cases of one author are next to each other in the order of any column, which equal values are too. In a random
 * order the number of such neighbours is about a Poisson number.
 */
export function attackGroups(targets: Side, authorOf: ReadonlyMap<string, string>): Attack {
  const random = seeded(37);
  const findings = columnsOf(targets).flatMap((column): Finding[] => {
    // In a random order first, so that ties are in no order.
    const known = random.shuffle([...column.values].filter(([id]) => authorOf.has(id)));
    if (known.length < fewest || isConstant(column)) return [];
    const authors = inOrder({ ...column, values: new Map(known) }).order.map((id) => authorOf.get(id) ?? '');
    const same = [...Map.groupBy(authors, (author) => author).values()].reduce(
      (sum, { length }) => sum + length * (length - 1),
      0,
    );
    if (same === 0) return [];
    const found = authors.filter((author, n) => n > 0 && author === authors[n - 1]).length;
    const log = logTailOfPoisson(same / authors.length, found);
    return [{ what: column.name, how: 'set', found, of: authors.length - 1, log }];
  });
  return conclude(findings);
}

function conclude(findings: readonly Finding[]): Attack {
  const sorted = findings.toSorted((a, b) => a.log - b.log);
  const limit = Math.log10(falseAlarms / findings.length);
  return {
    comparisons: findings.length,
    limit,
    findings: sorted,
    proven: sorted.filter(({ log }) => log < limit),
  };
}

/** Opaque values of these tables that another table has too, by column. */
export function sharedValues(copy: Copy, isOurs: (table: string) => boolean): Record<string, number> {
  const opaque = function* (name: string): Generator<[string, string]> {
    for (const { row } of copy[name] ?? [])
      for (const [column, value] of Object.entries(row))
        if (typeof value === 'string' && value.length >= 12 && !isTime(value)) yield [column, value];
  };
  const others = new Set(
    Object.keys(copy)
      .filter((name) => !isOurs(name))
      .flatMap((name) => [...opaque(name)].map(([, value]) => value)),
  );
  const found: Record<string, number> = {};
  for (const name of Object.keys(copy).filter(isOurs))
    for (const [column, value] of opaque(name))
      if (others.has(value)) found[`${name}.${column}`] = (found[`${name}.${column}`] ?? 0) + 1;
  return found;
}
