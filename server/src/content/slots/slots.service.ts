import { addDays, dayInIndia, type Clock, type Day } from '../../platform/clock.ts';
import { createBatcher } from '../../platform/batch.ts';
import { transaction, type ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { peopleFound, type ItemKind, type Person } from '../../kernel/person-keys.ts';
import { findHighestUsed } from '../../kernel/gallop.ts';
import * as queries from './slots.queries.ts';

/**
 * Slots find the vents and comments of a person, although no row names its author. The items of a person have the
 * slots 1, 2, 3, …, and a row carries the key of its slot, which looks random without that person's keys. Taken slots
 * are recorded in a table of their own and never deleted, so that the highest one can be searched for. A counter would
 * not do: it would change with every item of its owner, and so link their rows (docs/adr/0006).
 */
export interface Slots {
  /** Returns the next number. It is claimed if the transaction commits. Throws for a person who is leaving. */
  claim(tx: ContentDb, person: Person, kind: ItemKind): Promise<number>;
  /** The highest number taken, 0 for none. `atLeast` is known to be taken: the search begins there. */
  findLast(person: Person, kind: ItemKind, atLeast?: number): Promise<number>;
  /** Of these people, those who are leaving or have left. */
  findLeavers(people: readonly Person[]): Promise<ReadonlySet<Person>>;
  /** After its commit, no item of this person can be written. */
  close(person: Person): Promise<void>;
  /** Nightly, for the days that are over: the position of rows is the order of writing, which is a time. */
  rewriteEndedDays(): Promise<void>;
  /** Hourly, for all rows of today: a copy of the database then shows the order of the last hour only. */
  rewriteToday(): Promise<void>;
}

/** Small, because a writer to one of these vents waits for the batch. */
const rewriteBatchSize = 1000;
/** From this many rows a day, their order shows almost nothing, and an hourly rewrite would be expensive. */
const busyDay = 50_000;
/** Vent slot 0 marks a person who has left. Its row looks like all others. */
const leftNumber = 0;

const freshTables = Object.values(queries.freshTables);

const leftKeyOf = (person: Person) => person.takenKeys('vent', [leftNumber])[0] as Buffer;

export function createSlots({ db, clock }: { db: ContentDb; clock: Clock }): Slots {
  async function search(on: ContentDb, person: Person, kind: ItemKind) {
    const leftKey = leftKeyOf(person);
    let hasLeft = false;
    const last = await findHighestUsed(async (numbers) => {
      const found = await queries.countTaken(on, person.takenKeys(kind, numbers), leftKey);
      hasLeft ||= found.hasLeft;
      return found.taken;
    });
    return { last, hasLeft };
  }

  /** Batches concurrent searches into one statement: of one reader's vents and comments, and of several readers. */
  const countTaken = createBatcher(async (lists: readonly (readonly Buffer[])[]) => {
    const taken = await queries.listTakenPositions(db, Buffer.concat(lists.flat()));
    let next = 0;
    return lists.map(({ length }) => {
      const first = next;
      next += length;
      return taken.filter((position) => position >= first && position < first + length).length;
    });
  });

  const claimNumber = (tx: ContentDb, person: Person, kind: ItemKind, number: number) =>
    queries.claimSlot(tx, person.takenKeys(kind, [number])[0] as Buffer);

  const hasLeft = async (on: ContentDb, person: Person) =>
    (await queries.countTaken(on, [], leftKeyOf(person))).hasLeft;

  async function rewrite(table: (typeof freshTables)[number], endOf: Day | null): Promise<void> {
    let after: Buffer | null = Buffer.alloc(0);
    while (after) {
      const batch: queries.RewriteBatch = { after, limit: rewriteBatchSize, endOf };
      after = await transaction(db, (tx) => queries.rewriteFresh(tx, table, batch));
    }
  }

  return {
    async claim(tx, person, kind) {
      const found = await search(tx, person, kind);
      if (found.hasLeft) throw new AppError('UNAUTHENTICATED');
      for (let number = found.last + 1; ; number += 1) {
        if (await claimNumber(tx, person, kind, number)) return number;
        // Taken since the search: by another request of this person, or by `close`.
        if (await hasLeft(tx, person)) throw new AppError('UNAUTHENTICATED');
      }
    },

    findLast: (person, kind, atLeast) =>
      findHighestUsed((numbers) => countTaken(person.takenKeys(kind, numbers)), atLeast),

    async findLeavers(people) {
      const keys = people.map(leftKeyOf);
      return peopleFound(people, keys, await queries.listTaken(db, keys));
    },

    async close(person) {
      await transaction(db, async (tx) => {
        // Closed before: the transaction that did it claimed the next numbers too.
        if (!(await claimNumber(tx, person, 'vent', leftNumber))) return;
        // Claims the next number of each kind as well. A concurrent writer either holds that number already, and this
        // transaction waits until the item is visible. Or the writer waits for this transaction and is then refused.
        for (const kind of ['vent', 'comment'] as const) {
          let number = (await search(tx, person, kind)).last + 1;
          while (!(await claimNumber(tx, person, kind, number))) number += 1;
        }
      });
    },

    async rewriteToday() {
      for (const table of freshTables) {
        const isBusy = (await queries.countFresh(db, table, busyDay)) === busyDay;
        if (!isBusy) await rewrite(table, null);
      }
    },

    async rewriteEndedDays() {
      const yesterday = addDays(dayInIndia(clock.now()), -1);
      for (const table of freshTables) await rewrite(table, yesterday);
      // Switched vents come last: their counters then lie behind all others of this night, whenever they were switched.
      for (let after: bigint | null = 0n; after !== null;) {
        const from: bigint = after;
        after = await transaction(db, (tx) => queries.rewriteSwitched(tx, from, rewriteBatchSize));
      }
    },
  };
}
