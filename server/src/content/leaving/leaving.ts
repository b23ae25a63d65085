import { randomInt } from 'node:crypto';
import type { ContentBase } from '../../kernel/base.ts';
import type { LeavingSpan } from '@unsaid/contract';
import { dayMs, elapsedMs, today } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { UnreadableRow } from '../../platform/job-rows.ts';
import type { ItemKind, Person } from '../../kernel/person-keys.ts';
import { secureRandom, shuffle } from '../../platform/shuffle.ts';
import type { Holds } from '../ports.ts';
import type { Subject } from '../../kernel/subjects.ts';
import type { Slots } from '../slots/slots.ts';
import { chooseDue, scheduleItems, periodOf, type DueItem, type Round } from './schedule.ts';
import * as queries from './leaving.queries.ts';
import { createTicketCipher, type Ticket } from './ticket.ts';

/**
 * Removes the words of people who left, item by item (docs/adr/0008-leaving.md). One encrypted ticket per person holds the
 * slots and the period; the removal time of each item is computed from it. No row per item exists that could group them.
 */
export type LeavingService = ReturnType<typeof createLeavingService>;

/** Access to vents or comments by slot key. */
export interface SlotItems {
  /** The subset of keys that have an item. */
  slotsInUse(slotKeys: readonly Buffer[]): Promise<Buffer[]>;
  /** False if the item no longer exists. */
  removeInSlot(slotKey: Buffer): Promise<boolean>;
  /** The item as moderation knows it. Null if it no longer exists. */
  subjectInSlot(slotKey: Buffer): Promise<Subject | null>;
}

interface LeavingDeps extends Pick<ContentBase, 'db' | 'clock' | 'keys'> {
  readonly slots: Slots;
  readonly items: Record<ItemKind, SlotItems>;
  readonly holds: Holds;
  readonly feedCache: { invalidateAll(): Promise<void> };
}

/** A decrypted ticket with its schedule. Cached between rounds, which run every minute. */
interface RemovalPlan {
  readonly ticket: Buffer;
  readonly ticketKey: Buffer;
  readonly ends: number;
  /** Until then the plan has the items that become due. The worker keeps no others in memory. */
  readonly until: number;
  /** Sorted with the next due item last. */
  readonly upcoming: DueItem[];
  /** Items that are due and existed when they became due. */
  due: DueItem[];
  /** Due, but in a severe case that is not closed. */
  held: DueItem[];
}

const roundMs = 60_000;
const lookupBatch = 1000;
const measuredForMs = 10 * 60_000;
const ticketKeyOf = ({ ticketKey }: { readonly ticketKey: Buffer }) => ticketKey;
const ticketRows = rowsOf('content', 'tickets', ticketKeyOf);
const planRows = rowsOf('content', 'plans of tickets', ticketKeyOf);

