import type { ModerationBase } from '../../kernel/base.ts';
import {
  ledgerOutcomes,
  policyNames,
  type getLedger,
  type LedgerMonth,
  type LedgerOutcome,
  type PolicyName,
  type ResponseOf,
} from '@unsaid/contract';
import { dayInIndia, hourMs, startOfDayInIndia } from '../../platform/clock.ts';
import { findAuditHead } from '../audit.queries.ts';
import * as queries from './ledger.queries.ts';
import { publishCount, publishParts, publishShare } from './suppression.ts';

export type Ledger = Omit<ResponseOf<typeof getLedger>, 'success'>;

type LedgerDeps = Pick<ModerationBase, 'db' | 'clock'>;

export interface LedgerService {
  read(): Promise<Ledger>;
}

const keptMs = hourMs;
const monthsShown = 12;

/**
 * Whole months only, and the audit log as it was when yesterday ended. A figure of the running month would grow by one
 * within the hour of a report or an appeal, and so tell when somebody made it.
 */
export function createLedgerService({ db, clock }: LedgerDeps): LedgerService {
  let kept: { readonly at: number; readonly ledger: Promise<Ledger> } | null = null;

  async function compute(): Promise<Ledger> {
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
    const [entries, decisions, times] = await Promise.all([
      queries.countEntries(db, span),
      queries.countDecisions(db, span),
      queries.timeDecisions(db, span),
    ]);
    return {
      audit,
      months: months.map((month) =>
        monthView(
          month,
          entries.find((row) => row.month === month),
          decisions.filter((row) => row.month === month),
          times.find((row) => row.month === month),
        ),
      ),
    };
  }

  return {
    read() {
      const now = clock.now();
      // A negative age means that the clock was set back.
      if (kept !== null && now >= kept.at && now - kept.at < keptMs) return kept.ledger;
      const ledger = compute();
      const mine = { at: now, ledger };
      kept = mine;
      ledger.catch(() => {
        if (kept === mine) kept = null;
      });
      return ledger;
    },
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
  decisions: readonly queries.DecisionCount[],
  times: queries.DecisionTimes | undefined,
): LedgerMonth {
  const total = decisions.reduce((sum, row) => sum + row.count, 0);
  const byRule = publishParts<PolicyName>(
    policyNames,
    sumBy(decisions, ({ rule }) => policyNames.find((name) => name === rule) ?? 'other'),
  );
  const byOutcome = publishParts<LedgerOutcome>(
    ledgerOutcomes,
    sumBy(decisions, ({ outcome }) => ledgerOutcomes.find((name) => name === outcome) ?? 'keep'),
  );
  const reports = entries?.reports ?? 0;
  const isTimed = publishCount(times?.timed ?? 0) !== null && typeof times?.medianHours === 'number';
  return {
    month,
    reports: publishCount(reports),
    decisions: {
      total: publishCount(total),
      byRule: byRule.shown.map(({ name, count }) => ({ rule: name, count })),
      otherRules: byRule.rest,
      byOutcome: byOutcome.shown.map(({ name, count }) => ({ outcome: name, count })),
      otherOutcomes: byOutcome.rest,
      medianHours: isTimed ? Math.ceil(times.medianHours) : null,
    },
    inTime: {
      // A report is acknowledged by the response that says it was stored.
      receipt24h: publishShare(reports, reports),
      dangerous36h: publishShare(times?.dangerousIn36h ?? 0, times?.dangerous ?? 0),
      all7days: publishShare(times?.in7days ?? 0, times?.timed ?? 0),
      orders3h: publishShare(times?.ordersIn3h ?? 0, times?.orders ?? 0),
    },
    pauses: {
      made: publishCount(entries?.pauses ?? 0),
      confirmed: publishShare(times?.confirmed ?? 0, times?.afterPause ?? 0),
    },
    appeals: {
      made: publishCount(entries?.appeals ?? 0),
      overturned: publishShare(entries?.overturned ?? 0, entries?.resolved ?? 0),
    },
    reversed: publishCount(entries?.reversed ?? 0),
    orders: publishCount(entries?.orders ?? 0),
  };
}

function sumBy<Name extends string>(
  rows: readonly queries.DecisionCount[],
  nameOf: (row: queries.DecisionCount) => Name,
): Map<Name, number> {
  const sums = new Map<Name, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + row.count);
  return sums;
}
