import { logout } from '@unsaid/contract';
import { apiCall } from '../lib/api-client.ts';
import { flushPendingSends } from '../lib/pending-sends.ts';
import { endSession } from '../lib/session.ts';

/**
 * Logs out on the server, and clears local data without waiting for the response: on a shared phone, log-out
 * must not depend on the network.
 */
export async function logOut(): Promise<void> {
  // Before the token is gone: they could not be sent later.
  flushPendingSends();
  const told = apiCall(logout, { keepalive: true });
  endSession('logout');
  await told.catch(() => undefined);
}
