import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { day, done, sealedId, success, writtenText } from './fields.ts';
import { limits } from './limits.ts';

/** What a person can report. */
export const subjectKinds = ['vent', 'comment', 'profile'] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** Why. The first three and `other` are the specification's reasons (`reportReasons` in vents.ts). */
export const reportReasonCodes = [
  'inappropriate',
  'harassment',
  'spam',
  'private_info',
  'encourages_self_harm',
  'minor_safety',
  'worried',
  'other',
] as const;
export type ReportReasonCode = (typeof reportReasonCodes)[number];

/** The rules that a decision can name. Severities, clocks and points are in moderation/policies.ts. */
export const policyNames = [
  'minor_safety',
  'encourages_self_harm',
  'private_info',
  'threat',
  'method_info',
  'harassment',
  'sexual',
  'spam_scam',
  'other',
  'worried',
  'legal_order',
] as const;
export type PolicyName = (typeof policyNames)[number];

/** A comment is named with its vent. A profile is named by the id that the caller's match gives it. */
export const reportSubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('vent'), id: sealedId }),
  z.object({ kind: z.literal('comment'), id: sealedId, ventId: sealedId }),
  z.object({ kind: z.literal('profile'), id: sealedId }),
]);
export type ReportSubject = z.output<typeof reportSubject>;

/** `broken`: a rule was broken, and somebody acted. `fine`: it stays. `gone`: the writer deleted it first. */
export const reportOutcomes = ['waiting', 'broken', 'fine', 'gone'] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

export const createReport = endpoint({
  method: 'POST',
  path: '/api/reports',
  summary: 'Report a vent, a comment or a profile. Whoever wrote it is not told.',
  body: z.object({
    about: reportSubject,
    reason: z.enum(reportReasonCodes),
    details: z.optional(writtenText({ max: limits.reportDetails })),
  }),
  invalidMessage: 'Please select a reason for reporting.',
  status: 201,
  response: done,
  errors: ['VENT_NOT_FOUND', 'COMMENT_NOT_FOUND', 'NOT_FOUND', 'CANNOT_REPORT_OWN'],
  rate: ['reports'],
});

export const listReports = endpoint({
  method: 'GET',
  path: '/api/reports',
  summary: 'The caller’s own reports, newest first, and what became of them.',
  response: z.object({
    ...success,
    reports: z.array(
      z.object({
        kind: z.enum(subjectKinds),
        reason: z.enum(reportReasonCodes),
        /** The day of the report, in India. */
        day,
        outcome: z.enum(reportOutcomes),
      }),
    ),
  }),
  padToBytes: 8192,
});

export const sanctions = ['none', 'limit', 'suspend', 'ban'] as const;
export type Sanction = (typeof sanctions)[number];

/** What became of an appeal. `closed`: the time for it is over, or there is nothing to appeal. */
export const appealStates = ['open', 'waiting', 'upheld', 'overturned', 'closed'] as const;
export type AppealState = (typeof appealStates)[number];

/** A notice is structured: the client renders it in the reader's language. Moderators write no text into it. */
export const noticeView = z.object({
  _id: z.string(),
  kind: z.enum(['care', 'hide', 'remove']),
  about: z.enum(subjectKinds),
  policy: z.enum(policyNames),
  /** The title of the vent, or the beginning of the comment. Null once the copy was deleted, and for a profile. */
  excerpt: z.nullable(z.string()),
  /** The day of the decision. */
  day,
  sanction: z.enum(sanctions),
  /** The last day of the sanction, in India. Null without one. */
  until: z.nullable(day),
  appeal: z.enum(appealStates),
});
export type NoticeView = z.output<typeof noticeView>;

export const listNotices = endpoint({
  method: 'GET',
  path: '/api/notices',
  summary: 'Decisions about what the caller wrote, newest first. Reading them stores nothing.',
  isOpenToSuspended: true,
  response: z.object({ ...success, notices: z.array(noticeView) }),
  padToBytes: 8192,
});

export const appealNotice = endpoint({
  method: 'POST',
  path: '/api/notices/:id/appeal',
  summary: 'Ask for a second look, once. Another moderator decides.',
  isOpenToSuspended: true,
  isSensitive: true,
  params: z.object({ id: sealedId }),
  body: z.object({ text: writtenText({ max: limits.appeal, isRequired: true }) }),
  invalidMessage: 'Please tell us why, in a few words.',
  response: done,
  errors: ['NOTICE_NOT_FOUND', 'APPEAL_CLOSED'],
  rate: ['appeals'],
});
