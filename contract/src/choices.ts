import * as z from 'zod/mini';
import { emotions } from './emotions.ts';
import { endpoint } from './endpoint.ts';
import { done, sealedId, success } from './fields.ts';
import { newMutes } from './forms.ts';

/**
 * What the caller does not want to see. Rule: you can hide what you can point at. What is hidden is a function of the
 * caller's choices and of what is visible on an item. The author of an item without a name is never part of it: hiding
 * "everything by this author" would tell which items have one author.
 */

const ventRef = z.object({ kind: z.literal('vent'), id: sealedId });
const commentRef = z.object({ kind: z.literal('comment'), id: sealedId, ventId: sealedId });

/** A name is pointed at by a comment under it, or by the id that a match gives the other person. */
export const hideTarget = z.union([
  ventRef,
  commentRef,
  z.object({ kind: z.literal('name'), commentId: sealedId, ventId: sealedId }),
  z.object({ kind: z.literal('name'), peerId: sealedId }),
]);
export type HideTarget = z.output<typeof hideTarget>;

/** The same, or the `_id` of a hidden name in `getChoices`. */
const unhideTarget = z.union([hideTarget, z.object({ kind: z.literal('name'), _id: sealedId })]);
export type UnhideTarget = z.output<typeof unhideTarget>;

const mutesView = z.object({
  words: z.array(z.string()),
  hashtags: z.array(z.string()),
  emotions: z.array(z.enum(emotions)),
});

export const getChoices = endpoint({
  method: 'GET',
  path: '/api/choices',
  summary: 'What the caller has hidden and muted, newest first.',
  response: z.object({
    ...success,
    /** Vents and comments. They may be gone by now. */
    hidden: z.array(z.discriminatedUnion('kind', [ventRef, commentRef])),
    names: z.array(
      z.object({
        /** For the caller alone: it says nothing about the account. */
        _id: z.string(),
        /** As it was when the caller hid it. Null for a match without a name. */
        username: z.nullable(z.string()),
      }),
    ),
    mutes: mutesView,
  }),
  padToBytes: 8192,
});
export type Choices = z.output<(typeof getChoices)['response']>;

export const hide = endpoint({
  method: 'POST',
  path: '/api/choices/hidden',
  summary:
    'Hide a vent, a comment, or all comments under a name. Nobody is told. A hidden name ends a match with it, for good.',
  body: z.object({ about: hideTarget }),
  invalidMessage: 'Your list is full. Take something off it in Settings first.',
  response: done,
  errors: ['VENT_NOT_FOUND', 'COMMENT_NOT_FOUND', 'NOT_FOUND'],
  rate: ['choices'],
});

export const unhide = endpoint({
  method: 'DELETE',
  path: '/api/choices/hidden',
  summary: 'Show it again. Idempotent. A match that ended does not come back.',
  body: z.object({ about: unhideTarget }),
  response: done,
  errors: ['VENT_NOT_FOUND', 'COMMENT_NOT_FOUND', 'NOT_FOUND'],
  rate: ['choices'],
});

export const setMutes = endpoint({
  method: 'PUT',
  path: '/api/choices/mutes',
  summary: 'Replace the muted words, hashtags and emotions.',
  body: newMutes,
  invalidMessage: 'Please check the words and hashtags.',
  response: done,
  rate: ['choices'],
});

export const closeToVoice = endpoint({
  method: 'POST',
  path: '/api/vent/comment/:ventId/:commentId/close',
  summary:
    'Delete a comment of somebody else under an own vent, and close this vent to its voice: this name, or this Anonymous. Their older comments stay.',
  isSensitive: true,
  params: z.object({ ventId: sealedId, commentId: sealedId }),
  response: done,
  errors: ['COMMENT_NOT_FOUND'],
  rate: ['deletions'],
});
