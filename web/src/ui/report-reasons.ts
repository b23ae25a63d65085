import type { ReportReasonCode } from '@unsaid/contract';
import { t } from '@lingui/core/macro';

/** A reason to report something, in words. */
export function reasonLabel(reason: ReportReasonCode): string {
  const labels: Readonly<Record<ReportReasonCode, string>> = {
    inappropriate: t`Inappropriate Content`,
    harassment: t`Harassment`,
    spam: t`Spam`,
    other: t`Other`,
    private_info: t`Shares someone's private details`,
    encourages_self_harm: t`Tells someone to hurt themselves`,
    minor_safety: t`About a child's safety`,
    worried: t`I'm worried about this person`,
  };
  return labels[reason];
}
