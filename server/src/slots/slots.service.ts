import { addDays, dayInIndia, type Clock, type Day } from '../platform/clock.ts';
import { transaction, type ContentDb, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import { peopleFound, type ItemKind, type Person } from '../platform/persons.ts';
import { findLastTaken } from './slot-search.ts';
import * as queries from './slots.queries.ts';

/**
 * How people's own vents and comments are found, though no row says whose it is. Somebody's items stand in their slots
 * 1, 2, 3, …: a row carries the key of its slot, which tells nothing to whoever lacks the person's keys. That a slot
 * was taken is kept apart and for good, so that the last one can be searched for: a counter would change whenever its
 * owner speaks, and so would link their rows (docs/adr/0006).
 */
export interface Slots {
  /** The next number, which is theirs if the transaction commits. Throws for somebody who is leaving. */
  take(tx: ContentDb, person: Person, kind: ItemKind): Promise<number>;
  /** The highest number taken, 0 for none. */
  last(db: ContentDb, person: Person, kind: ItemKind): Promise<number>;
  /** Of these people, those who are leaving or have left. */
  leftAmong(people: readonly Person[]): Promise<ReadonlySet<Person>>;
  /** From its commit on nothing more is written in this person's slots. */
  leave(person: Person): Promise<void>;
  /** Each night, of the days that are over: rows lie in the order in which they were written, and that is a time. */
  rewriteEndedDays(): Promise<void>;
  /** Each hour, all of today's: so that a copy made by day tells the order of the last hour alone. */
  rewriteToday(): Promise<void>;
}

/** So few that whoever writes to one of their vents meanwhile hardly waits. */
const rewrittenAtOnce = 1000;
/** Among so many in a day the order tells next to nothing, and rewriting them every hour would cost much. */
const busyDay = 50_000;
/** Number 0 of vents says that its owner has left: a row like all others. */
const leftNumber = 0;

const leftKeyOf = (person: Person) => person.takenKeys('vent', [leftNumber])[0] as Buffer;

export function createSlots({ db, clock }: { db: Databases; clock: Clock }): Slots {
  async function look(on: ContentDb, person: Person, kind: ItemKind) {
    const leftKey = leftKeyOf(person);
    let hasLeft = false;
    const last = await findLastTaken(async (numbers) => {
      const found = await queries.countTaken(on, person.takenKeys(kind, numbers), leftKey);
      hasLeft ||= found.hasLeft;
      return found.taken;
    });
    return { last, hasLeft };
  }

  const takeNumber = (tx: ContentDb, person: Person, kind: ItemKind, number: number) =>
    queries.takeSlot(tx, person.takenKeys(kind, [number])[0] as Buffer);

  const hasLeft = async (on: ContentDb, person: Person) =>
    (await queries.countTaken(on, [], leftKeyOf(person))).hasLeft;

  async function rewrite(table: (typeof queries.rewrittenTables)[number], endOf: Day | null): Promise<void> {
    let after: Buffer | null = Buffer.alloc(0);
    while (after) {
      const batch: queries.Rewrite = { after, limit: rewrittenAtOnce, endOf };
      after = await transaction(db.content, (tx) => queries.rewriteFresh(tx, table, batch));
    }
  }

  return {
    async take(tx, person, kind) {
      const found = await look(tx, person, kind);
      if (found.hasLeft) throw new AppError('UNAUTHENTICATED');
      for (let number = found.last + 1; ; number += 1) {
        if (await takeNumber(tx, person, kind, number)) return number;
        // Taken since we looked: by another request of this person, or by their leaving.
        if (await hasLeft(tx, person)) throw new AppError('UNAUTHENTICATED');
      }
    },

    last: async (on, person, kind) => (await look(on, person, kind)).last,
    async leftAmong(people) {
      const keys = people.map(leftKeyOf);
      return peopleFound(people, keys, await queries.listTaken(db.content, keys));
    },

    async leave(person) {
      await transaction(db.content, async (tx) => {
        // Marked before: the transaction that did it has taken the numbers too.
        if (!(await takeNumber(tx, person, 'vent', leftNumber))) return;
        // Takes the next number of each kind as well. Whoever is writing at this moment either has it already, and we
        // wait until their item is there to be found; or wants it too, waits for us, and is then refused.
        for (const kind of ['vent', 'comment'] as const) {
          let number = (await look(tx, person, kind)).last + 1;
          while (!(await takeNumber(tx, person, kind, number))) number += 1;
        }
      });
    },

    async rewriteToday() {
      for (const table of queries.rewrittenTables) {
        const isBusy = (await queries.countFresh(db.content, table, busyDay)) === busyDay;
        if (!isBusy) await rewrite(table, null);
      }
    },

    async rewriteEndedDays() {
      const yesterday = addDays(dayInIndia(clock.now()), -1);
      for (const table of queries.rewrittenTables) await rewrite(table, yesterday);
      // Last, so that they lie behind everything else of this night, whichever night they were switched in.
      for (let after: bigint | null = 0n; after !== null;) {
        const from: bigint = after;
        after = await transaction(db.content, (tx) => queries.rewriteSwitched(tx, from, rewrittenAtOnce));
      }
    },
  };
}
