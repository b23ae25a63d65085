import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { ContentContext } from '../context.ts';
import { closeSlots } from './slots.ts';

export function slotsPrivacy(ctx: ContentContext): PrivacyPart {
  return {
    feature: 'slots',
    tables: ['content.taken_slots'],
    erases: 'closing',
    export: async () =>
      'How many vents and comments you ever wrote, as marks that only your account can recognise.',
    // The rows stay. If they were deleted with their owner, two copies of the database would show which rows belonged
    // to one person. Without the author seed they cannot be computed again (docs/adr/0006).
    erase: ({ person }) => closeSlots(ctx, person),
  };
}
