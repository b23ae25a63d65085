import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { done, isSure, sealedId, success } from './fields.ts';
import { commentText } from './forms.ts';

/**
 * Why an item is hidden for the viewer: by the viewer, by a name they hid, or by a word, hashtag or emotion they muted.
 * Absent where nothing is hidden. A hidden item keeps its id, its time and its position, and has no words.
 */
export const hiddenReasons = ['you', 'name', 'word', 'hashtag', 'emotion'] as const;
export type HiddenReason = (typeof hiddenReasons)[number];

/** `userId` of a comment: the public name, or null. A comment of the vent's author never has one. */
export const commentView = z.object({
  _id: z.string(),
  text: z.string(),
  /** The day in India, `YYYY-MM-DDT00:00:00+05:30`. A finer time would reveal when a named person was here. */
  createdAt: z.string(),
  userId: z.object({ username: z.nullable(z.string()), profilePic: z.nullable(z.string()) }),
  isMine: z.boolean(),
  isAuthor: z.boolean(),
  /** The caller wrote the vent, and said that this comment helped. Nobody else sees it. */
  isThanked: z.optional(z.literal(true)),
  /** Then text and name are empty. */
  hiddenBy: z.optional(z.enum(hiddenReasons)),
});

export type CommentView = z.output<typeof commentView>;

/**
 * Where somebody found the vent that they answer: beside a page of Recent, on /listen, on /listen after posting, anywhere
 * else. Counted, and stored nowhere.
 */
export const doors = ['region', 'listen', 'ask', 'feed'] as const;
export type Door = (typeof doors)[number];

export const commentOnVent = endpoint({
  method: 'POST',
  path: '/api/vent/comment',
  summary:
    'Comment on a vent under the username or, with `anonymous`, without one. The default is the username.',
  isSpeaking: true,
  body: z.object({
    ventId: sealedId,
    text: commentText,
    anonymous: z.optional(z.boolean()),
    door: z.optional(z.enum(doors)),
    isSure,
  }),
  invalidMessage: 'Please enter a comment.',
  status: 201,
  response: z.object({ ...success, comment: commentView }),
  errors: [
    'VENT_NOT_FOUND',
    'COMMENTS_DISABLED',
    'COMMENT_NOT_FOUND',
    'IDENTIFYING_DETAILS',
    'ENCOURAGES_SELF_HARM',
  ],
  rate: ['comments'],
  isIdempotent: true,
});

export const listComments = endpoint({
  method: 'GET',
  path: '/api/vent/:id/comments',
  summary: 'Comments before a given one, or with `from` a given one and those after it, oldest first.',
  params: z.object({ id: sealedId }),
  /** `from` may be the id of a comment that was deleted since. */
  query: z.object({
    before: z.optional(sealedId),
    from: z.optional(sealedId),
    /** Comments that the caller hid or muted come with their words. */
    withHidden: z.optional(z.enum(['true', 'false'])),
  }),
  response: z.object({
    ...success,
    comments: z.array(commentView),
    hasOlder: z.boolean(),
    hasNewer: z.boolean(),
  }),
  errors: ['VENT_NOT_FOUND'],
  // Comments carry names and days of vents, so they count against the same scraping limit.
  rate: ['ventsRead'],
});

export const deleteComment = endpoint({
  method: 'DELETE',
  path: '/api/vent/comment/:ventId/:commentId',
  summary: 'Delete a comment: an own one, or any under an own vent.',
  isSensitive: true,
  params: z.object({ ventId: sealedId, commentId: sealedId }),
  response: done,
  errors: ['COMMENT_NOT_FOUND'],
  rate: ['deletions'],
});

export const thankForComment = endpoint({
  method: 'POST',
  path: '/api/vent/comment/:ventId/:commentId/thank',
  summary:
    'Say that a comment of somebody else under an own vent helped. Whoever wrote it learns of it one to seven days later, without a day.',
  params: z.object({ ventId: sealedId, commentId: sealedId }),
  response: done,
  errors: ['COMMENT_NOT_FOUND'],
  rate: ['reactions'],
});
