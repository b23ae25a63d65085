import type { Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { deleteProfile, findProfile } from './matches.queries.ts';

export function matchesPrivacy(db: Databases, seals: Seals): PrivacyPart {
  return {
    feature: 'matching',
    tables: ['matching.match_profiles'],
    async export({ userId }) {
      const profile = await findProfile(db.matching, seals.matchKey(userId));
      return { lastActiveOn: profile?.lastActiveOn ?? null };
    },
    erase: ({ userId }) => deleteProfile(db.matching, seals.matchKey(userId)),
  };
}
