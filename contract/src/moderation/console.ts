import * as z from 'zod/mini';
import { endpoint, type Endpoint } from '../endpoint.ts';
import { done, success, writtenText } from '../fields.ts';
import { policyNames, reportReasonCodes, reportSubject, sanctions, subjectKinds } from '../reports.ts';

/**
 * The calls of the moderation console. Served only where SERVICES has `mod`, on an origin of its own. No user bundle
 * imports this file.
 */

/** Every call of the console is under this path, and no call of users is. */
export const consolePath = '/api/mod/';

export const moderatorRoles = ['moderator', 'lead', 'auditor'] as const;
export type ModeratorRole = (typeof moderatorRoles)[number];

export const caseStates = ['open', 'escalated', 'decided', 'appealed', 'closed'] as const;
export type CaseState = (typeof caseStates)[number];
export const outcomes = ['keep', 'care', 'hide', 'remove', 'moot'] as const;
export type Outcome = (typeof outcomes)[number];
export const resolutions = ['upheld', 'overturned'] as const;
export type Resolution = (typeof resolutions)[number];
export const caseParts = ['item', 'context', 'details', 'appeal'] as const;
export type CasePart = (typeof caseParts)[number];
/** Sanctions of the author in 180 days, without numbers: these could tell that two cases have one author. */
export const pointLevels = ['none', 'some', 'near_suspension'] as const;
export type PointLevel = (typeof pointLevels)[number];

const caseId = z.string().check(z.regex(/^[1-9][0-9]{0,17}$/u));
/** Moderators work by UTC times on one screen: ISO 8601. */
const time = z.string();

/** The JSON forms of WebAuthn. The library of either side reads and writes them. */
const webAuthnJson = z.record(z.string(), z.unknown());
const enrolToken = z.string().check(z.maxLength(100));

export const moderatorView = z.object({
  alias: z.string(),
  role: z.enum(moderatorRoles),
  /** The last passkey proof is recent enough for bans, reversals and orders. */
  isProven: z.boolean(),
  /** How many severe texts may still be revealed today. */
  severeLeft: z.number(),
  /** Below two active moderators no appeal can be resolved. */
  activeModerators: z.number(),
});
export type ModeratorView = z.output<typeof moderatorView>;

const signedIn = z.object({ ...success, me: moderatorView });

export const enrolOptions = endpoint({
  method: 'POST',
  path: '/api/mod/enrol/options',
  summary: 'Options for registering a passkey with a link from the command line.',
  auth: 'public',
  body: z.object({ token: enrolToken }),
  response: z.object({ ...success, alias: z.string(), options: webAuthnJson }),
  errors: ['ENROL_INVALID'],
});

export const enrol = endpoint({
  method: 'POST',
  path: '/api/mod/enrol',
  summary: 'Register a passkey. The link is used up.',
  auth: 'public',
  body: z.object({ token: enrolToken, credential: webAuthnJson }),
  response: done,
  errors: ['ENROL_INVALID', 'PASSKEY_INVALID'],
});

export const signInOptions = endpoint({
  method: 'POST',
  path: '/api/mod/sign-in/options',
  summary: 'Options for signing in with a passkey.',
  auth: 'public',
  response: z.object({ ...success, options: webAuthnJson }),
});

export const signIn = endpoint({
  method: 'POST',
  path: '/api/mod/sign-in',
  summary: 'Sign in with a passkey. The session is a cookie.',
  auth: 'public',
  body: z.object({ credential: webAuthnJson }),
  response: signedIn,
  errors: ['PASSKEY_INVALID'],
});

export const proveOptions = endpoint({
  method: 'POST',
  path: '/api/mod/prove/options',
  summary: 'Options for a fresh passkey proof.',
  auth: 'moderator',
  response: z.object({ ...success, options: webAuthnJson }),
});

