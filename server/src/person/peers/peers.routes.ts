import { getUser } from '@unsaid/contract';
import type { Identity } from '../../identity/index.ts';
import { bind } from '../../kernel/viewer.ts';
import type { MatchHistoryService } from '../../matching/match-history.service.ts';
import type { Binding } from '../../platform/http/bind.ts';

/** The profile of oneself or of a peer, while their pair is open or mutual. */
export function peersRoutes(profiles: Identity['profiles'], matches: MatchHistoryService): Binding[] {
  return [
    bind(getUser, async ({ params, viewer }) => ({
      user: await profiles.byId(viewer, params.id, await matches.findPeer(viewer, params.id)),
    })),
  ];
}
