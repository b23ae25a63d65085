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
import type { MadeDetails } from './pair-details.ts';
import type { Stance } from './matches.state.ts';

/** A pair as one of the two may see it. */
export interface SeenPair {
  readonly id: bigint;
  readonly me: Named;
  readonly other: Named;
  /** By the numbers of the two accounts; turned or not by the pair's random number before anybody sees it. */
  readonly isMeFirst: boolean;
  readonly stance: Stance;
  readonly details: MadeDetails;
}

interface Named extends PublicName {
  /** My own id to myself, and an id for this pair alone to the other. */
  readonly shownId: string;
}

const reasonTexts: Record<MatchReason['kind'], (about: string | null) => string> = {
  shared_interest: (about) => `You both like ${about ?? ''}`,
  both_similar: () => 'You both asked for someone who feels alike',
  both_different: () => 'You both asked for someone who feels differently',
  both_balanced: () => 'You both asked for a balance',
};

export function suggestionView(pair: SeenPair, seals: Seals): MatchSuggestion {
  const id = seals.match.seal(pair.id);
  const [first, second] = inOrder(pair);
  // Theirs is shown when it is a yes and mine is awaited; a no looks like no answer.
  const hasAccepted = (one: Named) =>
    one === pair.me ? pair.stance.mine === 'yes' : pair.stance.theirs === 'yes';
  return {
    _id: id,
    user1: sideView(first),
    user2: sideView(second),
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
    fromId: from.shownId,
    fromPic: from.profilePic,
    to: nameOf(to),
    toId: to.shownId,
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
  const [first, second] = inOrder(pair);
  return {
    matchId,
    user1: sideView(first),
    user2: sideView(second),
    matchScore: pair.details.score,
    status,
    timestamp: day,
  };
}

const nameOf = ({ username }: PublicName) => username ?? 'Anonymous';

function sideView({ shownId, username, profilePic }: Named): MatchSide {
  return { _id: shownId, username, profilePic };
}

/**
 * Random for each pair, and always the same for it: a bit of its random number, which nobody is shown. By a bit of the
 * encrypted id anybody could undo it, and read off who signed up first.
 */
function inOrder({ id, me, other, isMeFirst }: SeenPair): [Named, Named] {
  const isTurned = id % 2n === 1n;
  return isMeFirst === isTurned ? [other, me] : [me, other];
}
