import type { LeavingSpan } from '@unsaid/contract';
import { dayMs, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import type { Keys } from '../platform/keys.ts';
import type { ItemKind, Person } from '../platform/persons.ts';
import { secureRandom, shuffle } from '../platform/shuffle.ts';
import type { Slots } from '../slots/slots.service.ts';
import { chooseDue, layOut, periodOf, type DueItem, type Round } from './layout.ts';
import * as queries from './leaving.queries.ts';
import { createTicketBox } from './ticket.ts';

/**
 * The words of people who left go one by one (docs/adr/0008). One encrypted ticket says which slots and over what time;
 * when each item goes is computed from it. Nothing is stored for an item, so nothing groups them.
 */
export interface LeavingService {
  /** After the person's slots were closed. Again with the same choice it changes nothing, with another it replaces. */
  leave(person: Person, removeWords: LeavingSpan): Promise<void>;
  /** One round: of every ticket at most one item that is due. */
  removeDue(): Promise<void>;
  /** How long words have been there that should be gone, counted from a day after the end of their period. */
  overdueMs(): Promise<number>;
  /** Each night: so that the order of rows tells nothing. */
  rewriteTickets(): Promise<void>;
}

/** Vents or comments, by the keys of their slots. */
export interface SlotItems {
  /** Those of the keys under which there is something. */
  slotsInUse(slotKeys: readonly Buffer[]): Promise<Buffer[]>;
  /** False where there was nothing any more. */
  removeInSlot(slotKey: Buffer): Promise<boolean>;
}

interface LeavingDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly slots: Slots;
  readonly items: Record<ItemKind, SlotItems>;
  readonly pages: { drop(): Promise<void> };
}

/** A ticket as this process has computed it: kept, since all of them are asked for every minute. */
interface Plan {
  readonly ticket: Buffer;
  readonly ticketKey: Buffer;
  readonly ends: number;
  /** The next to become due stands last. */
  readonly ahead: DueItem[];
  /** Due, and there when it became due. */
  due: DueItem[];
}

const roundMs = 60_000;
const askedAtOnce = 1000;
const unopened = () => new Error('a ticket of leaving does not open: its key is not in the ring');

export function createLeavingService({ db, clock, keys, slots, items, pages }: LeavingDeps): LeavingService {
  const box = createTicketBox(keys);
  let plans = new Map<string, Plan>();
  let lastRoundAt: number | null = null;

  /** What was computed before is kept, unless the ticket is another one. Gives whether all could be opened. */
  async function readPlans(): Promise<boolean> {
    const rows = await queries.listTickets(db.content);
    const read = new Map<string, Plan>();
    let isComplete = true;
    for (const { ticketKey, ticket } of rows) {
      const name = ticketKey.toString('latin1');
      const known = plans.get(name);
      const opened = known?.ticket.equals(ticket) ? null : box.open(ticket, ticketKey);
      if (opened)
        read.set(name, { ticketKey, ticket, ends: periodOf(opened).ends, ahead: layOut(opened), due: [] });
      else if (known?.ticket.equals(ticket)) read.set(name, known);
      else isComplete = false;
    }
    plans = read;
    return isComplete;
  }

  /** Of what has become due, that which is there: some was deleted before, or has no item. */
  async function findNewlyDue(now: number): Promise<void> {
    const found = [...plans.values()].flatMap((plan) => {
      const arrived: { plan: Plan; item: DueItem }[] = [];
      for (let item = plan.ahead.at(-1); item && item.dueAt <= now; item = plan.ahead.at(-1)) {
        arrived.push({ plan, item });
        plan.ahead.pop();
      }
      return arrived;
    });
    for (const kind of ['vent', 'comment'] as const) {
      const ofKind = found.filter(({ item }) => item.kind === kind);
      for (let from = 0; from < ofKind.length; from += askedAtOnce) {
        const asked = ofKind.slice(from, from + askedAtOnce);
        const inUse = new Set(
          (await items[kind].slotsInUse(asked.map(({ item }) => item.slotKey))).map(nameOf),
        );
        for (const { plan, item } of asked) if (inUse.has(nameOf(item.slotKey))) plan.due.push(item);
      }
    }
  }

  /** At most one. Gives whether something went. */
  async function removeOne(plan: Plan, round: Round): Promise<boolean> {
    for (const item of chooseDue(plan.due, plan.ends, round)) {
      const isRemoved = await items[item.kind].removeInSlot(item.slotKey);
      plan.due = plan.due.filter((one) => one !== item);
      if (isRemoved) return true;
    }
    return false;
  }

  return {
    async leave(person, removeWords) {
      const ticketKey = person.leavingKey();
      const lasts = {
        vent: await slots.last(db.content, person, 'vent'),
        comment: await slots.last(db.content, person, 'comment'),
      };
      await transaction(db.content, async (tx) => {
        const before = await queries.lockTicket(tx, ticketKey);
        if (removeWords === 'never') {
          await queries.deleteTicket(tx, ticketKey);
          return;
        }
        // Tried again after a failure: the times stay as they are, so that nothing shows when it was tried.
        if (before && box.open(before, ticketKey)?.span === removeWords) return;
        const ticket = {
          secrets: person.slotSecrets(),
          lasts,
          leftOn: today(clock),
          span: removeWords,
        };
        await queries.putTicket(tx, { ticketKey, ticket: box.seal(ticket, ticketKey) });
      });
    },

    async removeDue() {
      const now = clock.now();
      const round: Round = {
        now,
        elapsedMs: Math.max(0, now - (lastRoundAt ?? now - roundMs)),
        random: secureRandom,
      };
      const isComplete = await readPlans();
      await findNewlyDue(now);
      lastRoundAt = now;
      const faults: unknown[] = isComplete ? [] : [unopened()];
      let isChanged = false;
      // Another order each time, and a transaction each: nothing tells which items come from tickets that lie together.
      for (const plan of shuffle([...plans.values()], secureRandom)) {
        try {
          if (await removeOne(plan, round)) isChanged = true;
          // Not before the period has ended: when a ticket goes must not tell how much there was.
          if (now >= plan.ends && plan.ahead.length === 0 && plan.due.length === 0)
            await queries.deleteTicket(db.content, plan.ticketKey);
        } catch (error) {
          // The others' words go nevertheless.
          faults.push(error);
        }
      }
      if (isChanged) await pages.drop();
      if (faults.length > 0) throw faults[0];
    },

    async overdueMs() {
      const rows = await queries.listTickets(db.content);
      let longest = 0;
      for (const { ticket, ticketKey } of rows) {
        const opened = box.open(ticket, ticketKey);
        if (!opened) throw unopened();
        longest = Math.max(longest, clock.now() - periodOf(opened).ends - dayMs);
      }
      return longest;
    },

    rewriteTickets: () => transaction(db.content, (tx) => queries.rewriteTickets(tx)),
  };
}

const nameOf = (key: Buffer) => key.toString('latin1');
