import type { Base, Feature } from '../kernel/base.ts';
import { createBatcher } from '../platform/batch.ts';
import { createCountedCodec } from '../platform/live/counted.ts';
import type { RecountPace } from '../platform/live/recount.ts';
import { createLiveTickets } from '../platform/live/tickets.ts';
import type { PersonContext, Rooms } from './context.ts';
import { purgeForgotten } from './export-and-erasure.ts';
import { createCursorCodec } from './inbox/inbox-cursor.ts';
import { countUnreadMatches } from './inbox/inbox.ts';
import { createLiveSources } from './live-counts.ts';
import { personRoutes } from './person.routes.ts';

/** What one person does across schemas. */
export function createPerson(base: Base, rooms: Rooms, pace: RecountPace) {
  const { identity, content, matching, moderation } = rooms;
  const ctx: PersonContext = {
    ...base,
    ...rooms,
    parts: [content, matching, moderation, identity].flatMap((room) => room.privacy),
    pace,
    tickets: createLiveTickets(base),
    counted: createCountedCodec(base.keys),
    cursors: createCursorCodec(base.keys),
    batched: {
      countMatches: createBatcher((people) => countUnreadMatches(ctx, people)),
      newestVentAt: createBatcher(async (keys) => {
        const newest = await content.feed.newestAt();
        return keys.map(() => newest);
      }),
    },
  };
  return {
    live: { tickets: ctx.tickets, sources: createLiveSources(ctx) },
    bindings: personRoutes(ctx),
    jobs: [
      { name: 'purge-forgotten-accounts', cron: '30 21 * * *', run: (rows) => purgeForgotten(ctx, rows) },
    ],
    privacy: ctx.parts,
  } satisfies Feature & Record<string, unknown>;
}
