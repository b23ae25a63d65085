import { randomInt } from 'node:crypto';
import type { LeavingSpan } from '@unsaid/contract';
import { dayMs, elapsedMs, today } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { UnreadableRow } from '../../platform/job-rows.ts';
import type { ItemKind, Person } from '../../kernel/person-keys.ts';
import { secureRandom, shuffle } from '../../platform/shuffle.ts';
import type { Subject } from '../../kernel/subjects.ts';
import { chooseDue, scheduleItems, periodOf, type DueItem, type Round } from './schedule.ts';
import * as queries from './leaving.queries.ts';
import type { Ticket } from './ticket.ts';
import { commentInSlot, commentSlotsInUse, removeCommentInSlot } from '../comments/authored-comments.ts';
import { removeVentInSlot, ventInSlot, ventSlotsInUse } from '../vents/deletions.ts';
import { findLastSlot } from '../slots/slots.ts';
import type { ContentContext, RemovalPlan } from '../context.ts';

/**
 * Removes the words of people who left, item by item (docs/adr/0008-leaving.md). One encrypted ticket per person holds the
 * slots and the period; the removal time of each item is computed from it. No row per item exists that could group them.
 */

/** Access to vents or comments by slot key. */
interface SlotItems {
  /** The subset of keys that have an item. */
  slotsInUse(ctx: ContentContext, slotKeys: readonly Buffer[]): Promise<Buffer[]>;
  /** False if the item no longer exists. */
  removeInSlot(ctx: ContentContext, slotKey: Buffer): Promise<boolean>;
  /** The item as moderation knows it. Null if it no longer exists. */
  subjectInSlot(ctx: ContentContext, slotKey: Buffer): Promise<Subject | null>;
}

const items: Record<ItemKind, SlotItems> = {
  vent: { slotsInUse: ventSlotsInUse, removeInSlot: removeVentInSlot, subjectInSlot: ventInSlot },
  comment: { slotsInUse: commentSlotsInUse, removeInSlot: removeCommentInSlot, subjectInSlot: commentInSlot },
};

const roundMs = 60_000;
const lookupBatch = 1000;
const measuredForMs = 10 * 60_000;
const ticketKeyOf = ({ ticketKey }: { readonly ticketKey: Buffer }) => ticketKey;
const ticketRows = rowsOf('content', 'tickets', ticketKeyOf);
const planRows = rowsOf('content', 'plans of tickets', ticketKeyOf);

/** Reuses cached plans of unchanged tickets for some hours. */
async function loadPlans(ctx: ContentContext, rows: JobRows, now: number): Promise<void> {
  const read = new Map<string, RemovalPlan>();
  await rows.each(await queries.listTickets(ctx.db), ticketRows, async (row) => {
    const { ticketKey, ticket } = row;
    const name = ticketKey.toString('latin1');
    const known = ctx.removals.plans.get(name);
    if (known?.ticket.equals(ticket) && now < known.until) return void read.set(name, known);
    const opened = ctx.tickets.open(ticket, ticketKey);
    if (!opened) throw new UnreadableRow();
    // Not all plans at one moment.
    const until = now + dayMs / 2 + randomInt(dayMs / 2);
    const upcoming = scheduleItems(opened).filter(({ dueAt }) => dueAt <= until);
    read.set(name, { ticketKey, ticket, ends: periodOf(opened).ends, until, upcoming, due: [], held: [] });
  });
  ctx.removals.plans = read;
}

/** Moves items that became due into `due`, without those that were deleted or never existed. */
async function findNewlyDue(ctx: ContentContext, now: number): Promise<void> {
  const found = [...ctx.removals.plans.values()].flatMap((plan) => {
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
        (
          await items[kind].slotsInUse(
            ctx,
            asked.map(({ item }) => item.slotKey),
          )
        ).map(nameOf),
      );
      for (const { plan, item } of asked) if (inUse.has(nameOf(item.slotKey))) plan.due.push(item);
    }
  }
}

async function isHeld(ctx: ContentContext, { kind, slotKey }: DueItem): Promise<boolean> {
  const subject = await items[kind].subjectInSlot(ctx, slotKey);
  return subject !== null && ctx.ports.holds.isHeld(subject);
}

/**
 * Items whose case was closed are due again. They count as missed, so each goes at a random time: at a fixed one, its
 * removal would link the item to the case that was just closed.
 */
async function releaseHeldItems(ctx: ContentContext, plan: RemovalPlan): Promise<void> {
  for (const item of plan.held) {
    if (await isHeld(ctx, item)) continue;
    plan.held = plan.held.filter((one) => one !== item);
    plan.due.push(item);
  }
}

