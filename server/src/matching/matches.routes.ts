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
import type { MatchingContext } from './context.ts';
import { decideMatch } from './decisions.ts';
import { listPastMatches, listPendingMatches } from './match-history.ts';
import { listSuggestions } from './suggestions.ts';

export const matchesRoutes = (ctx: MatchingContext): Binding[] => [
  bind(matchSuggestions, async ({ viewer }) => ({ matches: await listSuggestions(ctx, viewer) })),
  bind(pendingMatches, ({ viewer }) => listPendingMatches(ctx, viewer)),
  bind(matchHistory, async ({ viewer }) => ({ history: await listPastMatches(ctx, viewer) })),
  bind(acceptMatch, ({ viewer, body }) => decideMatch(ctx, viewer, body.matchId, 'accept')),
  bind(rejectMatch, ({ viewer, body }) => decideMatch(ctx, viewer, body.matchId, 'reject')),
  bind(withdrawMatch, ({ viewer, body }) => decideMatch(ctx, viewer, body.matchId, 'withdraw')),
  bind(partMatch, ({ viewer, body }) => decideMatch(ctx, viewer, body.matchId, 'part')),
];
