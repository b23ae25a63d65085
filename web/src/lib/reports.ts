import {
  createReport,
  reportVent,
  type ReportReasonCode,
  type reportReasons,
  type ReportSubject,
} from '@unsaid/contract';
import { apiCall } from './api-client.ts';

/** The reasons of the specification, in its words. */
const specified: Readonly<Partial<Record<ReportReasonCode, (typeof reportReasons)[number]>>> = {
  inappropriate: 'Inappropriate Content',
  harassment: 'Harassment',
  spam: 'Spam',
  other: 'Other',
};

/** Care first, then what is most dangerous. */
export const reportReasonOrder: readonly ReportReasonCode[] = [
  'worried',
  'encourages_self_harm',
  'minor_safety',
  'private_info',
  'harassment',
  'inappropriate',
  'spam',
  'other',
];

/** The reasons that explain themselves. */
const plainReasons = new Set<ReportReasonCode>(['inappropriate', 'harassment', 'spam']);

export function takesDetails(reason: ReportReasonCode): boolean {
  return !plainReasons.has(reason);
}

/** A vent is reported by the call of the specification, for the reasons that it knows. */
export async function sendReport(
  about: ReportSubject,
  reason: ReportReasonCode,
  written: string,
): Promise<void> {
  const details = takesDetails(reason) ? written.trim() : '';
  const name = specified[reason];
  if (about.kind === 'vent' && name !== undefined) {
    const said = details === '' ? name : `${name}: ${details}`;
    await apiCall(reportVent, { body: { ventId: about.id, reason: said } });
  } else {
    await apiCall(createReport, { body: { about, reason, ...(details !== '' && { details }) } });
  }
}
