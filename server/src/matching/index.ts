import type { Feature, MatchingBase } from '../kernel/base.ts';
import type { Viewer } from '../kernel/viewer.ts';
import type { MatchingContext } from './context.ts';
import { endMatchWith } from './decisions.ts';
import { exportPairs, findPeer, listYeses, listYesesOfMany } from './match-history.ts';
import { matchesRoutes } from './matches.routes.ts';
import { createPairCipher } from './pair-details.ts';
import { createPairKeys } from './pair-keys.ts';
import { erasePairs, renewAndExpirePairs, settlePairs } from './pair-maintenance.ts';
import type { MatchingPorts } from './ports.ts';
import { topUpRecent } from './suggestions.ts';

export type Matching = ReturnType<typeof createMatching>;

/** Suggestions and pairs: everything in the schema matching. */
export function createMatching(base: MatchingBase, ports: MatchingPorts) {
  const ctx: MatchingContext = {
    ...base,
    ports,
    pairKeys: createPairKeys(base.keys),
    cipher: createPairCipher(base.keys),
  };
  return {
    bindings: matchesRoutes(ctx),
    jobs: [
      {
        name: 'settle-todays-pairs',
        cron: '15 * * * *',
        run: (rows) => settlePairs(ctx, rows, { isFinal: false }),
      },
      {
        name: 'settle-ended-pairs',
        cron: '2 0 * * *',
        run: (rows) => settlePairs(ctx, rows, { isFinal: true }),
      },
      { name: 'forget-old-matches', cron: '40 21 * * *', run: (rows) => renewAndExpirePairs(ctx, rows) },
      { name: 'top-up-suggestions', cron: '10 22 * * *', run: (rows) => topUpRecent(ctx, rows) },
    ],
    privacy: [
      {
        feature: 'matching',
        tables: ['matching.pairs', 'matching.failed_rows', 'matching.data_keys'],
        erases: 'words',
        export: async ({ userId }) => ({ pairs: await exportPairs(ctx, userId) }),
        erase: ({ userId }) => erasePairs(ctx, userId),
      },
    ],
    endMatchWith: (viewer: Viewer, otherId: bigint) => endMatchWith(ctx, viewer, otherId),
    findPeer: (viewer: Viewer, shownId: string, which?: 'live' | 'listed') =>
      findPeer(ctx, viewer, shownId, which),
    listYeses: (userId: bigint) => listYeses(ctx, userId),
    listYesesOfMany: (userIds: readonly bigint[]) => listYesesOfMany(ctx, userIds),
  } satisfies Feature & Record<string, unknown>;
}
