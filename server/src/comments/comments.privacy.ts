import type { Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import * as queries from './comments.queries.ts';
import type { CommentsService } from './comments.service.ts';

const commentsAtOnce = 1000;

export function commentsPrivacy(db: Databases, comments: CommentsService): PrivacyPart {
  return {
    feature: 'comments',
    tables: ['content.comments', 'content.taken_slots'],
    async export(subject) {
      const ids = await comments.idsWrittenBy(subject);
      const written: { text: string; createdAt: string }[] = [];
      for (let done = 0; done < ids.length; done += commentsAtOnce) {
        for (const row of await queries.listByIds(db.content, ids.slice(done, done + commentsAtOnce)))
          written.push({ text: row.body, createdAt: row.createdAt.toISOString() });
      }
      return written;
    },
    // They fade with the vents, in the same queue, and their slots with them. That slots were taken is kept: if those
    // rows went with their owner, whoever compares two copies would see which comments had been one person's. With
    // the author's seed gone they are anybody's (docs/adr/0006).
    erase: async () => {},
  };
}
