import type { MatchSide, MatchStatus, MatchSuggestion, PendingMatch } from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { formatDecimals } from '../../lib/format.ts';

/** The other one of a pair, as a card shows them. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly picture: string;
}

/** Somebody who can be answered. */
export interface OpenMatch {
  readonly id: string;
  readonly other: Person;
  readonly score: number;
  readonly hasTheirYes: boolean;
}

export interface Suggestion extends OpenMatch, Pick<MatchSuggestion, 'commonEmotions' | 'reasons'> {}

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

/** Which of the two one is oneself says only the id: their order says nothing. */
export function sidesOf(pair: Pair, selfId: string): { readonly self: Person; readonly other: Person } {
  const [self, other] = isFirst(pair, selfId) ? [pair.user1, pair.user2] : [pair.user2, pair.user1];
  return { self: toPerson(self), other: toPerson(other) };
}

export function toSuggestion(match: MatchSuggestion, selfId: string): Suggestion {
  const { _id, matchScore, commonEmotions, reasons } = match;
  return {
    id: _id,
    other: sidesOf(match, selfId).other,
    score: matchScore,
    hasTheirYes: isFirst(match, selfId) ? match.user2Accepted : match.user1Accepted,
    commonEmotions,
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
    // The server's word for the nameless, in the reader's language: nobody can be called that.
    other: { id, name: name === 'Anonymous' ? t`Anonymous` : name, picture },
    score: match.matchScore,
    hasTheirYes: !isSent,
  };
}

const within = (score: number) => Math.min(1, Math.max(0, score));

/** "0.87", always with two decimals. */
export function formatScore(score: number, locale?: string): string {
  return formatDecimals(within(score), 2, locale);
}

/** A whole number from 0 to 100. */
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