export const prove = endpoint({
  method: 'POST',
  path: '/api/mod/prove',
  summary: 'A fresh passkey proof, for bans, reversals and orders.',
  auth: 'moderator',
  body: z.object({ credential: webAuthnJson }),
  response: signedIn,
  errors: ['PASSKEY_INVALID'],
});

export const signOut = endpoint({
  method: 'DELETE',
  path: '/api/mod/session',
  summary: 'End the session.',
  auth: 'moderator',
  response: done,
});

export const getMe = endpoint({
  method: 'GET',
  path: '/api/mod/me',
  summary: 'The signed-in moderator.',
  auth: 'moderator',
  isPolled: true,
  response: signedIn,
});

export const caseLine = z.object({
  id: z.string(),
  kind: z.enum(subjectKinds),
  source: z.enum(['report', 'staff', 'order']),
  policy: z.enum(policyNames),
  severity: z.number(),
  language: z.string(),
  state: z.enum(caseStates),
  openedAt: time,
  dueAt: time,
  isOverdue: z.boolean(),
  isPaused: z.boolean(),
  /** Many reports that look coordinated: no automatic pause. */
  isFrozen: z.boolean(),
  reporters: z.number(),
  /** By reason, in the order of `reportReasonCodes`; reasons without a report are left out. */
  reasons: z.array(z.object({ reason: z.enum(reportReasonCodes), count: z.number() })),
  /** Held by the caller, by somebody else, or by nobody. */
  lease: z.enum(['mine', 'other', 'none']),
});
export type CaseLine = z.output<typeof caseLine>;

export const caseView = z.object({
  ...caseLine.shape,
  version: z.number(),
  leasedUntil: z.nullable(time),
  /** Which parts there are to reveal. `details`: what reporters wrote. */
  parts: z.array(z.enum(caseParts)),
  /** Revealed texts count against the daily limit. */
  isSevere: z.boolean(),
  /**
   * From decisions of the days before the case was opened. Null for who does not hold the case: what changes in several
   * cases at once would tell that they have one author. The next two are `none` and false then.
   */
  points: z.nullable(z.enum(pointLevels)),
  /** What the points would suggest, with the rule of the case. */
  suggestedSanction: z.enum(sanctions),
  /** The author's account is gone: the item can be decided, and nobody gets a notice. */
  isAuthorGone: z.boolean(),
  outcome: z.nullable(z.enum(outcomes)),
  sanction: z.enum(sanctions),
  decidedAt: z.nullable(time),
  /** Whether the caller decided it: an appeal goes to somebody else. */
  isDecidedByMe: z.boolean(),
  appealUntil: z.nullable(time),
  resolution: z.nullable(z.enum(resolutions)),
  note: z.nullable(z.string()),
});
export type CaseView = z.output<typeof caseView>;

const oneCase = z.object({ ...success, case: caseView });
const ofCase = z.object({ id: caseId });
const workRoles = ['moderator', 'lead'] as const;

export const caseFilters = ['waiting', 'mine', 'appeals', 'orders', 'closed'] as const;

export const listCases = endpoint({
  method: 'GET',
  path: '/api/mod/cases',
  summary: 'Cases of a filter, severity 4 first, then by the time they are due.',
  auth: 'moderator',
  roles: workRoles,
  isPolled: true,
  query: z.object({ show: z.optional(z.enum(caseFilters)), page: z.optional(z.string()) }),
  response: z.object({ ...success, cases: z.array(caseLine), hasMore: z.boolean(), waiting: z.number() }),
});

export const getCase = endpoint({
  method: 'GET',
  path: '/api/mod/cases/:id',
  summary: 'One case, without its text.',
  auth: 'moderator',
  roles: workRoles,
  params: ofCase,
  response: oneCase,
  errors: ['CASE_NOT_FOUND'],
});

