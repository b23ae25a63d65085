import type { Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { countDevices } from './accounts/accounts.queries.ts';
import { listSessionsOf } from './sessions/sessions.queries.ts';
import type { SessionsService } from './sessions/sessions.service.ts';

export function authPrivacy(db: Databases, sessions: SessionsService): PrivacyPart {
  return {
    feature: 'signIn',
    tables: [
      'identity.phone_index',
      // Numbers of accounts that no longer exist.
      'identity.held_numbers',
      'identity.sessions',
      'identity.devices',
      // Ids of index keys: no personal data.
      'identity.phone_keys',
    ],
    // The flush of last-seen days updates sessions itself.
    rewriteNightly: ['identity.phone_index', 'identity.devices'],
    async export({ userId }) {
      const rows = await listSessionsOf(db.identity, userId);
      return {
        phoneNumber: 'Not stored. We keep a keyed hash that only a right code can be matched with.',
        sessions: rows.map(({ label, createdOn, lastSeenOn, endsOn }) => ({
          label,
          createdOn,
          lastSeenOn,
          endsOn,
        })),
        rememberedDevices: await countDevices(db.identity, userId),
      };
    },
    // Sessions end first. The phone index and the devices are deleted with the user row, by cascade.
    erase: ({ userId }) => sessions.revokeAll(userId),
  };
}
