import { createStore } from './store.ts';

/** Whether a newer release is available after a reload. */
const isOffered = createStore(false);
export const useNewRelease = isOffered.useValue;
export const offerRelease = (): void => isOffered.set(true);
export const dismissRelease = (): void => isOffered.set(false);

/** Written into the page by the build. */
export const ownRelease = (): string | undefined =>
  document.querySelector<HTMLMetaElement>('meta[name=release]')?.content;

/**
 * After a file did not load: the server may have a newer release, and not that file any more. The reload is then offered.
 * The page never reloads by itself, because a text may be half written.
 */
export async function checkRelease(): Promise<void> {
  const own = ownRelease();
  if (own === undefined || !navigator.onLine) return;
  try {
    // Not `/`, which the service worker answers from its cache.
    const page = await (await fetch('/?release', { credentials: 'omit', cache: 'no-store' })).text();
    const [, current] = /<meta name="release" content="(\w+)"/u.exec(page) ?? [];
    if (current !== undefined && current !== own) offerRelease();
  } catch {
    // Nobody can tell: the next failure asks again.
  }
}
