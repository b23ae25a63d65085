import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import type { Slots } from './slots.service.ts';

export function slotsPrivacy(slots: Slots): PrivacyPart {
  return {
    feature: 'slots',
    tables: ['content.taken_slots'],
    export: async () =>
      'How many vents and comments you ever wrote, as marks that only your account can recognise.',
    // The marks stay: if they went with their owner, whoever compares two copies would see which had been one person's.
    // With the author's seed gone they are anybody's (docs/adr/0006).
    erase: ({ person }) => slots.leave(person),
  };
}
