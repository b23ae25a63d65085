import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { success } from './fields.ts';
import { policyNames } from './reports.ts';

/** Figures from 1 to 4 are not published: they could be about one person. */
export const smallestCount = 5;

/** Null: 1 to 4. */
const count = z.nullable(z.number());
/** Percent, rounded down. Null: fewer than five cases, or a part of them is 1 to 4. */
const share = z.nullable(z.number());

/** The outcomes of a decision by a person, in the order of the page. */
export const ledgerOutcomes = ['keep', 'care', 'hide', 'remove'] as const;
export type LedgerOutcome = (typeof ledgerOutcomes)[number];

const ledgerMonth = z.object({
  /** 2026-10: a whole month in India. */
  month: z.string(),
  reports: count,
  decisions: z.object({
    /** Without orders of courts and authorities. */
    total: count,
    /** Rules and outcomes with a count of their own. All others together are in `otherRules` and `otherOutcomes`. */
    byRule: z.array(z.object({ rule: z.enum(policyNames), count: z.number() })),
    otherRules: count,
    byOutcome: z.array(z.object({ outcome: z.enum(ledgerOutcomes), count: z.number() })),
    otherOutcomes: count,
    /** Half of the decisions took at most this long. Rounded up. */
    medianHours: z.nullable(z.number()),
  }),
  inTime: z.object({ receipt24h: share, dangerous36h: share, all7days: share, orders3h: share }),
  pauses: z.object({ made: count, confirmed: share }),
  appeals: z.object({ made: count, overturned: share }),
  /** Decisions that we undid without an appeal. */
  reversed: count,
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
