import { randomInt } from 'node:crypto';
import type { CommentsService } from '../comments/comments.service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { OwnVents } from './own-vents.ts';
import * as queries from './vents.queries.ts';

/** Over this long, each item at a moment of its own. */
const fadingMs = 72 * 60 * 60 * 1000;

interface VentsPrivacyDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly own: OwnVents;
  readonly comments: CommentsService;
}

export function ventsPrivacy({ db, clock, seals, own, comments }: VentsPrivacyDeps): PrivacyPart {
  return {
    feature: 'vents',
    tables: [
      'content.vents',
      'content.vent_stats',
      'content.vent_search',
      'content.trending',
      'content.idempotency',
      'content.removals',
    ],
    async export({ person }) {
      const vents = await own.exported(person);
      return vents.map(({ createdAt, ...vent }) => ({ ...vent, createdAt: createdAt.toISOString() }));
    },
    /** If somebody's vents vanished together, their common author would show: so they do not. */
    async erase({ person }) {
      const remove = (items: readonly { ventId: bigint; no: number }[]) =>
        queries.scheduleRemovals(
          db.content,
          items.map((item) => ({
            itemKey: seals.removal.seal(item),
            dueAt: new Date(clock.now() + randomInt(0, fadingMs)),
          })),
        );
      for await (const ids of own.allIds(person)) await remove(ids.map((ventId) => ({ ventId, no: 0 })));
      for await (const ids of comments.idsWrittenBy(person)) await remove(ids);
    },
  };
}
