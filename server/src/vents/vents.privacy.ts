import { randomInt } from 'node:crypto';
import type { CommentsService } from '../comments/comments.service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Databases } from '../platform/db.ts';
import type { Seals } from '../platform/seals.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import * as queries from './vents.queries.ts';

/** Over this long, each item at a moment of its own. */
const fadingMs = 72 * 60 * 60 * 1000;

export function ventsPrivacy(
  db: Databases,
  clock: Clock,
  seals: Seals,
  comments: CommentsService,
): PrivacyPart {
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
    async export({ authorKey }) {
      const vents = await queries.listAllOf(db.content, authorKey);
      return vents.map(({ id: _id, createdAt, ...vent }) => ({
        ...vent,
        createdAt: createdAt.toISOString(),
      }));
    },
    /** If somebody's vents vanished together, their common author would show: so they do not. */
    async erase(subject) {
      const vents = await queries.listAllOf(db.content, subject.authorKey);
      const commentIds = await comments.idsWrittenBy(subject);
      const dueAt = () => new Date(clock.now() + randomInt(0, fadingMs));
      const items = [
        ...vents.map(({ id }) => ({ itemKey: seals.removalKey('vent', id), dueAt: dueAt() })),
        ...commentIds.map((id) => ({ itemKey: seals.removalKey('comment', id), dueAt: dueAt() })),
      ];
      for (let done = 0; done < items.length; done += 1000) {
        await queries.scheduleRemovals(db.content, items.slice(done, done + 1000));
      }
    },
  };
}
