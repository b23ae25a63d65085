import type { HeldNumbers } from '../auth/accounts/held-numbers.service.ts';
import { addDays, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { nextHalfMonth } from '../platform/half-months.ts';
import { nameShownUntil } from '../leaving/leaving.spans.ts';
import type { Person } from '../pseudonyms/person-keys.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { avatarUrl } from './avatars.ts';
import { fromFeelingBits } from './feelings.ts';
import * as queries from './profiles.queries.ts';
import { nameHeldDays } from './profiles.service.ts';

interface ProfilesPrivacyDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly heldNumbers: HeldNumbers;
  /** Whether the person has a comment under their name. */
  speaksByName(person: Person): Promise<boolean>;
}

export function profilesPrivacy({ db, clock, heldNumbers, speaksByName }: ProfilesPrivacyDeps): PrivacyPart {
  return {
    feature: 'profile',
    tables: ['identity.users', 'identity.held_usernames', 'identity.departed'],
    rewriteNightly: ['identity.held_usernames'],
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
    // The row holds the author seed and the speaker id. Without them no content leads back to a person. The name of a
    // person with named comments stays until the last of these is removed.
    async erase({ userId, person }, removeWords) {
      const isShown = await speaksByName(person);
      const releaseDay = await heldNumbers.releaseDay(person);
      await transaction(db.identity, async (tx) => {
        const user = await queries.lockUser(tx, userId);
        if (user?.username) {
          const { username, speakerId, avatarSeed } = user;
          const until = nameShownUntil(today(clock), removeWords);
          const held = addDays(today(clock), nameHeldDays);
          // Rounded to a half month: with the keys, the exact day would link this name to its leaving ticket.
          await queries.holdName(tx, username, null, nextHalfMonth(until > held ? until : held));
          if (isShown) await queries.insertDeparted(tx, { speakerId, username, avatarSeed, until });
        }
        if (releaseDay) await heldNumbers.hold(tx, userId, releaseDay);
        await queries.deleteUser(tx, userId);
      });
    },
  };
}
