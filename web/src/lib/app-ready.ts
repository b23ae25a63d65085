/** Tells `boot.js` that the first page is rendered. The splash then ends, except on the first start on a device. */
export function announceReady(): void {
  window.dispatchEvent(new Event('unsaid:ready'));
}
