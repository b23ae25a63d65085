import { addDays, dayInIndia, type Day } from '../../platform/clock.ts';
import { createBatcher } from '../../platform/batch.ts';
import { inTransaction, type ContentDb } from '../../platform/db.ts';
import type { JobRows } from '../../platform/job.ts';
import { rewriteTable } from '../../platform/rewrite-rows.ts';
import { AppError } from '../../platform/errors.ts';
import { peopleFound, type ItemKind, type Person } from '../../kernel/person-keys.ts';
import { findHighestUsed } from '../../kernel/gallop.ts';
import * as queries from './slots.queries.ts';
import type { ContentContext } from '../context.ts';

/**
 * Slots find the vents and comments of a person, although no row names its author. The items of a person have the
 * slots 1, 2, 3, …, and a row carries the key of its slot, which looks random without that person's keys. Taken slots
 * are recorded in a table of their own and never deleted, so that the highest one can be searched for. A counter would
 * not do: it would change with every item of its owner, and so link their rows (docs/adr/0006).
 */

export interface NextSlot {
  readonly number: number;
  readonly takenKey: Buffer;
}

/** From this many rows a day, their order shows almost nothing, and an hourly rewrite would be expensive. */
const busyDay = 50_000;
/** Vent slot 0 marks a person who has left. Its row looks like all others. */
const leftNumber = 0;

const freshTables: readonly queries.FreshTable[] = Object.values(queries.freshTables);

/** Batches concurrent searches into one statement: of one reader's vents and comments, and of several readers. */
export const createTakenCounter = (db: ContentDb) =>
  createBatcher(async (lists: readonly (readonly Buffer[])[]) => {
    const taken = await queries.listTakenPositions(db, Buffer.concat(lists.flat()));
    let next = 0;
    return lists.map(({ length }) => {
      const first = next;
      next += length;
      return taken.filter((position) => position >= first && position < first + length).length;
    });
  });

const leftKeyOf = (person: Person) => person.takenKeys('vent', [leftNumber])[0] as Buffer;

/** `first` has what the first statement found besides. */
async function searchSlots<T>(
  ctx: ContentContext,
  person: Person,
  kind: ItemKind,
  asked: queries.AskedBesides<T>,
) {
  let first: queries.FoundTaken<T> | undefined;
  let hasLeft = false;
  const last = await findHighestUsed(async (numbers) => {
    const takenKeys = Buffer.concat([leftKeyOf(person), ...person.takenKeys(kind, numbers)]);
    const found = await queries.findTaken(ctx.db, takenKeys, first ? queries.nothingBesides : asked);
    first ??= found as queries.FoundTaken<T>;
    const isLeft = found.positions.includes(0);
    hasLeft ||= isLeft;
    return found.positions.length - (isLeft ? 1 : 0);
  });
  return { last, hasLeft, first: first as queries.FoundTaken<T> };
}

const claimNumber = (tx: ContentDb, person: Person, kind: ItemKind, number: number) =>
  queries.claimSlot(tx, person.takenKeys(kind, [number])[0] as Buffer);

async function rewriteFresh(
  ctx: ContentContext,
  rows: JobRows,
  fresh: queries.FreshTable,
  endOf: Day | null,
): Promise<void> {
  const { table } = fresh;
  if ('rowsOf' in table) return rewriteTable(ctx.db, rows, table, queries.freshUntil(fresh, endOf));
  for (let after: Buffer | null = Buffer.alloc(0); after;) {
    const last: Buffer = after;
    after = await inTransaction(ctx, ({ db }) => queries.rewriteTakenSlots(db, last, endOf === null));
  }
}

/**
 * Calls `write` with the next number and what `also` selects. Its one statement claims the number, or it returns null
 * where that was taken meanwhile, and is called again with what is true then. Null where an earlier request with the
 * idempotency key wrote the item. Throws for a person who is leaving.
 */