export function createLeavingService({ db, clock, keys, slots, items, holds, feedCache }: LeavingDeps) {
  const cipher = createTicketCipher(keys);
  let plans = new Map<string, RemovalPlan>();
  let lastRoundAt: number | null = null;
  let measured: { readonly at: number; readonly overdue: number } | null = null;

  /** Reuses cached plans of unchanged tickets for some hours. */
  async function loadPlans(rows: JobRows, now: number): Promise<void> {
    const read = new Map<string, RemovalPlan>();
    await rows.each(await queries.listTickets(db), ticketRows, async (row) => {
      const { ticketKey, ticket } = row;
      const name = ticketKey.toString('latin1');
      const known = plans.get(name);
      if (known?.ticket.equals(ticket) && now < known.until) return void read.set(name, known);
      const opened = cipher.open(ticket, ticketKey);
      if (!opened) throw new UnreadableRow();
      // Not all plans at one moment.
      const until = now + dayMs / 2 + randomInt(dayMs / 2);
      const upcoming = scheduleItems(opened).filter(({ dueAt }) => dueAt <= until);
      read.set(name, { ticketKey, ticket, ends: periodOf(opened).ends, until, upcoming, due: [], held: [] });
    });
    plans = read;
  }

  /** Moves items that became due into `due`, without those that were deleted or never existed. */
  async function findNewlyDue(now: number): Promise<void> {
    const found = [...plans.values()].flatMap((plan) => {
      const newlyDue: { plan: RemovalPlan; item: DueItem }[] = [];
      for (let item = plan.upcoming.at(-1); item && item.dueAt <= now; item = plan.upcoming.at(-1)) {
        newlyDue.push({ plan, item });
        plan.upcoming.pop();
      }
      return newlyDue;
    });
    for (const kind of ['vent', 'comment'] as const) {
      const ofKind = found.filter(({ item }) => item.kind === kind);
      for (let from = 0; from < ofKind.length; from += lookupBatch) {
        const asked = ofKind.slice(from, from + lookupBatch);
        const inUse = new Set(
          (await items[kind].slotsInUse(asked.map(({ item }) => item.slotKey))).map(nameOf),
        );
        for (const { plan, item } of asked) if (inUse.has(nameOf(item.slotKey))) plan.due.push(item);
      }
    }
  }

  async function isHeld({ kind, slotKey }: DueItem): Promise<boolean> {
    const subject = await items[kind].subjectInSlot(slotKey);
    return subject !== null && holds.isHeld(subject);
  }

  /**
   * Items whose case was closed are due again. They count as missed, so each goes at a random time: at a fixed one, its
   * removal would link the item to the case that was just closed.
   */
  async function releaseHeld(plan: RemovalPlan): Promise<void> {
    for (const item of plan.held) {
      if (await isHeld(item)) continue;
      plan.held = plan.held.filter((one) => one !== item);
      plan.due.push(item);
    }
  }

  /** Removes at most one item. True if it did. */
  async function removeOne(plan: RemovalPlan, round: Round): Promise<boolean> {
    await releaseHeld(plan);
    for (const item of chooseDue(plan.due, plan.ends, round)) {
      if (await isHeld(item)) {
        plan.due = plan.due.filter((one) => one !== item);
        plan.held.push(item);
        continue;
      }
      const isRemoved = await items[item.kind].removeInSlot(item.slotKey);
      plan.due = plan.due.filter((one) => one !== item);
      if (isRemoved) return true;
    }
    return false;
  }

  /** Whether all that is left of a ticket is held. */
  async function isWaitingForCases(ticket: Ticket): Promise<boolean> {
    const scheduled = scheduleItems(ticket);
    let found = 0;
    for (const kind of ['vent', 'comment'] as const) {
      const slotKeys = scheduled.filter((item) => item.kind === kind).map(({ slotKey }) => slotKey);
      for (const slotKey of await items[kind].slotsInUse(slotKeys)) {
        if (!(await isHeld({ kind, slotKey, dueAt: 0 }))) return false;
        found += 1;
      }
    }
    return found > 0;
  }

  return {
    /** Call after the person's slots are closed. Idempotent; another span replaces the ticket. */
    async leave(person: Person, removeWords: LeavingSpan): Promise<void> {
      const ticketKey = person.leavingKey();
      const lastSlots = {
        vent: await slots.findLast(person, 'vent'),
        comment: await slots.findLast(person, 'comment'),
      };
      await transaction(db, async (tx) => {
        const before = await queries.lockTicket(tx, ticketKey);
        if (removeWords === 'never') {
          await queries.deleteTicket(tx, ticketKey);
          return;
        }
        // Retry after a failure: the ticket stays, so that it does not reveal the day of the retry.
        if (before && cipher.open(before, ticketKey)?.span === removeWords) return;
        const ticket = {
          secrets: person.slotSecrets(),
          lastSlots,
          leftOn: today(clock),
          span: removeWords,
        };
        await queries.putTicket(tx, { ticketKey, ticket: cipher.seal(ticket, ticketKey) });
      });
    },

    /** One round: removes at most one due item per ticket. */
    async removeDue(rows: JobRows): Promise<void> {
      const now = clock.now();
      const round: Round = {
        now,
        elapsedMs: Math.max(0, now - (lastRoundAt ?? now - roundMs)),
        random: secureRandom,
      };
      await loadPlans(rows, now);
      await findNewlyDue(now);
      lastRoundAt = now;
      let isChanged = false;
      // Random order and one transaction per item, so that removals do not reveal which tickets are adjacent.
      await rows.each(shuffle([...plans.values()], secureRandom), planRows, async (plan) => {
        if (await removeOne(plan, round)) isChanged = true;
        // Deleted only after the period: an earlier deletion would reveal how many items there were.
        if (now >= plan.ends && [plan.upcoming, plan.due, plan.held].every((list) => list.length === 0))
          await queries.deleteTicket(db, plan.ticketKey);
      });
      if (isChanged) await feedCache.invalidateAll();
    },

    /** For monitoring: how long the oldest ticket is overdue, counted from a day after the end of its period. */
    async overdueMs(): Promise<number> {
      // Days pass before one is overdue, and each process is scraped every few seconds.
      const now = elapsedMs(clock);
      if (measured && now - measured.at < measuredForMs) return measured.overdue;
      const rows = await queries.listTickets(db);
      let longest = 0;
      for (const { ticket, ticketKey } of rows) {
        const opened = cipher.open(ticket, ticketKey);
        // The job counts it.
        if (!opened) continue;
        const overdue = clock.now() - periodOf(opened).ends - dayMs;
        if (overdue > longest && !(await isWaitingForCases(opened))) longest = overdue;
      }
      measured = { at: now, overdue: longest };
      return longest;
    },

    /** Nightly: removes the order of leaving from the physical order of rows. */
    rewriteTickets: (rows: JobRows) => queries.rewriteTickets(db, rows),
  };
}

const nameOf = (key: Buffer) => key.toString('latin1');
