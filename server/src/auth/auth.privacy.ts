import type { Databases } from '../platform/db.ts';
import type { PrivacyPart } from '../privacy/privacy.registry.ts';
import { countDevices } from './accounts.queries.ts';
import { listSessionsOf } from './sessions.queries.ts';
import type { SessionsService } from './sessions.service.ts';

export function authPrivacy(db: Databases, sessions: SessionsService): PrivacyPart {
  return {
    feature: 'signIn',
    tables: [
      'identity.phone_index',
      'identity.sessions',
      'identity.devices',
      // Numbers of keys, and nobody's.
      'identity.phone_keys',
    ],
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
    // Sign-in dies first; the rows of the number and the devices go with the account's own.
    erase: ({ userId }) => sessions.revokeAll(userId),
  };
}