export async function claimSlot<T, R>(
  ctx: ContentContext,
  person: Person,
  kind: ItemKind,
  asked: queries.AskedBesides<T>,
  write: (slot: NextSlot, also: T | null) => Promise<R | null>,
) {
  for (;;) {
    const { last, hasLeft, first } = await searchSlots(ctx, person, kind, asked);
    if (first.isUsed) return null;
    if (hasLeft) throw new AppError('UNAUTHENTICATED');
    const number = last + 1;
    const [takenKey] = person.takenKeys(kind, [number]) as [Buffer];
    let written;
    try {
      written = await write({ number, takenKey }, first.also);
    } catch (error) {
      // The same request may have been faster, since this one asked.
      const again = { ...queries.nothingBesides, key: asked.key };
      if ((await queries.findTaken(ctx.db, Buffer.alloc(0), again)).isUsed) return null;
      throw error;
    }
    // Null: taken since the search, by another request of this person or by `close`.
    if (written !== null) return written;
  }
}

/** The highest number taken, 0 for none. `atLeast` is known to be taken: the search begins there. */
export const findLastSlot = (ctx: ContentContext, person: Person, kind: ItemKind, atLeast?: number) =>
  findHighestUsed((numbers) => ctx.batched.countTaken(person.takenKeys(kind, numbers)), atLeast);

/** Of these people, those who are leaving or have left. */
export async function findLeavers(
  ctx: ContentContext,
  people: readonly Person[],
): Promise<ReadonlySet<Person>> {
  const keys = people.map(leftKeyOf);
  return peopleFound(people, keys, await queries.listTaken(ctx.db, keys));
}

/** After its commit, no item of this person can be written. */
export async function closeSlots(ctx: ContentContext, person: Person): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // Closed before: the transaction that did it claimed the next numbers too.
    if (!(await claimNumber(ctx.db, person, 'vent', leftNumber))) return;
    // Claims the next number of each kind as well. A concurrent writer either holds that number already, and this
    // transaction waits until the item is visible. Or the writer waits for this transaction and is then refused.
    for (const kind of ['vent', 'comment'] as const) {
      let number = (await searchSlots(ctx, person, kind, queries.nothingBesides)).last + 1;
      while (!(await claimNumber(ctx.db, person, kind, number))) number += 1;
    }
  });
}

/** Hourly, for all rows of today: a copy of the database then shows the order of the last hour only. */
export async function rewriteToday(ctx: ContentContext, rows: JobRows): Promise<void> {
  for (const table of freshTables) {
    const isBusy = (await queries.countFresh(ctx.db, table, busyDay)) === busyDay;
    if (!isBusy) await rewriteFresh(ctx, rows, table, null);
  }
}

/** Nightly, for the days that are over: the position of rows is the order of writing, which is a time. */
export async function rewriteEndedDays(ctx: ContentContext, rows: JobRows): Promise<void> {
  const yesterday = addDays(dayInIndia(ctx.clock.now()), -1);
  for (const table of freshTables) await rewriteFresh(ctx, rows, table, yesterday);
  // Switched vents come last: their counters then lie behind all others of this night, whenever they were switched.
  const options = { where: queries.isSwitched, set: { is_switched: false } };
  await rewriteTable(ctx.db, rows, queries.switchedStats, options);
}

export const maxBatch = 1000;

/** Half as many again, to make up for deleted items. */
export const withGaps = (wanted: number) => Math.ceil(wanted * 1.5);

/** Numbers downwards from the highest, in growing batches: few steps even across large gaps. */
export function* descendingBatches(
  highest: number,
  first: number,
  { growth = 2, max = maxBatch } = {},
): Generator<number[]> {
  let size = Math.min(first, max);
  for (let from = highest; from > 0; from -= size, size = Math.min(size * growth, max)) {
    yield Array.from({ length: Math.min(size, from) }, (_, n) => from - n);
  }
}
