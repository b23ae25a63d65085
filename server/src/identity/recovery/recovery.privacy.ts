import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import type { RecoveryService } from './recovery.ts';

export function recoveryPrivacy(recovery: RecoveryService): PrivacyPart {
  return {
    feature: 'recovery',
    tables: ['identity.recovery_codes'],
    erases: 'account',
    export: async ({ userId }) => {
      const { madeOn, replacedOn } = await recovery.describe(userId);
      return {
        recoveryCode: madeOn ? `Made on ${madeOn}. Only a hash of it is kept.` : null,
        replacedRecoveryCode: replacedOn
          ? `Replaced or cancelled on ${replacedOn}. Only a hash of it is kept.`
          : null,
        accountEvents: await recovery.listEvents(userId),
      };
    },
    // The row is deleted with the user row, by cascade.
    erase: async () => {},
  };
}
