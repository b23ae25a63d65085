import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { ContentContext } from '../context.ts';
import { listHeld } from './held-vents.ts';
import { deleteAllHeld } from './own-held.ts';

export function heldVentsPrivacy(ctx: ContentContext): PrivacyPart {
  return {
    feature: 'heldVents',
    tables: ['content.held_vents', 'content.failed_rows', 'content.data_keys'],
    erases: 'words',
    export: async ({ person }) =>
      (await listHeld(ctx, person)).map(({ _id, isStuck: _isStuck, ...said }) => said),
    erase: ({ person }) => deleteAllHeld(ctx, person),
  };
}
