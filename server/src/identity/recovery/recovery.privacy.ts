import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { RecoveryService } from './recovery.service.ts';

export function recoveryPrivacy(recovery: RecoveryService): PrivacyPart {
  return {
    feature: 'recovery',
    tables: ['identity.recovery_codes'],
    erases: 'account',
    export: async ({ userId }) => {
      const madeOn = await recovery.codeDay(userId);
      return { recoveryCode: madeOn ? `Made on ${madeOn}. Only a hash of it is kept.` : null };
    },
    // The row is deleted with the user row, by cascade.
    erase: async () => {},
  };
}
