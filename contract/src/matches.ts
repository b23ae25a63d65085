import * as z from 'zod/mini';
import { emotions } from './emotions.ts';
import { endpoint } from './endpoint.ts';
import { day, done, sealedId, success } from './fields.ts';

/** A person in a match: avatar and name only. The id gives access to the profile. */
export const matchSide = z.object({
  _id: z.string(),
  username: z.nullable(z.string()),
  profilePic: z.string(),
});

/**
 * Why a pair was suggested. Clients with their own wording or language use the kind, others show `text`. Reasons come from
 * profiles only: a hashtag of a vent would lead to the vent.
 */
export const reasonKinds = ['shared_interest', 'both_similar', 'both_different', 'both_balanced'] as const;

const reason = z.object({
  kind: z.enum(reasonKinds),
  /** The shared interest; null for the other kinds. */
  about: z.nullable(z.string()),
  text: z.string(),
});

export const matchSuggestion = z.object({
  _id: z.string(),
  /** The order of the two carries no information. */
  user1: matchSide,
  user2: matchSide,
  user1Accepted: z.boolean(),
  user2Accepted: z.boolean(),
  /** 0 to 1 in steps of .05. The same for both people, and fixed when the pair is made. */
  matchScore: z.number(),
  commonEmotions: z.array(z.enum(emotions)),
  /** The beginning of the other person's bio, and up to three interests and likes of both: current, as in the profile. */
  bio: z.string(),
  commonInterests: z.array(z.string()),
  reasons: z.array(reason),
});

export const matchStatuses = ['pending', 'accepted', 'rejected', 'closed'] as const;
export type MatchStatus = (typeof matchStatuses)[number];

export const pendingMatch = z.object({
  matchId: z.string(),
  /** The username, or "Anonymous" without one. */
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
  /** A rejection that was the caller's own acceptance before. Never true for the other person. */
  takenBack: z.boolean(),
  /** A day: the time of an answer could be compared with the time of a vent. */
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
  summary: 'Suggestions without an answer yet, best first.',
  response: z.object({ ...success, matches: z.array(matchSuggestion) }),
  rate: ['suggestions'],
});

export const pendingMatches = endpoint({
  method: 'GET',
  path: '/api/match/pending',
  summary: 'Pairs that wait for the caller’s answer, and pairs that wait for the other person’s.',
  response: z.object({
    ...success,
    receivedMatches: z.array(pendingMatch),
    sentMatches: z.array(pendingMatch),
  }),
});

export const matchHistory = endpoint({
  method: 'GET',
  path: '/api/match/history',
  summary: 'Pairs the caller has answered, with their outcome, newest first.',
  response: z.object({ ...success, history: z.array(matchHistoryItem) }),
});

const answerBody = z.object({ matchId: sealedId });

export const acceptMatch = endpoint({
  method: 'POST',
  path: '/api/match/accept',
  summary: 'Accept a suggestion. Idempotent.',
  isSpeaking: true,
  body: answerBody,
  invalidMessage: 'Failed to accept match',
  response: done,
  errors: ['MATCH_NOT_FOUND', 'MATCH_CLOSED'],
  rate: ['matchAnswers'],
});

export const rejectMatch = endpoint({
  method: 'POST',
  path: '/api/match/reject',
  summary: 'Reject a suggestion. The other person is not told. Idempotent.',
  body: answerBody,
  invalidMessage: 'Failed to reject match',
  response: done,
  errors: ['MATCH_NOT_FOUND', 'MATCH_CLOSED'],
  rate: ['matchAnswers'],
});

export const withdrawMatch = endpoint({
  method: 'POST',
  path: '/api/match/withdraw',
  summary:
    'Take back an acceptance that the other person has not accepted yet. It becomes a rejection; the other person is not told. Idempotent.',
  body: answerBody,
  invalidMessage: 'Failed to take it back',
  response: done,
  errors: ['MATCH_NOT_FOUND', 'MATCH_CLOSED'],
  rate: ['matchAnswers'],
});

export const partMatch = endpoint({
  method: 'POST',
  path: '/api/match/part',
  summary:
    'End a match that both accepted. The other person sees it as closed, like one whose time ran out. Idempotent.',
  body: answerBody,
  invalidMessage: 'Failed to end match',
  response: done,
  errors: ['MATCH_NOT_FOUND', 'MATCH_CLOSED'],
  rate: ['matchAnswers'],
});
