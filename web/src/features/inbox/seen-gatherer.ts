/** On screen for this long counts as seen. Scrolling past does not. */
export const seenAfterMs = 1000;
/** Lines that are seen at about the same time are sent together. */
const batchMs = 200;

/**
 * Gathers what was on screen: each element that was in view for a second, in a visible tab. `onSeen` gets their keys, each
 * once.
 */
export function createSeenGatherer(onSeen: (keys: string[]) => void) {
  const keys = new Map<Element, string>();
  const timers = new Map<Element, ReturnType<typeof setTimeout>>();
  const inView = new Set<Element>();
  const told = new Set<string>();
  let batch: string[] = [];
  let sending: ReturnType<typeof setTimeout> | undefined;

  const send = () => {
    clearTimeout(sending);
    sending = undefined;
    const seen = batch.filter((key) => !told.has(key));
    batch = [];
    for (const key of seen) told.add(key);
    if (seen.length > 0) onSeen(seen);
  };
  const add = (key: string) => {
    batch.push(key);
    sending ??= setTimeout(send, batchMs);
  };

  const start = (element: Element) => {
    const key = keys.get(element);
    if (key === undefined || told.has(key) || timers.has(element) || document.visibilityState !== 'visible')
      return;
    timers.set(
      element,
      setTimeout(() => add(key), seenAfterMs),
    );
  };
  const stop = (element: Element) => {
    clearTimeout(timers.get(element));
    timers.delete(element);
  };

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inView.add(target);
        else inView.delete(target);
        (isIntersecting ? start : stop)(target);
      }
    },
    // Not visible behind the bars at the top and bottom of the screen.
    { threshold: 0.5, rootMargin: '-64px 0px' },
  );
  const onVisibility = () => {
    for (const element of inView) (document.visibilityState === 'visible' ? start : stop)(element);
  };

  return {
    open(): void {
      document.addEventListener('visibilitychange', onVisibility);
      for (const element of keys.keys()) observer.observe(element);
    },
    /** Returns a function that ends it. */
    observe(element: Element, key: string): () => void {
      keys.set(element, key);
      observer.observe(element);
      return () => {
        observer.unobserve(element);
        stop(element);
        inView.delete(element);
        keys.delete(element);
      };
    },
    /** Sends what was seen. */
    close(): void {
      observer.disconnect();
      document.removeEventListener('visibilitychange', onVisibility);
      for (const element of timers.keys()) stop(element);
      inView.clear();
      send();
    },
  };
}

export type SeenGatherer = ReturnType<typeof createSeenGatherer>;
