import type { Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { findCode } from './recovery.queries.ts';

export function recoveryPrivacy(db: Databases): PrivacyPart {
  return {
    feature: 'recovery',
    tables: ['identity.recovery_codes'],
    rewriteNightly: ['identity.recovery_codes'],
    export: async ({ userId }) => {
      const code = await findCode(db.identity, userId);
      return { recoveryCode: code ? `Made on ${code.madeOn}. Only a hash of it is kept.` : null };
    },
    // The row is deleted with the user row, by cascade.
    erase: async () => {},
  };
}
