import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { day, success } from './fields.ts';
import { limits } from './limits.ts';
import { matchSide } from './matches.ts';
import { reactionCounts } from './vents.ts';

/**
 * What others did that concerns the caller. It is computed at each call and nothing about it is stored: what was seen is
 * in a cursor that the server encrypts and the browser keeps.
 */

/** The kinds of lines. Later releases add more: a client skips a kind that it does not know. */
export const inboxKinds = [
  'said_yes',
  'both_said_yes',
  'comments',
  'replies',
  'reactions',
  'thanks',
  'notice',
  'account',
] as const;
export type InboxKind = (typeof inboxKinds)[number];

/** What happened to an account itself. */
export const accountEvents = [
  'code_made',
  'code_replaced',
  'code_cancelled',
  'recovery_asked',
  'recovered',
  'number_changed',
] as const;
export type AccountEvent = (typeof accountEvents)[number];

const base = {
  /** Sent back once the line was opened (`markInboxSeen`). Encrypted, and of one length. */
  key: z.string(),
  isUnread: z.boolean(),
};

/** The title is empty if the caller hid or muted the vent of somebody else. */
const onVent = { ...base, vent: z.object({ _id: z.string(), title: z.string() }) };

const aboutComments = {
  ...onVent,
  /** How many are unread, up to `inboxCount`, which means "or more". 0 on a line that was seen. */
  count: z.number(),
  /** The first unread comment, or the newest if all were seen. `listComments` takes it as `from`. */
  commentId: z.string(),
  /** The day of the newest comment, in India. */
  day,
};

const aboutMatch = { ...base, matchId: z.string(), with: matchSide };

export const inboxLine = z.discriminatedUnion('kind', [
  /** Somebody's yes that waits for the caller's answer. No day: it would tell when a named person was here. */
  z.object({ kind: z.literal('said_yes'), ...aboutMatch, day: z.null() }),
  /** The other person's yes came second. The day is that of the match history. Listed for 30 days. */
  z.object({ kind: z.literal('both_said_yes'), ...aboutMatch, day }),
  /** Comments of others on an own vent. */
  z.object({ kind: z.literal('comments'), ...aboutComments }),
  /** Comments after the caller's own last one on a vent of somebody else. */
  z.object({
    kind: z.literal('replies'),
    ...aboutComments,
    /** Whether one of the unread is by the vent's author, as the vent's page shows too. */
    isByAuthor: z.boolean(),
  }),
  /** Reactions of others to an own vent: the new ones, or all if these were seen. Reactions have no day. */
  z.object({ kind: z.literal('reactions'), ...onVent, reactions: reactionCounts, day: z.null() }),
  /** The author of a vent said that the caller's comment helped. No day: it would tell when they said so. */
  z.object({ kind: z.literal('thanks'), ...onVent, commentId: z.string(), day: z.null() }),
  /** A decision about something that the caller wrote (`listNotices`). In no count. Listed for 30 days. */
  z.object({ kind: z.literal('notice'), ...base, noticeId: z.string(), day }),
  /** A recovery code was made, replaced or used, or the number was changed. In no count. Listed for 30 days. */
  z.object({ kind: z.literal('account'), ...base, event: z.enum(accountEvents), day }),
]);
export type InboxLine = z.output<typeof inboxLine>;

/** Unread comments and replies, reactions and thanks, and yeses: each up to `inboxCount`, which means "or more". */
export const inboxCounts = z.object({ answers: z.number(), gifts: z.number(), matches: z.number() });
export type InboxCounts = z.output<typeof inboxCounts>;

/** A cursor that is forged, of another account or of another release counts as none. */
export const inboxCursor = z.string().check(z.maxLength(limits.inboxCursorChars));

export const listInbox = endpoint({
  method: 'GET',
  path: '/api/inbox',
  summary:
    'What came back to the caller, unread first, then newest. Nothing is stored: the client keeps the cursor. Skip lines of an unknown kind.',
  isOpenToSuspended: true,
  query: z.object({ cursor: z.optional(inboxCursor) }),
  response: z.object({
    ...success,
    lines: z.array(inboxLine),
    counts: inboxCounts,
    /**
     * Marks nothing as seen. To be stored unless the stored one changed since the request. Without a cursor in the
     * request, everything of the last seven days that has a day is unread, every yes that waits for an answer is, and
     * reactions count from now on.
     */
    cursor: z.string(),
  }),
  padToBytes: 16_384,
});

export const markInboxSeen = endpoint({
  method: 'POST',
  path: '/api/inbox/seen',
  summary:
    'The cursor after lines were opened. A computation: nothing is read or stored. Keys that are not the caller’s are ignored.',
  isOpenToSuspended: true,
  body: z.object({
    cursor: inboxCursor,
    /** `key` of the lines that were opened. */
    shown: z.array(z.string().check(z.maxLength(128))).check(z.maxLength(limits.inboxLines)),
  }),
  response: z.object({ ...success, cursor: z.string() }),
  /** A cursor and all lines: the length does not tell how many there are, nor whether one was opened. */
  padToBytes: 8192,
});
