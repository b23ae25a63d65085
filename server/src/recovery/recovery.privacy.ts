import type { Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { findCodeDay } from './recovery.queries.ts';

export function recoveryPrivacy(db: Databases): PrivacyPart {
  return {
    feature: 'recovery',
    tables: ['identity.recovery_codes'],
    rewriteNightly: ['identity.recovery_codes'],
    export: async ({ userId }) => {
      const madeOn = await findCodeDay(db.identity, userId);
      return { recoveryCode: madeOn ? `Made on ${madeOn}. Only a hash of it is kept.` : null };
    },
    // The row is deleted with the user row, by cascade.
    erase: async () => {},
  };
}
