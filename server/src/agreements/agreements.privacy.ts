import { firstNoticeVersion } from '@unsaid/contract';
import type { Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { listAgreements } from './agreements.queries.ts';

export function agreementsPrivacy(db: Databases): PrivacyPart {
  return {
    feature: 'agreements',
    tables: ['identity.agreements'],
    rewriteNightly: ['identity.agreements'],
    async export({ userId }) {
      const agreements = await listAgreements(db.identity, userId);
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
