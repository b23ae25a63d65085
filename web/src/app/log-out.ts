import { logout } from '@unsaid/contract';
import { apiCall } from '../lib/api-client.ts';
import { endSession } from '../lib/session.ts';

/**
 * Tells the server, and forgets everything here without waiting for its answer:
 * whoever hands a phone back must not depend on the network for it.
 */
export async function logOut(): Promise<void> {
  const told = apiCall(logout, { keepalive: true });
  endSession('logout');
  await told.catch(() => undefined);
}
