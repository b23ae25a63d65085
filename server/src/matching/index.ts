import type { Feature, MatchingBase } from '../kernel/base.ts';
import type { StandingService } from '../kernel/standing.ts';
import { createDecisionsService } from './decisions.ts';
import { createMatchHistoryService } from './match-history.ts';
import { matchesJobs } from './matches.jobs.ts';
import { matchesPrivacy } from './matches.privacy.ts';
import { matchesRoutes } from './matches.routes.ts';
import { createMatchmaker } from './candidate-search.ts';
import { createPairCipher } from './pair-details.ts';
import { createPairKeys } from './pair-keys.ts';
import { createPairMaintenance } from './pair-maintenance.ts';
import { createPairReader } from './pairs.ts';
import type { FindsHidden, FindsLeavers, FindsPeople } from './ports.ts';
import { createSuggestionsService } from './suggestions.ts';

interface MatchingPorts {
  readonly people: FindsPeople;
  readonly hidden: FindsHidden;
  readonly leavers: FindsLeavers;
  readonly standing: StandingService;
}

export type Matching = ReturnType<typeof createMatching>;

/** Suggestions and pairs: everything in the schema matching. */
export function createMatching(base: MatchingBase, { people, hidden, leavers, standing }: MatchingPorts) {
  const cipher = createPairCipher(base.keys);
  const pairKeys = createPairKeys(base.keys);
  const pairs = createPairReader({ ...base, pairKeys, cipher, people });
  const suggestions = createSuggestionsService({
    ...base,
    pairKeys,
    cipher,
    pairs,
    matchmaker: createMatchmaker({ ...base, people }),
    people,
    hidden,
    leavers,
    standing,
  });
  const decisions = createDecisionsService({ ...base, pairKeys, cipher, pairs, people });
  const history = createMatchHistoryService({ ...base, pairs, people });
  const maintenance = createPairMaintenance({ ...base, pairKeys, cipher });
  return {
    decisions,
    history,
    bindings: matchesRoutes({ suggestions, decisions, history }),
    jobs: matchesJobs(maintenance, suggestions),
    privacy: [matchesPrivacy(history, maintenance)],
  } satisfies Feature & Record<string, unknown>;
}
