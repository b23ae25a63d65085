import { today, type Clock } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import { insertBlankProfile } from './matches.queries.ts';

export interface MatchesService {
  /** A person has a place in matching from the first moment on; asking again changes nothing. */
  ensurePlace(userId: bigint): Promise<void>;
}

interface MatchesDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
}

export function createMatchesService({ db, clock, seals }: MatchesDeps): MatchesService {
  return {
    ensurePlace: (userId) => insertBlankProfile(db.matching, seals.matchKey(userId), today(clock)),
  };
}