export const openCase = endpoint({
  method: 'POST',
  path: '/api/mod/cases',
  summary: 'Open a case by hand: for an order of a court or authority, or for what staff saw.',
  auth: 'moderator',
  roles: ['lead'],
  needsProof: true,
  body: z.object({
    about: reportSubject,
    policy: z.enum(policyNames),
    source: z.enum(['staff', 'order']),
    note: z.optional(writtenText({ max: 1000 })),
  }),
  status: 201,
  response: oneCase,
  errors: ['VENT_NOT_FOUND', 'COMMENT_NOT_FOUND', 'NOT_FOUND'],
});

export const nextCase = endpoint({
  method: 'POST',
  path: '/api/mod/cases/next',
  summary:
    'Take the next case: a lease of ten minutes. Null if nothing waits. After the daily limit, none that is severe.',
  auth: 'moderator',
  roles: workRoles,
  response: z.object({ ...success, case: z.nullable(caseView) }),
});

export const takeCase = endpoint({
  method: 'POST',
  path: '/api/mod/cases/:id/take',
  summary: 'Take this case. The decider of an appealed case cannot.',
  auth: 'moderator',
  roles: workRoles,
  params: ofCase,
  response: oneCase,
  errors: ['CASE_NOT_FOUND', 'LEASE_LOST', 'CASE_CLOSED', 'SECOND_PERSON', 'ROLE_REQUIRED'],
});

export const extendLease = endpoint({
  method: 'POST',
  path: '/api/mod/cases/:id/extend',
  summary: 'Ten more minutes.',
  auth: 'moderator',
  roles: workRoles,
  params: ofCase,
  response: oneCase,
  errors: ['CASE_NOT_FOUND', 'LEASE_LOST'],
});

export const releaseCase = endpoint({
  method: 'POST',
  path: '/api/mod/cases/:id/release',
  summary: 'Give the case back. `isSkip` counts it as skipped; no reason is asked.',
  auth: 'moderator',
  roles: workRoles,
  params: ofCase,
  body: z.object({ isSkip: z.optional(z.boolean()) }),
  response: done,
  errors: ['CASE_NOT_FOUND', 'LEASE_LOST'],
});

export const escalateCase = endpoint({
  method: 'POST',
  path: '/api/mod/cases/:id/escalate',
  summary: 'Hand the case to a lead.',
  auth: 'moderator',
  roles: workRoles,
  params: ofCase,
  body: z.object({ version: z.number(), note: z.optional(writtenText({ max: 1000 })) }),
  response: done,
  errors: ['CASE_NOT_FOUND', 'LEASE_LOST', 'CASE_CHANGED', 'CASE_CLOSED'],
});

/** Text as a reader would see it, in paragraphs with a label: no names but a profile's own. */
export const revealedPart = z.object({
  part: z.enum(caseParts),
  paragraphs: z.array(z.object({ label: z.string(), text: z.string() })),
});
export type RevealedPart = z.output<typeof revealedPart>;

export const revealPart = endpoint({
  method: 'POST',
  path: '/api/mod/cases/:id/reveal',
  summary:
    'The text of one part, for the holder of the lease or a lead who may reverse the decision. Audited; severe texts have a daily limit.',
  auth: 'moderator',
  roles: workRoles,
  params: ofCase,
  body: z.object({ part: z.enum(caseParts) }),
  response: z.object({ ...success, revealed: revealedPart, severeLeft: z.number() }),
  errors: ['CASE_NOT_FOUND', 'LEASE_LOST', 'ENOUGH_FOR_TODAY'],
});

/** What the author would be told. */
export const noticePreview = z.object({
  kind: z.nullable(z.enum(['care', 'hide', 'remove'])),
  policy: z.nullable(z.enum(policyNames)),
  sanction: z.enum(sanctions),
  days: z.nullable(z.number()),
  appealDays: z.nullable(z.number()),
  isAuthorGone: z.boolean(),
});
export type NoticePreview = z.output<typeof noticePreview>;

