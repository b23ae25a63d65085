import type { IdentityBase } from '../../kernel/base.ts';
import type { HeldNumbers } from '../accounts/held-numbers.ts';
import { today } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { nameShownUntil } from '../../kernel/leaving-spans.ts';
import { openFacts } from '../facts/account-facts.ts';
import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import { avatarUrl } from './avatars.ts';
import { fromFeelingBits } from '../../kernel/feelings.ts';
import * as heldNames from './held-names.queries.ts';
import * as queries from './profiles.queries.ts';
import { nameHeldUntil } from './held-names.ts';

interface ProfilesPrivacyDeps extends Pick<IdentityBase, 'db' | 'clock' | 'seals'> {
  readonly heldNumbers: HeldNumbers;
}

export function profilesPrivacy({ db, clock, seals, heldNumbers }: ProfilesPrivacyDeps): PrivacyPart {
  return {
    feature: 'profile',
    tables: ['identity.users', 'identity.held_usernames', 'identity.departed'],
    erases: 'account',
    async export({ userId }) {
      const user = await queries.findUser(db, userId);
      const facts = user && openFacts(seals, user);
      if (!facts) return null;
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
        feelingsNamedFrom: facts.feelingsFrom,
        allowComments: facts.allowComments,
        preferences: { matchPreference: user.matchPreference, anonymousChat: facts.anonymousChat },
        createdOn: facts.createdOn,
        lastSeenOn: facts.lastSeenOn,
        privacyNotice: facts.agreement,
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
          // A name that is still shown is held by its row of departed people.
          await heldNames.holdName(tx, username, null, nameHeldUntil(today(clock)));
          if (isShown) await heldNames.insertDeparted(tx, { speakerId, username, avatarSeed, until });
        }
        if (releaseDay) await heldNumbers.hold(tx, userId, releaseDay);
        await queries.deleteUser(tx, userId);
      });
    },
  };
}
