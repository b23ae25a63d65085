import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { success } from './fields.ts';
import { policyNames } from './reports.ts';

/** Figures from 1 to 4 are not published: they could be about one person. */
export const smallestCount = 5;

/** Null: 1 to 4. */
const count = z.nullable(z.number());
/** The outcomes of a decision by a person, in the order of the page. */
export const ledgerOutcomes = ['keep', 'care', 'hide', 'remove'] as const;
export type LedgerOutcome = (typeof ledgerOutcomes)[number];

/** From the first report to the decision: up to 36 hours, beyond that up to seven days, longer. */
export const ledgerTimes = ['36 hours', '7 days', 'longer'] as const;
export type LedgerTime = (typeof ledgerTimes)[number];

/** Counted apart: no figure says which rule had which outcome, or after which time. */
const ledgerMonth = z.object({
  /** 2026-10: a whole month in India. */
  month: z.string(),
  reports: count,
  decisions: z.object({
    total: count,
    /** Names with a count of their own. All others together are in `otherRules`, `otherOutcomes` and `otherTimes`. */
    byRule: z.array(z.object({ rule: z.enum(policyNames), count: z.number() })),
    otherRules: count,
    byOutcome: z.array(z.object({ outcome: z.enum(ledgerOutcomes), count: z.number() })),
    otherOutcomes: count,
    byTime: z.array(z.object({ time: z.enum(ledgerTimes), count: z.number() })),
    otherTimes: count,
  }),
  pauses: count,
  appeals: count,
  /** Appeals that were right. */
  overturned: count,
  /** Decisions that we undid without an appeal. */
  reversed: count,
  /** Of courts and authorities. */
  orders: count,
});
export type LedgerMonth = z.output<typeof ledgerMonth>;

export const getLedger = endpoint({
  method: 'GET',
  path: '/api/ledger',
  summary: 'What moderation did, by whole months, newest first. The same for everyone.',
  auth: 'public',
  cacheSeconds: 3600,
  response: z.object({
    ...success,
    months: z.array(ledgerMonth),
    /**
     * The end of the audit log when yesterday ended: anyone can note it, and see later whether entries were cut off.
     * Not how many there are: on a quiet day the difference would be one report, or one appeal.
     */
    audit: z.nullable(z.object({ hash: z.string() })),
  }),
});
