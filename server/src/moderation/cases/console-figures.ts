import type { getMetrics, listAudit } from '@unsaid/contract/moderation/console';
import type { ResponseOf } from '@unsaid/contract';
import { dayInIndia, dayMs, minuteMs } from '../../platform/clock.ts';
import { firstBrokenAudit, listAudit as listEntries } from '../audit.queries.ts';
import type { ModerationContext } from '../context.ts';
import * as queries from './console-figures.queries.ts';

/** What the console shows of all cases together, and the audit log. */

const figureDays = 30;
const auditPage = 100;
/** Checking the chain reads all of it. */
const checkEveryMs = minuteMs;

export async function readFigures({
  db,
  clock,
}: ModerationContext): Promise<Omit<ResponseOf<typeof getMetrics>, 'success'>> {
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
}

export async function readAudit(
  ctx: ModerationContext,
  page: { readonly before: bigint | null; readonly caseId: bigint | null },
): Promise<Omit<ResponseOf<typeof listAudit>, 'success'>> {
  const [rows, brokenAt] = await Promise.all([
    listEntries(ctx.db, { ...page, limit: auditPage + 1 }),
    findBroken(ctx),
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
}

async function findBroken({ db, clock, kept }: ModerationContext): Promise<bigint | null> {
  const now = clock.now();
  if (!kept.brokenAudit || now - kept.brokenAudit.at >= checkEveryMs)
    kept.brokenAudit = { at: now, seq: await firstBrokenAudit(db) };
  return kept.brokenAudit.seq;
}

/** Entries that a person outside the staff caused: of these only the day is shown. */
const people = new Set(['author', 'reports']);

/**
 * The exact time would tell when an author or a reporter was here. Entries beside it still bound it, so the log is for
 * leads and auditors alone. Of an appeal only the day is stored.
 */
const shownTime = ({ at, actor }: { readonly at: Date; readonly actor: string }) =>
  people.has(actor) ? dayInIndia(at.getTime()) : at.toISOString();
