import * as z from 'zod/mini';
import { emotions } from './emotions.ts';
import { endpoint } from './endpoint.ts';
import { day, done, sealedId, success } from './fields.ts';

/** How a person stands in a match: no more than a face and a name. The id opens their profile. */
const matchSide = z.object({
  _id: z.string(),
  username: z.nullable(z.string()),
  profilePic: z.string(),
});

/**
 * Why these two. The kind is for front ends that have words of their own, or another language; `text` is
 * for those that have none. Taken from profiles alone: a tag of a vent would lead to the vent.
 */
export const reasonKinds = ['shared_interest', 'both_similar', 'both_different', 'both_balanced'] as const;

const reason = z.object({
  kind: z.enum(reasonKinds),
  /** The interest both named; null for the other kinds. */
  about: z.nullable(z.string()),
  text: z.string(),
});

export const matchSuggestion = z.object({
  _id: z.string(),
  /** Which of the two comes first says nothing. */
  user1: matchSide,
  user2: matchSide,
  user1Accepted: z.boolean(),
  user2Accepted: z.boolean(),
  /** 0 to 1, in steps of .05; the same for both, and fixed when the pair was made. */
  matchScore: z.number(),
  commonEmotions: z.array(z.enum(emotions)),
  reasons: z.array(reason),
});

export const matchStatuses = ['pending', 'accepted', 'rejected', 'closed'] as const;
export type MatchStatus = (typeof matchStatuses)[number];

export const pendingMatch = z.object({
  matchId: z.string(),
  /** Names, "Anonymous" for the nameless. */
  from: z.string(),
  fromId: z.string(),
  fromPic: z.string(),
  to: z.string(),
  toId: z.string(),
  toPic: z.string(),
  matchScore: z.number(),
  status: z.literal('pending'),
});

export const matchHistoryItem = z.object({
  matchId: z.string(),
  user1: matchSide,
  user2: matchSide,
  matchScore: z.number(),
  status: z.enum(matchStatuses),
  /** A day: the hour somebody answered could be laid beside the hour of a vent. */
  timestamp: day,
});

export type MatchSide = z.output<typeof matchSide>;
export type MatchReason = z.output<typeof reason>;
export type MatchSuggestion = z.output<typeof matchSuggestion>;
export type PendingMatch = z.output<typeof pendingMatch>;
export type MatchHistoryItem = z.output<typeof matchHistoryItem>;

export const matchSuggestions = endpoint({
  method: 'GET',
  path: '/api/match/suggestions',
  summary: 'People one has not answered yet, the best first.',
  response: z.object({ ...success, matches: z.array(matchSuggestion) }),
  rate: ['suggestions'],
});

export const pendingMatches = endpoint({
  method: 'GET',
  path: '/api/match/pending',
  summary: 'Who is waiting for one’s answer, and for whose answer one is waiting.',
  response: z.object({
    ...success,
    receivedMatches: z.array(pendingMatch),
    sentMatches: z.array(pendingMatch),
  }),
});

export const matchHistory = endpoint({
  method: 'GET',
  path: '/api/match/history',
  summary: 'What became of the people one has answered, newest first.',
  response: z.object({ ...success, history: z.array(matchHistoryItem) }),
});

const answerBody = z.object({ matchId: sealedId });

export const acceptMatch = endpoint({
  method: 'POST',
  path: '/api/match/accept',
  summary: 'Say yes to somebody. Saying it again changes nothing.',
  body: answerBody,
  invalidMessage: 'Failed to accept match',
  response: done,
  errors: ['MATCH_NOT_FOUND', 'MATCH_CLOSED'],
  rate: ['matchAnswers'],
});

export const rejectMatch = endpoint({
  method: 'POST',
  path: '/api/match/reject',
  summary: 'Say no to somebody, who is not told. Saying it again changes nothing.',
  body: answerBody,
  invalidMessage: 'Failed to reject match',
  response: done,
  errors: ['MATCH_NOT_FOUND', 'MATCH_CLOSED'],
  rate: ['matchAnswers'],
});
