/**
 * What waits a few seconds to be sent so that it can be undone: a deleted comment, an answer to a match. It is
 * sent at once when the page closes or is left for another app, and at log-out.
 */
export const pendingSends = new Set<() => unknown>();

/** Sends all now. Resolves when each has its response or has failed; undefined without any. */
export function flushPendingSends(): Promise<unknown> | undefined {
  const sent = [...pendingSends].map((flush) => flush());
  return sent.length === 0 ? undefined : Promise.allSettled(sent);
}

window.addEventListener('pagehide', () => void flushPendingSends());
// A phone with little memory may end a browser in the background without another event.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void flushPendingSends();
});
