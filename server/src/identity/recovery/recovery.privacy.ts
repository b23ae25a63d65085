import type { IdentityDb } from '../../platform/db.ts';
import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import { findCode } from './recovery.queries.ts';

export function recoveryPrivacy(db: IdentityDb): PrivacyPart {
  return {
    feature: 'recovery',
    tables: ['identity.recovery_codes'],
    erases: 'account',
    export: async ({ userId }) => {
      const code = await findCode(db, userId);
      return { recoveryCode: code ? `Made on ${code.madeOn}. Only a hash of it is kept.` : null };
    },
    // The row is deleted with the user row, by cascade.
    erase: async () => {},
  };
}
