import type { PrivacyPart } from '../kernel/privacy-registry.ts';
import type { MatchHistoryService } from './match-history.ts';
import type { PairMaintenance } from './pair-maintenance.ts';

export function matchesPrivacy(history: MatchHistoryService, maintenance: PairMaintenance): PrivacyPart {
  return {
    feature: 'matching',
    tables: ['matching.pairs', 'matching.failed_rows', 'matching.data_keys'],
    erases: 'words',
    export: async ({ userId }) => ({ pairs: await history.exportPairs(userId) }),
    erase: ({ userId }) => maintenance.erase(userId),
  };
}
