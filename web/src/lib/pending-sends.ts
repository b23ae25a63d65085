/**
 * What waits a few seconds to be sent so that it can be undone: a deleted comment, an answer to a match. It is
 * sent at once when the page closes and at log-out.
 */
export const pendingSends = new Set<() => void>();

export function flushPendingSends(): void {
  for (const flush of [...pendingSends]) flush();
}

window.addEventListener('pagehide', flushPendingSends);
// Chrome on Android freezes background tabs, and may discard them without another event.
document.addEventListener('freeze', flushPendingSends);
