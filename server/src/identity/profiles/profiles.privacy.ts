import type { IdentityBase } from '../../kernel/base.ts';
import type { HeldNumbers } from '../accounts/held-numbers.service.ts';
import { addDays, today } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { halfMonthOf } from '../../platform/half-months.ts';
import { nameShownUntil } from '../../kernel/leaving-spans.ts';
import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import { avatarUrl } from './avatars.ts';
import { fromFeelingBits } from '../../kernel/feelings.ts';
import * as heldNames from './held-names.queries.ts';
import * as queries from './profiles.queries.ts';
import { nameHeldDays } from './profiles.service.ts';

interface ProfilesPrivacyDeps extends Pick<IdentityBase, 'db' | 'clock'> {
  readonly heldNumbers: HeldNumbers;
}

export function profilesPrivacy({ db, clock, heldNumbers }: ProfilesPrivacyDeps): PrivacyPart {
  return {
    feature: 'profile',
    tables: ['identity.users', 'identity.held_usernames', 'identity.departed'],
    erases: 'account',
    async export({ userId }) {
      const user = await queries.findUser(db, userId);
      if (!user) return null;
      const held = await heldNames.listHeldNames(db, userId);
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
    async erase({ userId, person }, { removeWords, isNameShown }) {
      const isShown = await isNameShown();
      const releaseDay = await heldNumbers.releaseDay(person);
      await transaction(db, async (tx) => {
        const user = await queries.lockUser(tx, userId);
        if (user?.username) {
          const { username, speakerId, avatarSeed } = user;
          const until = nameShownUntil(today(clock), removeWords);
          // Rounded down to a half month: with the keys, the exact day would link this name to its leaving ticket. A name
          // that is still shown is held by its row of departed people.
          const heldUntil = halfMonthOf(addDays(today(clock), nameHeldDays));
          await heldNames.holdName(tx, username, null, heldUntil);
          if (isShown) await heldNames.insertDeparted(tx, { speakerId, username, avatarSeed, until });
        }
        if (releaseDay) await heldNumbers.hold(tx, userId, releaseDay);
        await queries.deleteUser(tx, userId);
      });
    },
  };
}
