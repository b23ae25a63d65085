import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { HeldVents } from './held-vents.service.ts';

export function heldVentsPrivacy(held: HeldVents): PrivacyPart {
  return {
    feature: 'heldVents',
    tables: ['content.held_vents'],
    erases: 'words',
    export: async ({ person }) => (await held.list(person)).map(({ _id, ...said }) => said),
    erase: ({ person }) => held.dropAll(person),
  };
}
