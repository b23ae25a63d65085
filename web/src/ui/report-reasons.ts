import type { ReportReasonCode } from '@unsaid/contract';
import { t } from '@lingui/core/macro';

/** A reason to report something, in words. */
export function reasonLabel(reason: ReportReasonCode): string {
  const labels: Readonly<Record<ReportReasonCode, string>> = {
    inappropriate: t`Inappropriate Content`,
    harassment: t`Harassment`,
    spam: t`Spam`,
    other: t`Other`,
    private_info: t`Shares private details`,
    encourages_self_harm: t`Tells someone to hurt themselves`,
    minor_safety: t`About a child's safety`,
    worried: t`I'm worried about them`,
  };
  return labels[reason];
}

/** Plain words under those of the specification that say little. */
export function reasonMeaning(reason: ReportReasonCode): string | undefined {
  const meanings: Partial<Record<ReportReasonCode, string>> = {
    harassment: t`Insults or threatens someone`,
    inappropriate: t`Sexual or disgusting`,
    spam: t`Advertising or the same again and again`,
    other: t`Something else`,
  };
  return meanings[reason];
}
