import type { MatchSide, MatchStatus, MatchSuggestion, PendingMatch } from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { formatDecimals } from '../../lib/format.ts';

/** The other person of a pair, as shown on a card. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly picture: string;
}

/** A match that waits for a reply. */
export interface OpenMatch {
  readonly id: string;
  readonly other: Person;
  readonly score: number;
  readonly hasTheirYes: boolean;
}

export interface Suggestion
  extends OpenMatch, Pick<MatchSuggestion, 'bio' | 'commonEmotions' | 'commonInterests' | 'reasons'> {}

interface Pair {
  readonly user1: MatchSide;
  readonly user2: MatchSide;
}

function isFirst({ user1 }: Pair, selfId: string): boolean {
  return user1._id === selfId;
}

function toPerson({ _id, username, profilePic }: MatchSide): Person {
  return { id: _id, name: username ?? t`Anonymous`, picture: profilePic };
}

/** The user's own side is found by id. The order of the two sides has no meaning. */
export function sidesOf(pair: Pair, selfId: string): { readonly self: Person; readonly other: Person } {
  const [self, other] = isFirst(pair, selfId) ? [pair.user1, pair.user2] : [pair.user2, pair.user1];
  return { self: toPerson(self), other: toPerson(other) };
}

export function toSuggestion(match: MatchSuggestion, selfId: string): Suggestion {
  const { _id, matchScore, bio, commonEmotions, commonInterests, reasons } = match;
  return {
    id: _id,
    other: sidesOf(match, selfId).other,
    score: matchScore,
    hasTheirYes: isFirst(match, selfId) ? match.user2Accepted : match.user1Accepted,
    bio,
    commonEmotions,
    commonInterests,
    reasons,
  };
}

export function toOpenMatch(match: PendingMatch, selfId: string): OpenMatch {
  const isSent = match.fromId === selfId;
  const [id, name, picture] = isSent
    ? [match.toId, match.to, match.toPic]
    : [match.fromId, match.from, match.fromPic];
  return {
    id: match.matchId,
    // The server's name for a person without one, translated. No user can have this name.
    other: { id, name: name === 'Anonymous' ? t`Anonymous` : name, picture },
    score: match.matchScore,
    hasTheirYes: !isSent,
  };
}

/** What the user can say about a match: yes, no, that a sent yes is taken back, or that two yeses are over. */
export type AnswerKind = 'accept' | 'reject' | 'withdraw' | 'part';

const within = (score: number) => Math.min(1, Math.max(0, score));

/** Always two decimals: "0.87". */
export function formatScore(score: number, locale?: string): string {
  return formatDecimals(within(score), 2, locale);
}

/** The score in words. Without named feelings it is .45 to .55. */
export function scoreLabel(score: number): string {
  if (score >= 0.7) return t`Strong match`;
  return score >= 0.55 ? t`Good match` : t`Possible match`;
}

/** An integer from 0 to 100. */
export function percentOf(score: number): number {
  return Math.round(within(score) * 100);
}

export function statusLabel(status: MatchStatus): string {
  const labels: Readonly<Record<MatchStatus, string>> = {
    pending: t`Pending`,
    accepted: t`Accepted`,
    rejected: t`Rejected`,
    closed: t`Closed`,
  };
  return labels[status];
}

/** What a status means for the user, in a sentence. Two yeses have a note of their own. */
export function statusMeaning(status: MatchStatus, isTakenBack = false): string {
  const meanings: Readonly<Record<MatchStatus, string>> = {
    pending: t`If they say yes too, it'll show up in History.`,
    accepted: '',
    rejected: isTakenBack ? t`You took your yes back. They aren't told.` : t`You passed. They aren't told.`,
    closed: t`This match has ended.`,
  };
  return meanings[status];
}
