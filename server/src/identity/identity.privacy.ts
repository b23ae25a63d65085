import type { IdentityDb } from '../platform/db.ts';
import type { PrivacyPart } from '../kernel/privacy-registry.ts';
import { countDevices } from './accounts/accounts.queries.ts';
import type { SessionsService } from './sessions/sessions.ts';

export function authPrivacy(db: IdentityDb, sessions: SessionsService): PrivacyPart {
  return {
    feature: 'signIn',
    tables: [
      'identity.phone_index',
      // Numbers of accounts that no longer exist.
      'identity.held_numbers',
      'identity.sessions',
      'identity.devices',
      // Rows that a job could not do, by a hash.
      'identity.failed_rows',
      'identity.data_keys',
    ],
    erases: 'account',
    async export({ userId }) {
      return {
        phoneNumber: 'Not stored. We keep a keyed hash that only a right code can be matched with.',
        sessions: await sessions.listOf(userId),
        rememberedDevices: await countDevices(db, userId),
      };
    },
    // Sessions end first. The phone index and the devices are deleted with the user row, by cascade.
    erase: ({ userId }) => sessions.revokeAll(userId),
  };
}
