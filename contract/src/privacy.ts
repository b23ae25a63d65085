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

/** Over what time the words of somebody who leaves are removed. */
export const leavingSpans = ['30days', '3days', 'never'] as const;
export type LeavingSpan = (typeof leavingSpans)[number];

export const deleteAccount = endpoint({
  method: 'DELETE',
  path: '/api/auth/user',
  summary: 'Delete the account, after a fresh code with purpose reauth.',
  query: z.object({ removeWords: z.optional(z.enum(leavingSpans)) }),
  isSensitive: true,
  isOpenToSuspended: true,
  response: done,
  errors: ['REAUTH_REQUIRED'],
});
