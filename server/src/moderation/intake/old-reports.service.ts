import { policies, policyOfReason } from '@unsaid/contract/moderation/policies';
import { hourMs, startOfDayInIndia, type Clock } from '../../platform/clock.ts';
import { transaction, type Databases, type ModerationDb } from '../../platform/db.ts';
import type { VentModeration } from '../../vents/vent-moderation.service.ts';
import { recordAudit } from '../audit.ts';
import type { CaseBox } from '../case-box.ts';
import { severeFrom } from '../cases/cases.state.ts';
import type { Subjects } from '../subjects.ts';
import * as queries from './intake.queries.ts';
import type { ItemCopies } from './item-copies.ts';
import { languageOf } from './language.ts';
import { deleteOldReport, listOldReports } from './old-reports.queries.ts';
import { ventSnapshot } from './snapshots.ts';
import { readSpecifiedReason } from './specified-reasons.ts';

/** Moves reports of servers before moderation into cases. */
export interface OldReports {
  adoptAll(): Promise<void>;
}

interface OldReportsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly subjects: Subjects;
  readonly caseBox: CaseBox;
  readonly copies: ItemCopies;
  readonly vents: Pick<VentModeration, 'find'>;
}

type OldReport = Awaited<ReturnType<typeof listOldReports>>[number];

interface OldSnapshot {
  readonly title: string;
  readonly text: string;
  readonly emotion: string;
  readonly hashtags: readonly string[];
}

const batchSize = 100;

export function createOldReports({
  db,
  clock,
  subjects,
  caseBox,
  copies,
  vents,
}: OldReportsDeps): OldReports {
  /** In a transaction of its own: the report is deleted afterwards, in another schema, and may be adopted twice. */
  async function adopt(tx: ModerationDb, old: OldReport): Promise<void> {
    const { reason, details } = readSpecifiedReason(old.reason);
    const { severity, dueHours } = policies[policyOfReason[reason]];
    const vent = await vents.find(old.ventId);
    // Removed by hand, as the runbook said before there were cases: that was the decision.
    if (vent?.state === 'removed') return;
    const isGone = !vent || vent.state === 'author_deleted';
    if (isGone && severity < severeFrom) return;
    const key = subjects.keyOf({ kind: 'vent', ventId: old.ventId });
    if ((await queries.listOnItem(tx, key, old.reporterKey)).length > 0) return;
    const snapshot = old.snapshot as OldSnapshot;
    const reportedAt = new Date(startOfDayInIndia(old.reportedOn));
    const opened = await queries.insertCase(tx, {
      subjectKey: key,
      subjectKind: 'vent',
      source: 'report',
      policy: policyOfReason[reason],
      severity,
      language: languageOf(`${snapshot.title}\n${snapshot.text}`),
      sealedItem: copies.sealItem(key, ventSnapshot(snapshot)),
      sealedAuthor: vent ? copies.sealAuthor(key, { voice: 'vent', speaker: vent.speaker }) : null,
      openedAt: reportedAt,
      dueAt: new Date(reportedAt.getTime() + dueHours * hourMs),
    });
    const found = await queries.lockUndecided(tx, key);
    // Decided between the two statements. The next run opens another case.
    if (!found) throw new Error('the case was closed meanwhile');
    await queries.insertReport(tx, {
      caseId: found.id,
      reporterKey: old.reporterKey,
      slotKey: null,
      reason,
      sealedDetails: details ? caseBox.seal('details', key, details) : null,
      // Reports did not count towards a pause when this one was made.
      weight: 0,
      isNewcomer: false,
      createdAt: reportedAt,
    });
    const isMoreSevere = found.source === 'report' && severity > found.severity;
    await queries.updateCase(tx, found.id, {
      reporters: found.reporters + 1,
      ...(isMoreSevere
        ? {
            policy: policyOfReason[reason],
            severity,
            dueAt: new Date(Math.min(found.dueAt.getTime(), reportedAt.getTime() + dueHours * hourMs)),
            version: found.version + 1,
          }
        : {}),
    });
    const entry = { at: new Date(clock.now()), actor: 'reports', caseId: found.id } as const;
    if (opened !== null)
      await recordAudit(tx, {
        ...entry,
        action: 'opened',
        detail: { kind: 'vent', source: 'report', policy: policyOfReason[reason], severity },
      });
    await recordAudit(tx, { ...entry, action: 'reported', detail: { reason } });
  }

  return {
    async adoptAll() {
      for (;;) {
        const batch = await listOldReports(db.content, batchSize);
        for (const old of batch) {
          await transaction(db.moderation, (tx) => adopt(tx, old));
          await deleteOldReport(db.content, old.id);
        }
        if (batch.length < batchSize) return;
      }
    },
  };
}
