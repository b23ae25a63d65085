import * as z from 'zod/mini';
import { commentView, hiddenReasons } from './comments.ts';
import { emotions } from './emotions.ts';
import { endpoint, type RawQuery } from './endpoint.ts';
import { day, done, sealedId, success, writtenText, wholeNumber } from './fields.ts';
import { keepDays, needs, newVent } from './forms.ts';
import { limits } from './limits.ts';
import { isBlank, isUnacceptable, isWithin } from './text.ts';
import { fold, wordsOf } from './words.ts';

const emotion = z.enum(emotions);

export const reactionTypes = ['heart', 'hug', 'listen'] as const;
export type ReactionType = (typeof reactionTypes)[number];

export const reportReasons = ['Inappropriate Content', 'Harassment', 'Spam', 'Other'] as const;

export const sorts = ['recent', 'trending'] as const;
export type Sort = (typeof sorts)[number];

export const reactionCounts = z.object({ heart: z.number(), hug: z.number(), listen: z.number() });

/** What the author of a vent says. A new field is guarded, muted, hidden and copied for moderators with the others. */
const said = {
  title: z.string(),
  text: z.string(),
  emotion,
  hashtags: z.array(z.string()),
  need: z.nullable(z.enum(needs)),
  /** Then it is gone for everybody, with its comments. Null: it stays until its author deletes it. */
  keepDays: z.nullable(z.literal(keepDays)),
};

export const ventView = z.object({
  _id: z.string(),
  ...said,
  /** Rounded to the minute; lists are sorted by the exact time. */
  createdAt: z.string(),
  /** The viewer's id on their own vent; otherwise an alias of that vent alone. */
  userId: z.object({ _id: z.string(), allowComments: z.boolean() }),
  reactions: reactionCounts,
  /** The newest comments, sorted oldest first. */
  comments: z.array(commentView),
  commentCount: z.number(),
  isOwner: z.boolean(),
  myReactions: z.array(z.enum(reactionTypes)),
  /** Its words say that its writer may be about to act. Lists fold it. It follows from the text alone; never on an own vent. */
  heavy: z.optional(z.literal(true)),
  /** Then title, text, hashtags and comments are empty, except where one vent was asked for (`getVent`). */
  hiddenBy: z.optional(z.enum(hiddenReasons)),
});

export type VentView = z.output<typeof ventView>;
export type VentSaid = Pick<VentView, keyof typeof said>;
/** Everything typed freely. The rest is chosen. */
type Typed = Omit<VentSaid, 'emotion' | 'need' | 'keepDays'>;

/** In place of the words of a hidden vent. In the order in which the form asks for them. */
export const nothingSaid: Typed = { text: '', title: '', hashtags: [] };
export const typedFields = Object.keys(nothingSaid) as (keyof Typed)[];

/** The texts that a reader reads, for guards and muted words, and nothing else of a vent. */
export const textsSaid = (vent: Typed): string[] => typedFields.flatMap((name) => vent[name]);
export type ReactionCounts = z.output<typeof reactionCounts>;

/** Comparison key of a hashtag: without case and accents. */
export const foldHashtag = fold;

