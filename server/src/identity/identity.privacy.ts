import { fromFeelingBits } from '../kernel/feelings.ts';
import { nameShownUntil } from '../kernel/leaving-spans.ts';
import type { PrivacyPart } from '../kernel/privacy-registry.ts';
import { today } from '../platform/clock.ts';
import { inTransaction } from '../platform/db.ts';
import { countDevices } from './accounts/accounts.queries.ts';
import { holdNumber, numberReleaseDay } from './accounts/held-numbers.ts';
import { choicesView, findChoices } from './choices/choices.ts';
import type { IdentityContext } from './context.ts';
import { openFacts } from './facts/account-facts.ts';
import { avatarUrl } from './profiles/avatars.ts';
import * as heldNames from './profiles/held-names.queries.ts';
import * as queries from './profiles/profiles.queries.ts';
import { describeRecovery, listEvents } from './recovery/recovery.ts';
import { exportSessions, revokeAllSessions } from './sessions/sessions.ts';

export const identityPrivacy = (ctx: IdentityContext): PrivacyPart[] => [
  {
    feature: 'hiddenAndMuted',
    tables: ['identity.choices'],
    erases: 'account',
    async export({ userId }) {
      const { hidden, names, mutes } = choicesView(await findChoices(ctx, userId), ctx.publicIds);
      return { hidden, names: names.map(({ username }) => username ?? 'Anonymous'), ...mutes };
    },
    // Deleted with the user row, by cascade.
    erase: async () => {},
  },
  {
    feature: 'signIn',
    tables: [
      'identity.phone_index',
      // Numbers of accounts that no longer exist.
      'identity.held_numbers',
      'identity.sessions',
      'identity.devices',
      // Rows that a job could not do, by a hash.
      'identity.failed_rows',
      'identity.data_keys',
    ],
    erases: 'account',
    async export({ userId }) {
      return {
        phoneNumber: 'Not stored. We keep a keyed hash that only a right code can be matched with.',
        sessions: await exportSessions(ctx, userId),
        rememberedDevices: await countDevices(ctx.db, userId),
      };
    },
    // Sessions end first. The phone index and the devices are deleted with the user row, by cascade.
    erase: ({ userId }) => revokeAllSessions(ctx, userId),
  },
  {
    feature: 'recovery',
    tables: ['identity.recovery_codes'],
    erases: 'account',
    export: async ({ userId }) => {
      const { madeOn, replacedOn } = await describeRecovery(ctx, userId);
      return {
        recoveryCode: madeOn ? `Made on ${madeOn}. Only a hash of it is kept.` : null,
        replacedRecoveryCode: replacedOn
          ? `Replaced or cancelled on ${replacedOn}. Only a hash of it is kept.`
          : null,
        accountEvents: await listEvents(ctx, userId),
      };
    },
    // The row is deleted with the user row, by cascade.
    erase: async () => {},
  },
  // Last: it deletes the account.
  {
    feature: 'profile',
    tables: ['identity.users', 'identity.held_usernames', 'identity.departed'],
    erases: 'account',
    export: ({ userId }) => exportProfile(ctx, userId),
    // The row holds the author seed and the speaker id. Without them no content leads back to a person. The name of a
    // person with named comments stays until the last of these is removed.
    async erase({ userId, person }, { removeWords, isNameShown }) {
      const isShown = await isNameShown();
      const releaseDay = await numberReleaseDay(ctx, person);
      await inTransaction(ctx, async (ctx) => {
        const { db, clock } = ctx;
        const user = await queries.lockUser(db, userId);
        if (user?.username) {
          const { username, speakerId, avatarSeed } = user;
          const until = nameShownUntil(today(clock), removeWords);
          // A name that is still shown is held by its row of departed people.
          await heldNames.holdName(db, username, null, today(clock));
          if (isShown) await heldNames.insertDeparted(db, { speakerId, username, avatarSeed, until });
        }
        if (releaseDay) await holdNumber(ctx, userId, releaseDay);
        await queries.deleteUser(db, userId);
      });
    },
  },
];

async function exportProfile({ db, seals }: IdentityContext, userId: bigint) {
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
}
