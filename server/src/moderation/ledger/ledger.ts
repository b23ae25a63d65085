import {
  ledgerOutcomes,
  ledgerTimes,
  policyNames,
  type LedgerMonth,
  type LedgerTime,
} from '@unsaid/contract';
import { dayInIndia, hourMs, startOfDayInIndia } from '../../platform/clock.ts';
import { findAuditHead } from '../audit.queries.ts';
import type { Ledger, ModerationContext } from '../context.ts';
import * as queries from './ledger.queries.ts';
import { publishCount, publishParts } from './suppression.ts';

const keptMs = hourMs;
const monthsShown = 12;

/**
 * Whole months only, and the audit log as it was when yesterday ended. A figure of the running month would grow by one
 * within the hour of a report or an appeal, and so tell when somebody made it.
 */
export function readLedger(ctx: ModerationContext): Promise<Ledger> {
  const { kept } = ctx;
  const now = ctx.clock.now();
  // A negative age means that the clock was set back.
  if (kept.ledger !== null && now >= kept.ledger.at && now - kept.ledger.at < keptMs)
    return kept.ledger.value;
  const mine = { at: now, value: computeLedger(ctx) };
  kept.ledger = mine;
  mine.value.catch(() => {
    if (kept.ledger === mine) kept.ledger = null;
  });
  return mine.value;
}

async function computeLedger({ db, clock }: ModerationContext): Promise<Ledger> {
  const today = dayInIndia(clock.now());
  const thisMonth = today.slice(0, 7);
  const firstAt = await queries.firstEntryAt(db);
  const head = await findAuditHead(db, startInIndia(today));
  const audit = head && { hash: head.hash.toString('hex') };
  if (firstAt === null) return { months: [], audit };
  const oldest = dayInIndia(firstAt.getTime()).slice(0, 7);
  const months = monthsBefore(thisMonth, monthsShown).filter((month) => month >= oldest);
  const first = months.at(-1);
  if (first === undefined) return { months: [], audit };
  const span = { from: startInIndia(`${first}-01`), before: startInIndia(`${thisMonth}-01`) };
  const [entries, decisions] = await Promise.all([
    queries.countEntries(db, span),
    queries.listDecisions(db, span),
  ]);
  return {
    audit,
    months: months.map((month) =>
      monthView(
        month,
        entries.find((row) => row.month === month),
        decisions.filter((row) => row.month === month),
      ),
    ),
  };
}

/** Midnight in India. */
function startInIndia(day: string): Date {
  return new Date(startOfDayInIndia(day));
}

/** The months before this one, newest first. */
function monthsBefore(month: string, count: number): string[] {
  const [year = 0, of = 0] = month.split('-').map(Number);
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(year, of - 2 - back, 1)).toISOString().slice(0, 7),
  );
}

function monthView(
  month: string,
  entries: queries.MonthCounts | undefined,
  decisions: readonly queries.Decision[],
): LedgerMonth {
  const partsBy = <N extends string>(names: readonly N[], nameOf: (decision: queries.Decision) => string) => {
    const counts = Map.groupBy(decisions, nameOf)
      .entries()
      .map(([name, some]) => [name, some.length] as const);
    return publishParts(names, new Map(counts));
  };
  const rules = partsBy(policyNames, ({ rule }) => rule);
  const outcomes = partsBy(ledgerOutcomes, ({ outcome }) => outcome);
  const times = partsBy(ledgerTimes, timeOf);
  return {
    month,
    reports: publishCount(entries?.reports ?? 0),
    decisions: {
      total: publishCount(decisions.length),
      byRule: rules.shown.map(({ name, count }) => ({ rule: name, count })),
      otherRules: rules.rest,
      byOutcome: outcomes.shown.map(({ name, count }) => ({ outcome: name, count })),
      otherOutcomes: outcomes.rest,
      byTime: times.shown.map(({ name, count }) => ({ time: name, count })),
      otherTimes: times.rest,
    },
    pauses: publishCount(entries?.pauses ?? 0),
    appeals: publishCount(entries?.appeals ?? 0),
    overturned: publishCount(entries?.overturned ?? 0),
    reversed: publishCount(entries?.reversed ?? 0),
    orders: publishCount(entries?.orders ?? 0),
  };
}

const timeOf = ({ hours }: queries.Decision): LedgerTime =>
  hours <= 36 ? '36 hours' : hours <= 7 * 24 ? '7 days' : 'longer';
