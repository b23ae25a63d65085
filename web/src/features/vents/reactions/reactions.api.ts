import { react } from '@unsaid/contract';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { apiCall, logOnly } from '../../../lib/api-client.ts';
import { createSessionStore } from '../../../lib/store.ts';
import { patchVent } from '../vent-cache.ts';
import { createReactions } from './reactions.ts';

type Reactions = ReturnType<typeof createReactions>;

/** Made once a session: what one person tapped is not shown to the next, however late the response is. */
const current = createSessionStore<{
  readonly client: QueryClient;
  readonly reactions: Reactions;
} | null>(null);

export function reactionsOf(client: QueryClient): Reactions {
  const known = current.get();
  if (known?.client === client) return known.reactions;
  const reactions = createReactions({
    send: (ventId, reactionType, active) =>
      apiCall(react, { body: { ventId, reactionType, active }, keepalive: true }),
    change: (ventId, change) => {
      if (current.get()?.reactions === reactions) patchVent(client, ventId, change);
    },
    log: logOnly,
    pause: () => new Promise((done) => setTimeout(done, 300)),
  });
  current.set({ client, reactions });
  return reactions;
}

export function useReactions(): Reactions {
  return reactionsOf(useQueryClient());
}
