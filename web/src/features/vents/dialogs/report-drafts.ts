import type { reportReasons } from '@unsaid/contract';
import { subscribeToSession } from '../../../lib/session.ts';

export type ReportReason = (typeof reportReasons)[number];

export interface ReportDraft {
  readonly reason: ReportReason | null;
  readonly details: string;
}

export const emptyReport: ReportDraft = { reason: null, details: '' };

/**
 * Reports begun and not sent, by vent. In memory only: browser storage must not tell the next person on a
 * shared phone what was reported.
 */
const drafts = new Map<string, ReportDraft>();

export function readReportDraft(ventId: string): ReportDraft {
  return drafts.get(ventId) ?? emptyReport;
}

export function saveReportDraft(ventId: string, draft: ReportDraft): void {
  if (draft === emptyReport) drafts.delete(ventId);
  else drafts.set(ventId, draft);
}

subscribeToSession(() => drafts.clear());
