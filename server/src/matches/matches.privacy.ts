import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { MatchesService } from './matches.service.ts';

export function matchesPrivacy(matches: MatchesService): PrivacyPart {
  return {
    feature: 'matching',
    tables: ['matching.pairs'],
    export: async ({ userId }) => ({ pairs: await matches.exportPairs(userId) }),
    erase: ({ userId }) => matches.erase(userId),
  };
}
