import { hash } from 'node:crypto';
import type {
  createReport,
  listReports,
  ParsedRequestOf,
  reportReasons,
  ReportOutcome,
  ReportReasonCode,
  ResponseOf,
} from '@unsaid/contract';
import { languageOf } from '@unsaid/guard/language';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { dayInIndia, hourMs } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { describeFault } from '../../platform/logger.ts';
import { isTakenAway } from '../cases/cases.state.ts';
import { applyPendingEffect } from '../cases/effects.ts';
import type { ModerationContext } from '../context.ts';
import { moderationMetrics } from '../moderation.metrics.ts';
import { readForReport } from './item-reader.ts';
import { findingsIn } from './pause.ts';
import { fileReport, listSlotKeys } from './report-filing.ts';
import { isRepeated } from './report-plan.ts';
import * as queries from './reports.queries.ts';

type ReportInput = ParsedRequestOf<typeof createReport>['body'];
type OwnReportView = ResponseOf<typeof listReports>['reports'][number];

/** Opens a case or joins it. A second report of one person on an item changes nothing. */
export async function reportItem(
  ctx: ModerationContext,
  viewer: Viewer,
  { about, reason, details }: ReportInput,
  networkKey: string,
): Promise<void> {
  const { subject: of, ...item } = await readForReport(ctx, about, viewer);
  const key = ctx.subjects.keyOf(of);
  const subject = { key, kind: of.kind, language: languageOf(item.words) };
  const { person } = viewer;
  const reporterKey = person.reporterKeyOn(key);
  const days = await ctx.ports.people.ageInDays(viewer.userId);
  // Checked again within the transaction. Here it keeps a repeated report from being counted for its address.
  const earlier = await queries.listOnItem(ctx.db, key, reporterKey);
  const counted = isRepeated({ subject, reason }, earlier)
    ? { nth: 1, origins: null }
    : await ctx.origins.count(key, { reporterKey, networkKey });
  const report = {
    subject,
    item,
    reason,
    findings: findingsIn(item.words),
    sealedDetails: details ? ctx.caseBox.seal('details', key, details) : null,
    reporter: { key: reporterKey, person, days, nth: counted.nth },
    origins: counted.origins,
  };
  const filed = await inTransaction(ctx, (ctx) => fileReport(ctx, report));
  if (!filed) return;
  moderationMetrics(ctx.metrics).reports.inc({ reason });
  // A job repeats it if this fails.
  if (filed.isPaused)
    await applyPendingEffect(ctx, filed.caseId).catch((error: unknown) =>
      ctx.logger.warn({ event: 'effect_failed', ...describeFault(error) }),
    );
}

/** The person's own reports, newest first. */
export async function listOwnReports({ db, clock }: ModerationContext, person: Person) {
  const own = await queries.listInSlots(db, await listSlotKeys(db, person));
  return own.map((report) => ({
    kind: report.subjectKind as OwnReportView['kind'],
    reason: report.reason as OwnReportView['reason'],
    day: dayInIndia(report.createdAt.getTime()),
    outcome: outcomeOf(report, clock.now()),
  }));
}

/** A report with what its reporter may know of its case. The id of the row never leaves the server. */
type DecidedReport = Pick<queries.OwnReport, 'id' | 'createdAt' | 'outcome' | 'caseOutcome' | 'resolution'>;

/** After one hour to a day, as long as a decision may take. Nobody outside knows the id that it depends on. */
function answeredAt({ id, createdAt }: DecidedReport): number {
  const share = hash('sha256', String(id), 'buffer').readUInt16BE() / 2 ** 16;
  return createdAt.getTime() + hourMs + share * 23 * hourMs;
}

/**
 * One of four words. An appeal is not visible here: it is between its author and the moderators. Neither is whether the
 * author got a note of care. A report that was filed with a kept case waits like any other: an answer at once would tell
 * its reporter, who may be the author with another account, that somebody had reported the item.
 */
export function outcomeOf(report: DecidedReport, now: number): ReportOutcome {
  const { outcome, caseOutcome, resolution } = report;
  if (caseOutcome === null) return 'waiting';
  if (caseOutcome === 'moot') return 'gone';
  if (caseOutcome === 'keep' && outcome === 'unused' && now < answeredAt(report)) return 'waiting';
  return isTakenAway(caseOutcome) && resolution !== 'overturned' ? 'broken' : 'fine';
}

const specifiedCodes: Record<(typeof reportReasons)[number], ReportReasonCode> = {
  'Inappropriate Content': 'inappropriate',
  Harassment: 'harassment',
  Spam: 'spam',
  Other: 'other',
};

/** The specification's reason: one of four, or "Other: " and details. */
export function readSpecifiedReason(reason: string): { reason: ReportReasonCode; details?: string } {
  const code = specifiedCodes[reason as keyof typeof specifiedCodes] as ReportReasonCode | undefined;
  if (code) return { reason: code };
  return { reason: 'other', details: reason.replace(/^Other: /u, '') };
}