/** Removes at most one item. True if it did. */
async function removeOne(ctx: ContentContext, plan: RemovalPlan, round: Round): Promise<boolean> {
  await releaseHeldItems(ctx, plan);
  for (const item of chooseDue(plan.due, plan.ends, round)) {
    if (await isHeld(ctx, item)) {
      plan.due = plan.due.filter((one) => one !== item);
      plan.held.push(item);
      continue;
    }
    const isRemoved = await items[item.kind].removeInSlot(ctx, item.slotKey);
    plan.due = plan.due.filter((one) => one !== item);
    if (isRemoved) return true;
  }
  return false;
}

/** Whether all that is left of a ticket is held. */
async function isWaitingForCases(ctx: ContentContext, ticket: Ticket): Promise<boolean> {
  const scheduled = scheduleItems(ticket);
  let found = 0;
  for (const kind of ['vent', 'comment'] as const) {
    const slotKeys = scheduled.filter((item) => item.kind === kind).map(({ slotKey }) => slotKey);
    for (const slotKey of await items[kind].slotsInUse(ctx, slotKeys)) {
      if (!(await isHeld(ctx, { kind, slotKey, dueAt: 0 }))) return false;
      found += 1;
    }
  }
  return found > 0;
}

/** Call after the person's slots are closed. Idempotent; another span replaces the ticket. */
export async function leave(ctx: ContentContext, person: Person, removeWords: LeavingSpan): Promise<void> {
  const ticketKey = person.leavingKey();
  const lastSlots = {
    vent: await findLastSlot(ctx, person, 'vent'),
    comment: await findLastSlot(ctx, person, 'comment'),
  };
  await inTransaction(ctx, async (ctx) => {
    const before = await queries.lockTicket(ctx.db, ticketKey);
    if (removeWords === 'never') {
      await queries.deleteTicket(ctx.db, ticketKey);
      return;
    }
    // Retry after a failure: the ticket stays, so that it does not reveal the day of the retry.
    if (before && ctx.tickets.open(before, ticketKey)?.span === removeWords) return;
    const ticket = {
      secrets: person.slotSecrets(),
      lastSlots,
      leftOn: today(ctx.clock),
      span: removeWords,
    };
    await queries.putTicket(ctx.db, { ticketKey, ticket: ctx.tickets.seal(ticket, ticketKey) });
  });
}

/** One round: removes at most one due item per ticket. */
export async function removeDueItems(ctx: ContentContext, rows: JobRows): Promise<void> {
  const now = ctx.clock.now();
  const round: Round = {
    now,
    elapsedMs: Math.max(0, now - (ctx.removals.lastRoundAt ?? now - roundMs)),
    random: secureRandom,
  };
  await loadPlans(ctx, rows, now);
  await findNewlyDue(ctx, now);
  ctx.removals.lastRoundAt = now;
  let isChanged = false;
  // Random order and one transaction per item, so that removals do not reveal which tickets are adjacent.
  await rows.each(shuffle([...ctx.removals.plans.values()], secureRandom), planRows, async (plan) => {
    if (await removeOne(ctx, plan, round)) isChanged = true;
    // Deleted only after the period: an earlier deletion would reveal how many items there were.
    if (now >= plan.ends && [plan.upcoming, plan.due, plan.held].every((list) => list.length === 0))
      await queries.deleteTicket(ctx.db, plan.ticketKey);
  });
  if (isChanged) await ctx.feedCache.invalidateAll();
}

/** For monitoring: how long the oldest ticket is overdue, counted from a day after the end of its period. */
export async function measureOverdue(ctx: ContentContext): Promise<number> {
  // Days pass before one is overdue, and each process is scraped every few seconds.
  const now = elapsedMs(ctx.clock);
  if (ctx.removals.measured && now - ctx.removals.measured.at < measuredForMs)
    return ctx.removals.measured.overdue;
  const rows = await queries.listTickets(ctx.db);
  let longest = 0;
  for (const { ticket, ticketKey } of rows) {
    const opened = ctx.tickets.open(ticket, ticketKey);
    // The job counts it.
    if (!opened) continue;
    const overdue = ctx.clock.now() - periodOf(opened).ends - dayMs;
    if (overdue > longest && !(await isWaitingForCases(ctx, opened))) longest = overdue;
  }
  ctx.removals.measured = { at: now, overdue: longest };
  return longest;
}

/** Nightly: removes the order of leaving from the physical order of rows. */
export const rewriteLeavings = (ctx: ContentContext, rows: JobRows) => queries.rewriteTickets(ctx.db, rows);

const nameOf = (key: Buffer) => key.toString('latin1');
