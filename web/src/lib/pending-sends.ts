/**
 * What waits a few seconds to be sent so that it can be undone: a deleted comment, an answer to a match. It is
 * sent at once when the page closes or is left for another app, and at log-out.
 */
export const pendingSends = new Set<() => void>();

export function flushPendingSends(): void {
  for (const flush of [...pendingSends]) flush();
}

window.addEventListener('pagehide', flushPendingSends);
// A phone with little memory may end a browser in the background without another event.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') flushPendingSends();
});