/** Splits the input of the hashtag field. */
export function splitHashtags(typed: string): string[] {
  return typed
    .split(',')
    .map((tag) => tag.trim().replace(/^#+/u, '').trim())
    .filter((tag) => tag !== '');
}

const page = z.optional(wholeNumber(limits.maxPage));
const pageSize = wholeNumber(limits.maxPageSize);
const limit = z.optional(pageSize);

/** The page size, as the cost for `ventsRead`. An invalid limit costs 1: that call is rejected and reads nothing. */
function pageCost(query: RawQuery, defaultSize: number): number {
  if (query['limit'] === undefined) return defaultSize;
  const asked = pageSize.safeParse(query['limit']);
  return asked.success ? asked.data : 1;
}

/** The words of a search, as its cost. One word costs the database about as much as two. */
const countSearched = (typed: string) =>
  Math.min(
    Math.max(2, new Set(wordsOf(typed.slice(0, limits.query * 12)).split(' ')).size - 1),
    limits.searchWords,
  );

/** Cursor for the pages after the tenth: the id of the last vent seen. */
const before = z.optional(sealedId);
const query = z.string().check(
  z.maxLength(limits.query * 12),
  z.refine((text) => !isUnacceptable(text), { error: 'unacceptable_characters' }),
  z.refine((text) => isWithin(text, limits.query), { error: 'too_long' }),
);

/** Vents of any of these emotions, separated by commas. Parsed in the order of the list, each once. */
const emotionFilter = z.optional(
  z.pipe(
    z.string().check(z.maxLength(100)),
    z.pipe(
      z.transform((text: string) => text.split(',')),
      z.pipe(
        z.array(emotion),
        z.transform((chosen) => emotions.filter((one) => chosen.includes(one))),
      ),
    ),
  ),
);

const ventPage = z.object({
  ...success,
  vents: z.array(ventView),
  /** How many of the pager's ten pages have vents. For a search without a page number, 2 means more than one. */
  pageCount: z.number(),
  hasOlder: z.boolean(),
  /** Of a search: the vents that match by sound alone, like नींद for "neend". Absent where there are none. */
  bySound: z.optional(z.array(sealedId)),
});

export const createVent = endpoint({
  method: 'POST',
  path: '/api/vent/create',
  summary:
    'Post a vent, with `later` at a random moment among the next vents of others. Other users cannot tell who wrote it.',
  isSpeaking: true,
  /** `later`: its time then does not tell when its author was here. Two days at most. */
  body: z.extend(newVent, { later: z.optional(z.boolean()) }),
  invalidMessage: 'Please fill in all required fields.',
  status: 201,
  /** Null while it waits. One call, so that an observer of the network does not see which it was. */
  response: z.object({ ...success, vent: z.nullable(ventView) }),
  errors: ['DUPLICATE_VENT', 'VENT_NOT_FOUND', 'IDENTIFYING_DETAILS', 'ENCOURAGES_SELF_HARM'],
  rate: ['vents'],
  isIdempotent: true,
});

/** A vent that its author held back. Nobody else can see it, and when it goes out nobody knows. */
const heldVent = z.object({
  _id: sealedId,
  ...said,
  /** It could not be posted, for a day. */
  isStuck: z.boolean(),
});
export type HeldVent = z.output<typeof heldVent>;

export const listHeldVents = endpoint({
  method: 'GET',
  path: '/api/vent/held',
  summary: 'The caller’s vents that have yet to go out, newest first.',
  isOpenToSuspended: true,
  response: z.object({
    ...success,
    held: z.array(heldVent),
    /** One that is held now usually goes out within so many hours. The same for all in an hour. */
    usuallyWithinHours: z.literal([1, 3, 6, 12, 24, 48]),
  }),
  padToBytes: 16_384,
});

export const releaseHeldVent = endpoint({
  method: 'POST',
  path: '/api/vent/held/:id/release',
  summary: 'Post an own held vent now.',
  isSpeaking: true,
  params: z.object({ id: sealedId }),
  status: 201,
  response: z.object({ ...success, vent: ventView }),
  errors: ['VENT_NOT_FOUND'],
  rate: ['ventSwitches'],
});

export const dropHeldVent = endpoint({
  method: 'DELETE',
  path: '/api/vent/held/:id',
  summary: 'Delete an own held vent. It was never seen.',
  isSensitive: true,
  isOpenToSuspended: true,
  params: z.object({ id: sealedId }),
  response: done,
  errors: ['VENT_NOT_FOUND'],
  rate: ['deletions'],
});

export const listVents = endpoint({
  method: 'GET',
  path: '/api/vent/all',
  summary:
    'Vents, newest or trending first; with `mine`, the caller’s own, optionally searched. `emotion` takes one or several, separated by commas.',
  query: z.object({
    sort: z.optional(z.enum(sorts)),
    page,
    limit,
    mine: z.optional(z.enum(['true', 'false'])),
    query: z.optional(query),
    before,
    emotion: emotionFilter,
    /** The newest that lists do not fold. */
    without: z.optional(z.literal('heavy')),
  }),
  invalidMessage: 'Failed to fetch vents',
  response: ventPage,
  // What follows a posted vent: one's own is a byte shorter than in the feed of others.
  padToBytes: 4096,
  rate: ['ventsRead'],
  cost: { ventsRead: (sent) => (sent['mine'] === 'true' ? 0 : pageCost(sent, limits.feedPageSize)) },
});

export const getVent = endpoint({
  method: 'GET',
  path: '/api/vent/:id',
  summary: 'One vent. If the caller hid or muted it, with its words all the same; comments stay hidden.',
  params: z.object({ id: sealedId }),
  response: z.object({ ...success, vent: ventView }),
  errors: ['VENT_NOT_FOUND'],
  rate: ['ventsRead'],
});

export const searchVents = endpoint({
  method: 'GET',
  path: '/api/vent/search',
  summary:
    'Search vents by words in title, text or hashtags, also by how they sound; `#tag` searches hashtags alone. `emotion` takes one or several, separated by commas.',
  query: z.object({
    query: query.check(z.refine((text) => !isBlank(text), { error: 'required' })),
    page,
    limit,
    before,
    emotion: emotionFilter,
  }),
  invalidMessage: 'Please enter a search query.',
  response: ventPage,
  rate: ['searches', 'ventsRead'],
  cost: {
    searches: ({ query: typed }) => (typeof typed === 'string' ? countSearched(typed) : 1),
    ventsRead: (sent) => pageCost(sent, limits.maxPageSize),
  },
});

export const react = endpoint({
  method: 'POST',
  path: '/api/vent/react',
  summary: 'Toggle heart, hug or listen; `active` sets the state explicitly.',
  body: z.object({
    ventId: sealedId,
    reactionType: z.enum(reactionTypes),
    active: z.optional(z.boolean()),
  }),
  response: z.object({ ...success, reactions: reactionCounts, myReactions: z.array(z.enum(reactionTypes)) }),
  errors: ['VENT_NOT_FOUND'],
  rate: ['reactions'],
});

export const deleteVent = endpoint({
  method: 'DELETE',
  path: '/api/vent/:id',
  summary: 'Delete an own vent.',
  isSensitive: true,
  params: z.object({ id: sealedId }),
  response: done,
  errors: ['VENT_NOT_FOUND'],
  rate: ['deletions'],
});

export const reportVent = endpoint({
  method: 'POST',
  path: '/api/vent/report',
  summary: 'Report a vent. Its author is not told.',
  body: z.object({
    ventId: sealedId,
    reason: z.pipe(
      writtenText({ max: limits.reportDetails + 'Other: '.length, isRequired: true }),
      z.string().check(
        z.refine((reason) => reportReasons.some((one) => one === reason) || /^Other: ./u.test(reason), {
          error: 'unknown_reason',
        }),
      ),
    ),
  }),
  invalidMessage: 'Please select a reason for reporting.',
  status: 201,
  response: done,
  errors: ['VENT_NOT_FOUND', 'CANNOT_REPORT_OWN'],
  rate: ['reports'],
});

export const setVentComments = endpoint({
  method: 'PUT',
  path: '/api/vent/:id/allow-comments',
  summary: 'Open or close an own vent for comments. Existing comments stay.',
  params: z.object({ id: sealedId }),
  body: z.object({ allowComments: z.boolean() }),
  response: done,
  errors: ['VENT_NOT_FOUND'],
  rate: ['ventSwitches'],
});

export const closeAllVents = endpoint({
  method: 'POST',
  path: '/api/vent/close-all',
  summary:
    'Close all own vents for comments now. A reader who watches the feed sees which close at the same time.',
  response: done,
  rate: ['ventSwitches'],
});

export const ventsSince = endpoint({
  method: 'GET',
  path: '/api/vent/since',
  summary:
    'Reactions and comments on the caller’s newest vents since the cursor. Nothing is stored: the client keeps the cursor.',
  query: z.object({ cursor: z.optional(z.string().check(z.maxLength(limits.inboxCursorChars))) }),
  response: z.object({
    ...success,
    /** Without a cursor: no reactions, and the comments of the last seven days. */
    since: z.object({ ...reactionCounts.shape, comments: z.number() }),
    /** Encrypted, for the next call; invalid for other accounts. */
    cursor: z.string(),
  }),
});

export const ventWeather = endpoint({
  method: 'GET',
  path: '/api/vent/weather',
  summary: 'The caller’s vents of twelve weeks, by day and emotion.',
  response: z.object({
    ...success,
    days: z.array(z.object({ day, emotion, count: z.number() })),
  }),
});
