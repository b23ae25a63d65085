import {
  acceptMatch,
  matchHistory,
  matchSuggestions,
  partMatch,
  pendingMatches,
  rejectMatch,
  withdrawMatch,
} from '@unsaid/contract';
import { bind } from '../kernel/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { DecisionsService } from './decisions.ts';
import type { MatchHistoryService } from './match-history.ts';
import type { SuggestionsService } from './suggestions.ts';

interface MatchesRoutes {
  readonly suggestions: SuggestionsService;
  readonly decisions: DecisionsService;
  readonly history: MatchHistoryService;
}

export function matchesRoutes({ suggestions, decisions, history }: MatchesRoutes): Binding[] {
  return [
    bind(matchSuggestions, async ({ viewer }) => ({ matches: await suggestions.list(viewer) })),

    bind(pendingMatches, ({ viewer }) => history.listPending(viewer)),

    bind(matchHistory, async ({ viewer }) => ({ history: await history.listPast(viewer) })),

    bind(acceptMatch, ({ viewer, body }) => decisions.decide(viewer, body.matchId, 'accept')),

    bind(rejectMatch, ({ viewer, body }) => decisions.decide(viewer, body.matchId, 'reject')),

    bind(withdrawMatch, ({ viewer, body }) => decisions.decide(viewer, body.matchId, 'withdraw')),

    bind(partMatch, ({ viewer, body }) => decisions.decide(viewer, body.matchId, 'part')),
  ];
}
