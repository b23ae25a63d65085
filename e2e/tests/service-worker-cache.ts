import { expect, type Page } from '@playwright/test';

interface CacheContent {
  readonly caches: readonly string[];
  readonly paths: readonly string[];
  /** Where the responses came from. */
  readonly addresses: readonly string[];
  readonly text: string;
}

/** Everything that Cache Storage holds. */
export async function readCaches(page: Page): Promise<CacheContent> {
  return page.evaluate(async () => {
    const names = await caches.keys();
    const paths: string[] = [];
    const addresses: string[] = [];
    let text = '';
    for (const name of names) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const { pathname, search } = new URL(request.url);
        paths.push(pathname + search);
        const response = await cache.match(request);
        addresses.push(response?.url ?? '');
        text += await response?.text();
      }
    }
    return { caches: names, paths, addresses, text };
  });
}

interface Release {
  readonly version: string;
  readonly core: readonly string[];
  readonly rest: readonly string[];
  /** Beyond `rest`, for readers of these. */
  readonly languages: Readonly<Record<string, readonly string[]>>;
}

export async function readRelease(page: Page): Promise<Release> {
  const script = await (await page.request.get('/sw.js')).text();
  return JSON.parse(/= (\{"version".*\});/u.exec(script)?.[1] ?? '{}') as Release;
}

/** The service worker controls the page and has cached all files of the release: the page works offline. */
export async function waitUntilCached(page: Page): Promise<void> {
  const { core, rest } = await readRelease(page);
  await expect
    .poll(async () => {
      const isControlled = await page.evaluate(() => navigator.serviceWorker.controller !== null);
      return isControlled ? (await readCaches(page)).paths.length : 0;
    })
    .toBe(core.length + rest.length);
}
