import type { Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import * as queries from './comments.queries.ts';
import type { CommentsService } from './comments.service.ts';

export function commentsPrivacy(db: Databases, comments: CommentsService): PrivacyPart {
  return {
    feature: 'comments',
    tables: ['content.comments'],
    async export({ userId, authorKey }) {
      const written: { text: string; createdAt: string }[] = [];
      for (const id of await comments.idsWrittenBy(userId, authorKey)) {
        const row = await queries.findComment(db.content, id);
        if (row) written.push({ text: row.body, createdAt: row.createdAt.toISOString() });
      }
      return written;
    },
    // They fade with the vents, in the same queue.
    erase: async () => {},
  };
}
