import type { getMetrics, listAudit } from '@unsaid/contract/moderation/console';
import type { ResponseOf } from '@unsaid/contract';
import { dayInIndia, dayMs, minuteMs, type Clock } from '../../platform/clock.ts';
import type { ModerationDb } from '../../platform/db.ts';
import { firstBrokenAudit, listAudit as listEntries } from '../audit.queries.ts';
import * as queries from './console-figures.queries.ts';

/** What the console shows of all cases together, and the audit log. */
export interface ConsoleFigures {
  metrics(): Promise<Omit<ResponseOf<typeof getMetrics>, 'success'>>;
  audit(before: bigint | null, caseId: bigint | null): Promise<Omit<ResponseOf<typeof listAudit>, 'success'>>;
}

const figureDays = 30;
const auditPage = 100;
/** Checking the chain reads all of it. */
const checkEveryMs = minuteMs;

export function createConsoleFigures({
  db,
  clock,
}: {
  readonly db: ModerationDb;
  readonly clock: Clock;
}): ConsoleFigures {
  let checked: { readonly at: number; readonly brokenAt: bigint | null } | null = null;

  async function findBroken(): Promise<bigint | null> {
    const now = clock.now();
    if (!checked || now - checked.at >= checkEveryMs)
      checked = { at: now, brokenAt: await firstBrokenAudit(db) };
    return checked.brokenAt;
  }

  return {
    async metrics() {
      const now = new Date(clock.now());
      const since = new Date(clock.now() - figureDays * dayMs);
      const [backlog, clocks, decisions, medianHours, appeals, pauses, skips] = await Promise.all([
        queries.countBacklog(db, now),
        queries.countClocks(db, since),
        queries.countDecisions(db, since),
        queries.medianHours(db, since),
        queries.countAppeals(db, since),
        queries.countPauses(db, since),
        queries.countActions(db, 'skipped', since),
      ]);
      return { backlog, clocks, decisions, medianHours, appeals, pauses, skips };
    },

    async audit(before, caseId) {
      const [rows, brokenAt] = await Promise.all([
        listEntries(db, { before, caseId, limit: auditPage + 1 }),
        findBroken(),
      ]);
      return {
        entries: rows.slice(0, auditPage).map((row) => ({
          seq: String(row.seq),
          at: shownTime(row),
          actor: row.actor,
          action: row.action,
          caseId: row.caseId === null ? null : String(row.caseId),
          detail: row.detail as Record<string, unknown>,
          hash: row.hash.toString('hex'),
        })),
        hasMore: rows.length > auditPage,
        brokenAt: brokenAt === null ? null : String(brokenAt),
      };
    },
  };
}

/** Entries that a person outside the staff caused: of these only the day is shown. */
const people = new Set(['author', 'reports']);

/**
 * The exact time would tell when an author or a reporter was here. Entries beside it still bound it, so the log is for
 * leads and auditors alone. Of an appeal only the day is stored.
 */
const shownTime = ({ at, actor }: { readonly at: Date; readonly actor: string }) =>
  people.has(actor) ? dayInIndia(at.getTime()) : at.toISOString();
