import { today, type Clock, type Day } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Seals } from '../platform/seals.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import { blankCell, noWeights } from './emotion-space.ts';
import { drawShuffle, type ProfileCodec } from './match-profile.codec.ts';
import { deleteProfile, findProfiles, insertProfiles, type ProfileRow } from './matches.queries.ts';

/** A service of its own, because an account needs a place before there is anything to match. */
export interface MatchPlaces {
  /**
   * A person has a place in matching from the first moment on; asking again changes nothing. Throws for somebody
   * whose account is being deleted at this moment.
   */
  ensure(userId: bigint): Promise<void>;
}

interface PlacesDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly codec: ProfileCodec;
  readonly profiles: ProfilesService;
  readonly slots: Slots;
}

export function createMatchPlaces(deps: PlacesDeps): MatchPlaces {
  const { db, clock, seals, codec, profiles, slots } = deps;

  return {
    async ensure(userId) {
      const matchKey = seals.matchKey(userId);
      if ((await findProfiles(db.matching, [matchKey])).length > 0) return;
      const person = (await profiles.matchFacts([userId])).get(userId)?.person;
      if (!person) throw new AppError('UNAUTHENTICATED');
      await insertProfiles(db.matching, [blankProfile(matchKey, codec, today(clock))]);
      // After it, because leaving marks first and takes the place away then: one of the two sees the other.
      if (await slots.hasLeft(db.content, person)) {
        await deleteProfile(db.matching, matchKey);
        throw new AppError('UNAUTHENTICATED');
      }
    },
  };
}

/** Nothing is known yet but that they are here. */
export function blankProfile(matchKey: Buffer, codec: ProfileCodec, lastActiveOn: Day): ProfileRow {
  return {
    matchKey,
    cell: blankCell,
    shuffle: drawShuffle(),
    generation: 0,
    sealed: codec.seal({ weights: noWeights, tags: [], lastActiveOn }),
  };
}
