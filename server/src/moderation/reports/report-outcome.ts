import { hash } from 'node:crypto';
import type { ReportOutcome } from '@unsaid/contract';
import { hourMs } from '../../platform/clock.ts';
import { isTakenAway } from '../cases/cases.state.ts';
import type { OwnReport } from './reports.queries.ts';

/** A report with what its reporter may know of its case. The id of the row never leaves the server. */
type DecidedReport = Pick<OwnReport, 'id' | 'createdAt' | 'outcome' | 'caseOutcome' | 'resolution'>;

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
