import {
  limits,
  type MatchHistoryItem,
  type MatchReason,
  type MatchSide,
  type MatchSuggestion,
  type PendingMatch,
} from '@unsaid/contract';
import type { Day } from '../platform/clock.ts';
import type { PublicIds } from '../kernel/public-ids.ts';
import type { PublicName } from '../kernel/people.ts';
import type { PairState } from './matches.state.ts';
import type { PairBasis } from './pair-details.ts';

/** A pair with the names that one of the two may see. */
export interface PairForUser {
  readonly id: bigint;
  readonly me: Named;
  readonly other: Named;
  /** Never shown. */
  readonly otherId: bigint;
  /** By account id. `inOrder` makes the shown order random, so that it does not reveal who signed up first. */
  readonly isMeFirst: boolean;
  readonly state: PairState;
  /** As I see it: a yes that was taken back looks like one that stands. */
  readonly hasTheirYes: boolean;
  /** I said yes and took it back. */
  readonly isTakenBack: boolean;
  readonly basis: PairBasis;
}

interface Named extends PublicName {
  /** My own id, or for the other person an id that belongs to this pair alone. */
  readonly shownId: string;
}

const reasonTexts: Record<MatchReason['kind'], (about: string | null) => string> = {
  shared_interest: (about) => `You both like ${about ?? ''}`,
  both_similar: () => 'You both asked for someone who feels alike',
  both_different: () => 'You both asked for someone who feels differently',
  both_balanced: () => 'You both asked for a balance',
};

/** The other person's own words, and what the two have in common. */
export interface PairIntroduction {
  readonly bio: string;
  readonly commonInterests: readonly string[];
}

export function suggestionView(
  pair: PairForUser,
  { bio, commonInterests }: PairIntroduction,
  publicIds: PublicIds,
): MatchSuggestion {
  const id = publicIds.match.encode(pair.id);
  const [first, second] = inOrder(pair);
  // Their yes is shown while mine is awaited. Their no looks like no answer.
  const hasAccepted = (one: Named) => (one === pair.me ? pair.state.mine === 'yes' : pair.hasTheirYes);
  return {
    _id: id,
    user1: sideView(first),
    user2: sideView(second),
    user1Accepted: hasAccepted(first),
    user2Accepted: hasAccepted(second),
    matchScore: pair.basis.score,
    commonEmotions: [...pair.basis.emotions],
    bio: firstLine(bio),
    commonInterests: commonInterests.slice(0, limits.commonInterests),
    reasons: pair.basis.reasons.map(({ kind, about }) => ({ kind, about, text: reasonTexts[kind](about) })),
  };
}

const maxBioLine = 160;

function firstLine(bio: string): string {
  const line = bio.trim().split(/\r?\n/u, 1)[0] ?? '';
  const letters = [...line];
  return letters.length > maxBioLine ? `${letters.slice(0, maxBioLine).join('')}…` : line;
}

export function pendingView(pair: PairForUser, sentBy: 'me' | 'other', publicIds: PublicIds): PendingMatch {
  const [from, to] = sentBy === 'me' ? [pair.me, pair.other] : [pair.other, pair.me];
  return {
    matchId: publicIds.match.encode(pair.id),
    from: nameOf(from),
    fromId: from.shownId,
    fromPic: from.profilePic,
    to: nameOf(to),
    toId: to.shownId,
    toPic: to.profilePic,
    matchScore: pair.basis.score,
    status: 'pending',
  };
}

export function historyView(
  pair: PairForUser,
  { status, day }: { readonly status: MatchHistoryItem['status']; readonly day: Day },
  publicIds: PublicIds,
): MatchHistoryItem {
  const matchId = publicIds.match.encode(pair.id);
  const [first, second] = inOrder(pair);
  return {
    matchId,
    user1: sideView(first),
    user2: sideView(second),
    matchScore: pair.basis.score,
    status,
    takenBack: pair.isTakenBack,
    timestamp: day,
  };
}

export interface YesView {
  readonly matchId: string;
  readonly with: MatchSide;
}

export function yesView({ id, other }: PairForUser, publicIds: PublicIds): YesView {
  return { matchId: publicIds.match.encode(id), with: sideView(other) };
}

const nameOf = ({ username }: PublicName) => username ?? 'Anonymous';

function sideView({ shownId, username, profilePic }: Named): MatchSide {
  return { _id: shownId, username, profilePic };
}

/**
 * A random order for each pair that never changes, taken from a bit of its random id. That id is never shown; a bit of
 * the encrypted id would be, and readers could undo the shuffle and learn who signed up first.
 */
function inOrder({ id, me, other, isMeFirst }: PairForUser): [Named, Named] {
  const isSwapped = id % 2n === 1n;
  return isMeFirst === isSwapped ? [other, me] : [me, other];
}