export const decideCase = endpoint({
  method: 'POST',
  path: '/api/mod/cases/:id/decide',
  summary: 'Decide. With `isDryRun` nothing is stored, and the response shows what the author would be told.',
  auth: 'moderator',
  roles: workRoles,
  params: ofCase,
  body: z.object({
    version: z.number(),
    outcome: z.enum(['keep', 'care', 'hide', 'remove']),
    policy: z.optional(z.enum(policyNames)),
    sanction: z.optional(z.enum(sanctions)),
    days: z.optional(z.number()),
    /** The sanction starts at once instead of at a random moment within six hours. Severity 4 always does. */
    isDangerous: z.optional(z.boolean()),
    note: z.optional(writtenText({ max: 1000 })),
    isDryRun: z.optional(z.boolean()),
  }),
  response: z.object({ ...success, preview: noticePreview }),
  errors: [
    'CASE_NOT_FOUND',
    'LEASE_LOST',
    'CASE_CHANGED',
    'CASE_CLOSED',
    'POLICY_REQUIRED',
    'ROLE_REQUIRED',
    'PROOF_REQUIRED',
  ],
});

export const resolveAppeal = endpoint({
  method: 'POST',
  path: '/api/mod/cases/:id/resolve',
  summary: 'Decide an appeal. Never by the moderator who decided the case.',
  auth: 'moderator',
  roles: workRoles,
  params: ofCase,
  body: z.object({ version: z.number(), resolution: z.enum(resolutions) }),
  response: done,
  errors: ['CASE_NOT_FOUND', 'LEASE_LOST', 'CASE_CHANGED', 'CASE_CLOSED', 'SECOND_PERSON'],
});

export const reverseCase = endpoint({
  method: 'POST',
  path: '/api/mod/cases/:id/reverse',
  summary: 'Undo a decision without an appeal. Never by the moderator who decided it.',
  auth: 'moderator',
  roles: ['lead'],
  needsProof: true,
  params: ofCase,
  body: z.object({ version: z.number() }),
  response: done,
  errors: ['CASE_NOT_FOUND', 'CASE_CHANGED', 'CASE_CLOSED', 'SECOND_PERSON'],
});

export const getMetrics = endpoint({
  method: 'GET',
  path: '/api/mod/metrics',
  summary: 'Figures of the last 30 days, and the backlog.',
  auth: 'moderator',
  isPolled: true,
  response: z.object({
    ...success,
    backlog: z.array(z.object({ severity: z.number(), waiting: z.number(), overdue: z.number() })),
    clocks: z.array(z.object({ name: z.string(), decided: z.number(), inTime: z.number() })),
    decisions: z.array(z.object({ outcome: z.enum(outcomes), count: z.number() })),
    medianHours: z.nullable(z.number()),
    appeals: z.object({ resolved: z.number(), overturned: z.number(), waiting: z.number() }),
    pauses: z.object({ made: z.number(), confirmed: z.number() }),
    skips: z.number(),
  }),
});

export const listAudit = endpoint({
  method: 'GET',
  path: '/api/mod/audit',
  summary: 'The audit log, newest first.',
  auth: 'moderator',
  roles: ['lead', 'auditor'],
  query: z.object({ before: z.optional(caseId), caseId: z.optional(caseId) }),
  response: z.object({
    ...success,
    entries: z.array(
      z.object({
        seq: z.string(),
        at: time,
        actor: z.string(),
        action: z.string(),
        caseId: z.nullable(z.string()),
        detail: z.record(z.string(), z.unknown()),
        hash: z.string(),
      }),
    ),
    hasMore: z.boolean(),
    /** The first entry that does not fit the hash chain. */
    brokenAt: z.nullable(z.string()),
  }),
});

export const consoleEndpoints: readonly Endpoint[] = [
  enrolOptions,
  enrol,
  signInOptions,
  signIn,
  proveOptions,
  prove,
  signOut,
  getMe,
  listCases,
  getCase,
  openCase,
  nextCase,
  takeCase,
  extendLease,
  releaseCase,
  escalateCase,
  revealPart,
  decideCase,
  resolveAppeal,
  reverseCase,
  getMetrics,
  listAudit,
];
