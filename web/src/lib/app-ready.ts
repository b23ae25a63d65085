/**
 * The start of the application: when the first page is rendered, and when its content is shown. What nobody sees yet
 * waits for that, so that a slow phone spends its connection and its processor on the content.
 */
const longestWaitMs = 5000;

let isRendered = false;
/** Skeletons on screen. */
let skeletons = 0;
let announceContent: () => void;
// Not `Promise.withResolvers`, which Chrome has since 119.
const content = new Promise<void>((resolve) => (announceContent = resolve));

/** Tells `boot.js` that the first page is rendered. The splash then ends, except on the first start on a device. */
export function announceReady(): void {
  isRendered = true;
  window.dispatchEvent(new Event('unsaid:ready'));
  checkContent();
}

/** For each skeleton, as an effect: until the last one is gone, the content of the first page is not there. */
export function holdContent(): () => void {
  skeletons += 1;
  return () => {
    skeletons -= 1;
    checkContent();
  };
}

/** After the frame that shows what has just changed: also for what a press starts and nobody waits for. */
export function afterPaint(work: () => void): void {
  requestAnimationFrame(() => setTimeout(work));
}

function checkContent(): void {
  const isShown = () => isRendered && skeletons === 0;
  if (isShown()) afterPaint(() => isShown() && announceContent());
}

/** Resolves once the first content is shown, or an error in its place. */
export const contentShown = (): Promise<void> => content;

let longestWait: Promise<unknown> | undefined;

/**
 * Resolves once the first content is shown, or after five seconds without it, as soon as the browser is idle. Everything
 * that can wait starts here: service worker, live connection, preloads.
 */
export async function afterFirstContent(): Promise<void> {
  longestWait ??= new Promise((done) => setTimeout(done, longestWaitMs));
  await Promise.race([content, longestWait]);
  // Safari has no idle callbacks.
  await new Promise((done) =>
    'requestIdleCallback' in window ? requestIdleCallback(done, { timeout: 2000 }) : setTimeout(done, 200),
  );
}
