import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { success } from './fields.ts';
import { limits } from './limits.ts';

/**
 * The live connection: a WebSocket that carries counts on a fixed beat, in frames of one length. No event of content
 * ever causes a frame, and a frame never causes a request (docs/adr/0011-live-connection.md).
 */
export const livePath = '/api/live';

/** Offered in the handshake beside the ticket. The server chooses it. */
export const liveProtocol = 'unsaid.1';
/** The ticket is a subprotocol, because a browser can send no header, and a URL would be logged. */
export const liveTicketPrefix = 'ticket.';

export const livePace = {
  /** From one tick to the next. Polling has the same pace. */
  tickMs: 25_000,
  /** Every frame, and every response with counts, is a multiple of this long. */
  padBytes: 512,
} as const;

/** Close codes that mean something to the browser. Others mean: connect again. */
export const liveCloseCodes = {
  /** The server restarts: connect again after up to 10 s, not all at once. */
  restart: 1012,
  sessionEnded: 4401,
  /** A connection has lived for half an hour: connect again with a new ticket. */
  lifeOver: 4408,
} as const;

const count = z.number();

/** Unread things by kind, each up to `inboxCount`, which means "or more". */
const liveCounts = z.object({
  messages: count,
  /** Comments on one's vents, and later comments where one spoke. */
  answers: count,
  /** Reactions to one's vents. */
  gifts: count,
  matches: count,
  account: count,
});

export type LiveCounts = z.output<typeof liveCounts>;

const tickFields = {
  counts: liveCounts,
  /** The minute of the newest vent, the same for everybody. Null if there is none. */
  newestVentAt: z.nullable(z.string()),
};

/** A frame from the server. Chat adds kinds of its own. */
export interface LiveTick {
  readonly kind: 'tick';
  readonly counts: LiveCounts;
  readonly newestVentAt: string | null;
  /** For the next ticket. */
  readonly counted: string;
}

const cursor = z.string().check(z.maxLength(limits.inboxCursorChars), z.regex(/^[\w-]*$/u));

/** A frame from the browser: what was read on this page. Chat adds kinds of its own. */
export const liveSeen = z.object({ kind: z.literal('seen'), cursor });

const body = {
  /** The inbox cursor of this browser. Without one, the last 7 days count as unread. */
  cursor: z.optional(cursor),
  /** `counted` of the last response or tick: until it is due, content is not counted again. */
  counted: z.optional(z.string().check(z.maxLength(limits.liveCountedChars), z.regex(/^[\w-]*$/u))),
};

const counted = {
  ...success,
  ...tickFields,
  /** Encrypted: the counts of content, and until when they are used. To be sent back with the next request. */
  counted: z.string(),
};

export const openLiveTicket = endpoint({
  method: 'POST',
  path: '/api/live/ticket',
  summary: 'A ticket for one live connection, to be used within 30 seconds, and the counts of now.',
  isOpenToSuspended: true,
  body: z.object(body),
  response: z.object({ ...counted, ticket: z.string() }),
  rate: ['liveTickets'],
  padToBytes: livePace.padBytes,
});

export const pollLiveCounts = endpoint({
  method: 'POST',
  path: '/api/live/now',
  summary: 'The counts of a tick, for browsers whose network lets no WebSocket through.',
  isOpenToSuspended: true,
  body: z.object(body),
  response: z.object(counted),
  padToBytes: livePace.padBytes,
});
