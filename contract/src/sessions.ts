import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { day, done, sealedId, success } from './fields.ts';

export const logout = endpoint({
  method: 'POST',
  path: '/api/auth/logout',
  summary: 'End this session. The device cookie drops this account.',
  isSensitive: true,
  isOpenToSuspended: true,
  response: done,
});

export const sessionView = z.object({
  _id: z.string(),
  label: z.string(),
  createdOn: day,
  lastSeenOn: day,
  isCurrent: z.boolean(),
});

export type SessionView = z.output<typeof sessionView>;

export const listSessions = endpoint({
  method: 'GET',
  path: '/api/auth/sessions',
  summary: 'Sessions of this account: a coarse label and days, no IP address.',
  isSensitive: true,
  response: z.object({ ...success, sessions: z.array(sessionView) }),
});

export const revokeSession = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions/:id',
  summary: 'End one session of this account.',
  isSensitive: true,
  params: z.object({ id: sealedId }),
  response: done,
  errors: ['NOT_FOUND'],
});

export const revokeOtherSessions = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions',
  summary: 'End every session of this account but this one.',
  isSensitive: true,
  isOpenToSuspended: true,
  response: done,
});
