import type {
  MatchHistoryItem,
  MatchReason,
  MatchSide,
  MatchSuggestion,
  PendingMatch,
} from '@unsaid/contract';
import type { Day } from '../platform/clock.ts';
import type { Seals } from '../platform/seals.ts';
import type { PublicName } from '../profiles/profiles.service.ts';
import type { PairDetails } from './pair-details.ts';
import type { Stance } from './matches.state.ts';

/** A pair as one of the two may see it. */
export interface SeenPair {
  readonly id: bigint;
  readonly me: Named;
  readonly other: Named;
  readonly stance: Stance;
  readonly details: PairDetails;
}

export interface Named extends PublicName {
  readonly userId: bigint;
}

const reasonTexts: Record<MatchReason['kind'], (about: string | null) => string> = {
  shared_interest: (about) => `You both like ${about ?? ''}`,
  both_similar: () => 'You both asked for someone who feels alike',
  both_different: () => 'You both asked for someone who feels differently',
  both_balanced: () => 'You both asked for a balance',
};

export function suggestionView(pair: SeenPair, seals: Seals): MatchSuggestion {
  const id = seals.match.seal(pair.id);
  const [first, second] = inOrder(pair, id);
  // Theirs is shown when it is a yes and mine is awaited; a no looks like no answer.
  const hasAccepted = (one: Named) =>
    one === pair.me ? pair.stance.mine === 'yes' : pair.stance.theirs === 'yes';
  return {
    _id: id,
    user1: sideView(first, seals),
    user2: sideView(second, seals),
    user1Accepted: hasAccepted(first),
    user2Accepted: hasAccepted(second),
    matchScore: pair.details.score,
    commonEmotions: [...pair.details.emotions],
    reasons: pair.details.reasons.map(({ kind, about }) => ({ kind, about, text: reasonTexts[kind](about) })),
  };
}

export function pendingView(pair: SeenPair, sentBy: 'me' | 'other', seals: Seals): PendingMatch {
  const [from, to] = sentBy === 'me' ? [pair.me, pair.other] : [pair.other, pair.me];
  return {
    matchId: seals.match.seal(pair.id),
    from: nameOf(from),
    fromId: seals.user.seal(from.userId),
    fromPic: from.profilePic,
    to: nameOf(to),
    toId: seals.user.seal(to.userId),
    toPic: to.profilePic,
    matchScore: pair.details.score,
    status: 'pending',
  };
}

export function historyView(
  pair: SeenPair,
  { status, day }: { readonly status: MatchHistoryItem['status']; readonly day: Day },
  seals: Seals,
): MatchHistoryItem {
  const matchId = seals.match.seal(pair.id);
  const [first, second] = inOrder(pair, matchId);
  return {
    matchId,
    user1: sideView(first, seals),
    user2: sideView(second, seals),
    matchScore: pair.details.score,
    status,
    timestamp: day,
  };
}

const nameOf = ({ username }: PublicName) => username ?? 'Anonymous';

function sideView({ userId, username, profilePic }: Named, seals: Seals): MatchSide {
  return { _id: seals.user.seal(userId), username, profilePic };
}

/** As good as drawn for each pair, and always the same for it: a bit of an id that says nothing. */
function inOrder({ me, other }: SeenPair, sealedId: string): [Named, Named] {
  const byNumber: [Named, Named] = me.userId < other.userId ? [me, other] : [other, me];
  const isTurned = Buffer.from(sealedId, 'base64url').readUInt8() % 2 === 1;
  return isTurned ? [byNumber[1], byNumber[0]] : byNumber;
}
