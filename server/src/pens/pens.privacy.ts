import type { Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { deletePen, findPen } from './pens.queries.ts';

export function pensPrivacy(db: Databases): PrivacyPart {
  return {
    feature: 'pen',
    tables: ['content.pens'],
    async export({ authorKey }) {
      const pen = await findPen(db.content, authorKey);
      return {
        allowComments: pen?.allowComments ?? true,
        pausedUntil: pen?.suspendedUntil?.toISOString() ?? null,
      };
    },
    erase: ({ authorKey }) => deletePen(db.content, authorKey),
  };
}
