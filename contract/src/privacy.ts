import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { done, success } from './fields.ts';

export const exportData = endpoint({
  method: 'GET',
  path: '/api/auth/export',
  summary:
    'Everything that is held about the signed-in person, as JSON, after a fresh code with purpose reauth.',
  isSensitive: true,
  isOpenToSuspended: true,
  // Each feature declares its own part, so the shape is theirs.
  response: z.object({ ...success, data: z.record(z.string(), z.unknown()) }),
  errors: ['REAUTH_REQUIRED'],
});

/** Over what time the words of somebody who leaves go, one by one. */
export const leavingSpans = ['30days', '3days', 'never'] as const;
export type LeavingSpan = (typeof leavingSpans)[number];

export const deleteAccount = endpoint({
  method: 'DELETE',
  path: '/api/auth/user',
  summary:
    'Delete the account, after a fresh code with purpose reauth. Vents and comments go one by one over 30 days, over 3, or never; then they stay, and belong to nobody.',
  isSensitive: true,
  isOpenToSuspended: true,
  // Omitted: 30 days.
  query: z.object({ removeWords: z.optional(z.enum(leavingSpans)) }),
  response: done,
  errors: ['REAUTH_REQUIRED'],
});
