import type { ModerationBase } from '../../kernel/base.ts';
import type { ParsedRequestOf, ResponseOf, createReport, listReports } from '@unsaid/contract';
import type { Viewer } from '../../kernel/viewer.ts';
import { dayInIndia } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { describeFault } from '../../platform/logger.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { CaseBox } from '../case-box.ts';
import type { KnowsPeople } from '../ports.ts';
import { moderationMetrics } from '../moderation.metrics.ts';
import { outcomeOf } from './report-outcome.ts';
import type { Subjects } from '../../kernel/subjects.ts';
import { findingsIn } from './findings.ts';
import * as queries from './reports.queries.ts';
import type { ItemCopies } from './item-copies.ts';
import type { ItemReader } from './item-reader.ts';
import { languageOf } from '@unsaid/guard/language';
import { fileReport, type NewReport } from './report-filing.ts';
import { isRepeated } from './report-plan.ts';
import { listSlotKeys } from './report-slots.ts';
import type { ReportOrigins } from './report-origins.ts';

type ReportInput = ParsedRequestOf<typeof createReport>['body'];
type OwnReportView = ResponseOf<typeof listReports>['reports'][number];

export interface IntakeService {
  /** Opens a case or joins it. A second report of one person on an item changes nothing. */
  report(viewer: Viewer, input: ReportInput, networkKey: string): Promise<void>;
  /** The person's own reports, newest first. */
  listOwn(person: Person): Promise<OwnReportView[]>;
}

interface IntakeDeps extends Pick<ModerationBase, 'db' | 'clock' | 'logger' | 'metrics'> {
  readonly subjects: Subjects;
  readonly caseBox: CaseBox;
  readonly copies: ItemCopies;
  readonly reader: ItemReader;
  readonly origins: ReportOrigins;
  readonly people: KnowsPeople;
  /** Applies what a committed change of a case does to its item. A job repeats it if this fails. */
  readonly effects: { applyPending(caseId: bigint): Promise<void> };
}

export function createIntakeService(deps: IntakeDeps): IntakeService {
  const { db, clock, logger, metrics, subjects, caseBox, copies, reader, origins, people, effects } = deps;

  return {
    async report(viewer, { about, reason, details }, networkKey) {
      const item = await reader.readForReport(about, viewer);
      const key = subjects.keyOf(item.subject);
      const subject = { key, kind: item.subject.kind, language: languageOf(item.words) };
      const reporterKey = viewer.person.reporterKeyOn(key);
      const { person } = viewer;
      const reporter = { key: reporterKey, person, days: await people.ageInDays(viewer.userId) };
      // Checked again within the transaction. Here it keeps a repeated report from being counted for its address.
      const earlier = await queries.listOnItem(db, key, reporter.key);
      const counted = isRepeated({ subject, reason }, earlier)
        ? { nth: 1, origins: null }
        : await origins.count(key, { reporterKey, networkKey });
      const report: NewReport = {
        subject,
        reason,
        findings: findingsIn(item.words),
        sealedItem: (earlier) =>
          earlier ? copies.sealChanges(key, earlier, item.snapshot) : copies.sealItem(key, item.snapshot),
        sealedAuthor: () => copies.sealAuthor(key, item.author),
        isUnchangedSince: (earlier) => copies.isUnchanged(key, earlier, item.snapshot),
        sealedDetails: details ? caseBox.seal('details', key, details) : null,
        reporter: { ...reporter, nth: counted.nth },
        origins: counted.origins,
      };
      const filed = await transaction(db, (tx) => fileReport(tx, report, clock.now()));
      if (!filed) return;
      moderationMetrics(metrics).reports.inc({ reason });
      if (filed.isPaused)
        await effects
          .applyPending(filed.caseId)
          .catch((error: unknown) => logger.warn({ event: 'effect_failed', ...describeFault(error) }));
    },

    async listOwn(person) {
      const own = await queries.listInSlots(db, await listSlotKeys(db, person));
      return own.map((report) => ({
        kind: report.subjectKind as OwnReportView['kind'],
        reason: report.reason as OwnReportView['reason'],
        day: dayInIndia(report.createdAt.getTime()),
        outcome: outcomeOf(report, clock.now()),
      }));
    },
  };
}
