import type { PolicyName, ReportReasonCode } from '../reports.ts';

/** The rules of moderation. A change of a rule's meaning increments its version: notices name it. */
export interface Policy {
  readonly version: number;
  /** 4 is looked at first. */
  readonly severity: 1 | 2 | 3 | 4;
  readonly dueHours: number;
  /** Reports pause an item from this weight and this many reporters on. Null: never. */
  readonly pauseAt: { readonly weight: number; readonly reporters: number } | null;
  readonly points: number;
}

export const policies: Readonly<Record<PolicyName, Policy>> = {
  minor_safety: {
    version: 1,
    severity: 4,
    dueHours: 2,
    pauseAt: { weight: 0.7, reporters: 1 },
    points: 9,
  },
  encourages_self_harm: {
    version: 1,
    severity: 4,
    dueHours: 2,
    pauseAt: { weight: 1, reporters: 1 },
    points: 4,
  },
  private_info: { version: 1, severity: 4, dueHours: 2, pauseAt: { weight: 1, reporters: 1 }, points: 3 },
  threat: { version: 1, severity: 4, dueHours: 2, pauseAt: { weight: 2, reporters: 2 }, points: 4 },
  method_info: { version: 1, severity: 3, dueHours: 12, pauseAt: { weight: 2, reporters: 2 }, points: 0 },
  harassment: { version: 1, severity: 3, dueHours: 24, pauseAt: { weight: 3, reporters: 3 }, points: 2 },
  sexual: { version: 1, severity: 3, dueHours: 24, pauseAt: { weight: 3, reporters: 3 }, points: 2 },
  spam_scam: { version: 1, severity: 2, dueHours: 36, pauseAt: { weight: 3, reporters: 3 }, points: 1 },
  other: { version: 1, severity: 1, dueHours: 72, pauseAt: { weight: 5, reporters: 4 }, points: 0 },
  worried: { version: 1, severity: 3, dueHours: 12, pauseAt: null, points: 0 },
  legal_order: { version: 1, severity: 4, dueHours: 3, pauseAt: null, points: 0 },
};

/** The rule that a report is first filed under. The moderator may decide by another. */
export const policyOfReason: Readonly<Record<ReportReasonCode, PolicyName>> = {
  inappropriate: 'sexual',
  harassment: 'harassment',
  spam: 'spam_scam',
  private_info: 'private_info',
  encourages_self_harm: 'encourages_self_harm',
  minor_safety: 'minor_safety',
  worried: 'worried',
  other: 'other',
};

/** Points of 180 days suggest a sanction; a person chooses it. */
export const suggestedFrom = { limit: 3, suspend: 6, ban: 9 } as const;
/** The days that a moderator may choose. Longer suspensions and bans need a lead. */
export const sanctionDays = {
  limit: { min: 1, max: 7, default: 3 },
  suspend: { min: 7, max: 30, default: 7 },
  ban: { min: 180, max: 180, default: 180 },
} as const;
/** A suspension longer than this needs a lead. */
export const moderatorSuspendDays = 7;
/** The same for every sanction: the end of the window is stored beside the case, and would tell. */
export const appealDays = 180;
export const appealDueHours = 72;
export const leaseMinutes = 10;
export const pauseHours = { usual: 24, severe: 72 } as const;
export const proofMinutes = 10;
