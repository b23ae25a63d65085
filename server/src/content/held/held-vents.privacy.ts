import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { HeldVents } from './held-vents.ts';

export function heldVentsPrivacy(held: HeldVents): PrivacyPart {
  return {
    feature: 'heldVents',
    tables: ['content.held_vents', 'content.failed_rows', 'content.data_keys'],
    erases: 'words',
    export: async ({ person }) =>
      (await held.list(person)).map(({ _id, isStuck: _isStuck, ...said }) => said),
    erase: ({ person }) => held.dropAll(person),
  };
}
