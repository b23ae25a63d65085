import type { MatchPreference, PublicUser, SelfUser } from '@unsaid/contract';
import type { Seals } from '../platform/seals.ts';
import { avatarUrl } from './avatars.ts';
import type { UserRow } from './profiles.queries.ts';

export function selfView(row: UserRow, isSuspended: boolean, seals: Seals): SelfUser {
  return {
    ...commonFields(row, seals),
    allowComments: row.allowComments,
    preferences: {
      matchPreference: row.matchPreference as MatchPreference | null,
      anonymousChat: row.anonymousChat,
    },
    profileCompleted: row.profileCompleted,
    ...(isSuspended ? { suspended: true } : {}),
  };
}

export function publicView(row: UserRow, seals: Seals): PublicUser {
  return {
    ...commonFields(row, seals),
    preferences: { matchPreference: row.matchPreference as MatchPreference | null },
  };
}

function commonFields(row: UserRow, seals: Seals) {
  return {
    _id: seals.user.seal(row.id),
    username: row.username,
    bio: row.bio,
    profilePic: avatarUrl(row.avatarSeed),
    interests: row.interests,
    likes: row.likes,
    dislikes: row.dislikes,
  };
}
