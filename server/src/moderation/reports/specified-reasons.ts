import type { ReportReasonCode, reportReasons } from '@unsaid/contract';

const codes: Record<(typeof reportReasons)[number], ReportReasonCode> = {
  'Inappropriate Content': 'inappropriate',
  Harassment: 'harassment',
  Spam: 'spam',
  Other: 'other',
};

/** The specification's reason: one of four, or "Other: " and details. */
export function readSpecifiedReason(reason: string): { reason: ReportReasonCode; details?: string } {
  const code = codes[reason as keyof typeof codes] as ReportReasonCode | undefined;
  if (code) return { reason: code };
  return { reason: 'other', details: reason.replace(/^Other: /u, '') };
}
