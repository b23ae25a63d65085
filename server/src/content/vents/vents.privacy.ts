import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { ContentContext } from '../context.ts';
import { listOwnForExport } from './authored-vents.ts';

export function ventsPrivacy(ctx: ContentContext): PrivacyPart {
  return {
    feature: 'vents',
    tables: [
      'content.vents',
      'content.vent_stats',
      'content.vent_search',
      'content.trending',
      'content.idempotency',
    ],
    erases: 'words',
    async export({ person }) {
      const vents = await listOwnForExport(ctx, person);
      return vents.map(({ createdAt, ...vent }) => ({ ...vent, createdAt: createdAt.toISOString() }));
    },
    // Vents are deleted one by one (leaving/): vents that vanish together would show their common author.
    erase: async () => {},
  };
}
