import { createContent, createFeedCache, createHeardCache, createWaitingCache } from './content/index.ts';
import type { Deps } from './deps.ts';
import { createIdentity } from './identity/index.ts';
import { createMatching } from './matching/index.ts';
import { createCloseKey, createModeration, createModerationCore } from './moderation/index.ts';
import { bindJobs } from './platform/job-rows.ts';
import type { Job } from './platform/job.ts';
import { createReads } from './platform/standby/reads.ts';
import { createPerson } from './person/index.ts';

export type Features = Awaited<ReturnType<typeof buildFeatures>>;

/** Builds every schema with its own pool, and hands each what it needs of the others. */
export async function buildFeatures(deps: Deps) {
  const { config, databases, standby, sms, switches, ...base } = deps;
  const moderationCore = await createModerationCore({ ...base, db: databases.moderation });
  const { standing, holds } = moderationCore;
  const feedCache = await createFeedCache(base);
  const identity = await createIdentity(
    { ...base, db: databases.identity },
    {
      sms,
      standing,
      isSignUpOpen: () => !switches.isOff('sign-up'),
      onNamesChanged: () => feedCache.invalidateAll(),
      onCommentsClosed: (person) => content.closeHeld(person),
    },
    config,
  );
  const content = createContent(
    { ...base, db: databases.content },
    {
      reads: createReads(databases.content, standby, base.metrics),
      people: identity.profiles,
      choices: identity.choices,
      areVentsOpen: () => !switches.isOff('vents') && !switches.isOff('writing'),
      holds,
      silent: standing,
      makeCloseKey: (makeKey) => createCloseKey(base.speakers, makeKey),
    },
    {
      ventAnswerMs: config.ventAnswerMs,
      feedCache,
      waitingCache: await createWaitingCache(base),
      heardCache: await createHeardCache(base),
    },
  );
  const matching = createMatching(
    { ...base, db: databases.matching },
    { people: identity.profiles, hidden: identity.choices, leavers: content.slots, standing },
  );
  const moderation = createModeration(moderationCore.ctx, {
    items: {
      vent: content.ventModeration,
      comment: content.commentModeration,
      profile: identity.profileModeration,
    },
    people: identity.profileModeration,
    imprint: { officer: config.grievanceOfficer, operator: config.operator },
    findPeer: matching.findPeer,
  });
  const person = createPerson(base, { identity, content, matching, moderation }, config.live);
  const rooms = [identity, content, matching, moderation, person];
  return {
    bindings: rooms.flatMap((room) => room.bindings),
    /** Registered by the moderation service alone. */
    consoleBindings: moderation.consoleBindings,
    jobs: bindJobs(
      rooms.flatMap((room): readonly Job[] => room.jobs),
      deps,
    ),
    privacyParts: person.privacy,
    sessions: identity.sessions,
    nameTeam: identity.nameTeam,
    leaving: content.leaving,
    listeningFigures: content.listeningFigures,
    /** For the moderation service, and tests. */
    moderation: moderation.ctx,
    live: person.live,
    /** For tests. */
    standing,
    content: content.ctx,
  };
}
