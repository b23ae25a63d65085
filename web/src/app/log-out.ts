import { logout } from '@unsaid/contract';
import { apiCall } from '../lib/api-client.ts';
import { flushPendingSends } from '../lib/pending-sends.ts';
import { endSession } from '../lib/session.ts';

/** What is still to be sent delays the log-out on the server by this at most. */
const maxWaitMs = 3000;

/** The page may close meanwhile: that ends the wait, and the session. */
function waitFor(sent: Promise<unknown>): Promise<unknown> {
  const closing = new Promise((done) => window.addEventListener('pagehide', done, { once: true }));
  return Promise.race([sent, closing, new Promise((done) => setTimeout(done, maxWaitMs))]);
}

/**
 * Logs out on the server, and clears local data without waiting for the response: on a shared phone, log-out
 * must not depend on the network.
 */
export async function logOut(): Promise<void> {
  // Before the token is gone: they could not be sent later. The server must not end the session before it has
  // them: with several processes, the log-out can overtake them.
  const sent = flushPendingSends();
  const told = apiCall(logout, { keepalive: true, after: sent && waitFor(sent) });
  endSession('logout');
  await told.catch(() => undefined);
}
