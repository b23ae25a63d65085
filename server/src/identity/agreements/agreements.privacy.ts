import { firstNoticeVersion } from '@unsaid/contract';
import type { IdentityDb } from '../../platform/db.ts';
import type { PrivacyPart } from '../../kernel/privacy-registry.ts';
import { listAgreements } from './agreements.queries.ts';

export function agreementsPrivacy(db: IdentityDb): PrivacyPart {
  return {
    feature: 'agreements',
    tables: ['identity.agreements'],
    erases: 'account',
    async export({ userId }) {
      const agreements = await listAgreements(db, userId);
      return {
        privacyNotice:
          agreements.length > 0
            ? agreements
            : [{ version: firstNoticeVersion, agreedOn: 'when you signed up' }],
      };
    },
    // Deleted with the user row, by cascade.
    erase: async () => {},
  };
}
