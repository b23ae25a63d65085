import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { done, success } from './fields.ts';
import { firstNoticeVersion, noticeVersion } from './notice.ts';

const noticeVersions = Array.from(
  { length: noticeVersion - firstNoticeVersion + 1 },
  (_, n) => firstNoticeVersion + n,
);

export const getAgreement = endpoint({
  method: 'GET',
  path: '/api/auth/agreement',
  summary: 'The version of the privacy notice that the caller agreed to last.',
  isOpenToSuspended: true,
  response: z.object({ ...success, version: z.number() }),
});

export const agreeToNotice = endpoint({
  method: 'PUT',
  path: '/api/auth/agreement',
  summary: 'Agree to a version of the privacy notice.',
  isOpenToSuspended: true,
  body: z.object({
    // Not z.int(): every page of the web app would load the checks of numbers for this one call.
    version: z.literal(noticeVersions),
  }),
  response: done,
});

export const exportData = endpoint({
  method: 'GET',
  path: '/api/auth/export',
  summary: 'Export all data about the signed-in user as JSON, after a fresh code with purpose reauth.',
  isSensitive: true,
  isOpenToSuspended: true,
  // Each feature defines the shape of its own part.
  response: z.object({ ...success, data: z.record(z.string(), z.unknown()) }),
  errors: ['REAUTH_REQUIRED'],
});

/** The time over which the words of a person who leaves are removed, item by item. */
export const leavingSpans = ['30days', '3days', 'never'] as const;
export type LeavingSpan = (typeof leavingSpans)[number];

export const deleteAccount = endpoint({
  method: 'DELETE',
  path: '/api/auth/user',
  summary:
    'Delete the account, after a fresh code with purpose reauth. Vents and comments are removed one by one over 30 days, over 3, or never; in that case they stay without an author.',
  isSensitive: true,
  isOpenToSuspended: true,
  // Omitted: 30 days.
  query: z.object({ removeWords: z.optional(z.enum(leavingSpans)) }),
  response: done,
  errors: ['REAUTH_REQUIRED'],
});
