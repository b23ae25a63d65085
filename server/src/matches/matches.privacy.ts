import type { Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { emotions } from '@unsaid/contract';
import type { ProfileCodec } from './match-profile.codec.ts';
import { findProfiles } from './matches.queries.ts';
import type { MatchesService } from './matches.service.ts';

interface MatchesPrivacyDeps {
  readonly db: Databases;
  readonly seals: Seals;
  readonly codec: ProfileCodec;
  readonly matches: MatchesService;
}

export function matchesPrivacy({ db, seals, codec, matches }: MatchesPrivacyDeps): PrivacyPart {
  return {
    feature: 'matching',
    tables: [
      'matching.match_profiles',
      'matching.match_pairs',
      // Sums over everybody, and nobody's.
      'matching.rebuilds',
      'matching.emotion_authors',
      'matching.tag_people',
    ],
    async export({ userId }) {
      const [row] = await findProfiles(db.matching, [seals.matchKey(userId)]);
      const [feelings] = row ? codec.openAll(row.sealed) : [];
      return {
        profile: feelings
          ? {
              lastActiveOn: feelings.lastActiveOn,
              weights: Object.fromEntries(emotions.map((emotion, n) => [emotion, feelings.weights[n] ?? 0])),
              // Kept as numbers that lead to no word.
              tags: feelings.tags.length,
            }
          : null,
        pairs: await matches.exportPairs(userId),
      };
    },
    erase: ({ userId }) => matches.erase(userId),
  };
}
