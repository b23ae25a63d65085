import type { ReportReasonCode, ReportSubject } from '@unsaid/contract';
import { subscribeToSession } from './session.ts';

export interface ReportDraft {
  readonly reason: ReportReasonCode | null;
  readonly details: string;
}

export const emptyReport: ReportDraft = { reason: null, details: '' };

/**
 * Reports begun and not sent. In memory only: browser storage must not tell the next person on a shared phone
 * what was reported.
 */
const drafts = new Map<string, ReportDraft>();

const keyOf = ({ kind, id }: ReportSubject) => `${kind} ${id}`;

export function readReportDraft(about: ReportSubject): ReportDraft {
  return drafts.get(keyOf(about)) ?? emptyReport;
}

export function saveReportDraft(about: ReportSubject, draft: ReportDraft): void {
  if (draft === emptyReport) drafts.delete(keyOf(about));
  else drafts.set(keyOf(about), draft);
}

subscribeToSession(() => drafts.clear());
