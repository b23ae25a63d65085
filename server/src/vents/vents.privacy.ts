import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { OwnVents } from './own-vents.ts';

export function ventsPrivacy(own: OwnVents): PrivacyPart {
  return {
    feature: 'vents',
    tables: [
      'content.vents',
      'content.vent_stats',
      'content.vent_search',
      'content.trending',
      'content.idempotency',
    ],
    async export({ person }) {
      const vents = await own.exported(person);
      return vents.map(({ createdAt, ...vent }) => ({ ...vent, createdAt: createdAt.toISOString() }));
    },
    // They go one by one (leaving/): vents that vanished together would show their common author.
    erase: async () => {},
  };
}
