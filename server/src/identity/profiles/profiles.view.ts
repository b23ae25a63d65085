import type { MatchPreference, PublicUser, SelfUser } from '@unsaid/contract';
import type { Standing } from '../../kernel/standing.ts';
import type { Day } from '../../platform/clock.ts';
import type { PublicIds } from '../../kernel/public-ids.ts';
import { avatarUrl } from './avatars.ts';
import { areFeelingsStale, fromFeelingBits } from '../../kernel/feelings.ts';
import type { AccountFacts } from '../facts/account-facts.ts';
import type { Wait } from '../facts/recovery-facts.ts';
import type { UserRow } from './profiles.queries.ts';

interface SelfState {
  readonly standing: Standing;
  readonly today: Day;
  readonly facts: AccountFacts;
  readonly wait: Wait | null;
}

export function selfView(
  row: UserRow,
  { standing, today, facts, wait }: SelfState,
  publicIds: PublicIds,
): SelfUser {
  return {
    ...commonFields(row, publicIds.user.encode(row.id)),
    feelings: fromFeelingBits(row.feelings),
    feelingsStale: areFeelingsStale(facts.feelingsFrom, today),
    allowComments: facts.allowComments,
    preferences: {
      matchPreference: row.matchPreference as MatchPreference | null,
      anonymousChat: facts.anonymousChat,
    },
    profileCompleted: row.profileCompleted,
    ...(standing === 'suspended' ? { suspended: true } : {}),
    ...(standing === 'limited' ? { limited: true } : {}),
    ...(wait ? { recoveryOpensAt: new Date(wait.opensAt).toISOString() } : {}),
    ...(wait?.isFinal ? { recoveryIsFinal: true } : {}),
  };
}

/** `shownId` is the id by which the viewer knows this person. */
export function publicView(row: UserRow, shownId: string): PublicUser {
  return {
    ...commonFields(row, shownId),
    preferences: { matchPreference: row.matchPreference as MatchPreference | null },
  };
}

function commonFields(row: UserRow, shownId: string) {
  return {
    _id: shownId,
    username: row.username,
    bio: row.bio,
    profilePic: avatarUrl(row.avatarSeed),
    interests: row.interests,
    likes: row.likes,
    dislikes: row.dislikes,
  };
}
