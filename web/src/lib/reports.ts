import {
  createReport,
  reportVent,
  type ReportReasonCode,
  type reportReasons,
  type ReportSubject,
} from '@unsaid/contract';
import { apiCall } from './api-client.ts';

/** The reasons of the specification. They come first, in its order. */
const specified: Readonly<Partial<Record<ReportReasonCode, (typeof reportReasons)[number]>>> = {
  inappropriate: 'Inappropriate Content',
  harassment: 'Harassment',
  spam: 'Spam',
  other: 'Other',
};

export const reportReasonOrder: readonly ReportReasonCode[] = [
  'inappropriate',
  'harassment',
  'spam',
  'other',
  'private_info',
  'encourages_self_harm',
  'minor_safety',
  'worried',
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
