import { addDays, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { avatarUrl } from './avatars.ts';
import { fromFeelingBits } from './feelings.ts';
import * as queries from './profiles.queries.ts';

export function profilesPrivacy(db: Databases, clock: Clock, pages: { drop(): Promise<void> }): PrivacyPart {
  return {
    feature: 'profile',
    tables: ['identity.users', 'identity.held_usernames'],
    async export({ userId }) {
      const user = await queries.findUser(db.identity, userId);
      if (!user) return null;
      const held = await queries.listHeldNames(db.identity, userId);
      return {
        username: user.username,
        formerUsernames: held.map(({ nameKey, heldUntil }) => ({
          name: nameKey,
          keptFromOthersUntil: heldUntil,
        })),
        bio: user.bio,
        profilePic: avatarUrl(user.avatarSeed),
        interests: user.interests,
        likes: user.likes,
        dislikes: user.dislikes,
        feelings: fromFeelingBits(user.feelings),
        feelingsNamedFrom: user.feelingsFrom,
        allowComments: user.allowComments,
        preferences: { matchPreference: user.matchPreference, anonymousChat: user.anonymousChat },
        createdOn: user.createdOn,
        lastSeenOn: user.lastSeenOn,
      };
    },
    // The row holds the seed and the speaker id: with them goes every way back from content to a person.
    erase: ({ userId }) =>
      transaction(db.identity, async (tx, afterCommit) => {
        const user = await queries.lockUser(tx, userId);
        if (user?.username) await queries.holdName(tx, user.username, null, addDays(today(clock), 30));
        await queries.deleteUser(tx, userId);
        // Their name still stands on pages that were made a moment ago.
        afterCommit(() => pages.drop());
      }),
  };
}
