import { acceptMatch, matchHistory, matchSuggestions, pendingMatches, rejectMatch } from '@unsaid/contract';
import { bind, type Binding } from '../platform/http/bind.ts';
import type { MatchesService } from './matches.service.ts';

export function matchesRoutes(matches: MatchesService): Binding[] {
  return [
    bind(matchSuggestions, async ({ viewer }) => ({ matches: await matches.suggestions(viewer) })),

    bind(pendingMatches, ({ viewer }) => matches.pending(viewer)),

    bind(matchHistory, async ({ viewer }) => ({ history: await matches.history(viewer) })),

    bind(acceptMatch, ({ viewer, body }) => matches.answer(viewer, body.matchId, 'accept')),

    bind(rejectMatch, ({ viewer, body }) => matches.answer(viewer, body.matchId, 'reject')),
  ];
}
