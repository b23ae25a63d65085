import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { testEnv } from '../test-env.ts';
import { signUp } from './api.ts';
import { expect, expectToast, openComposer, test as base } from './fixtures.ts';
import { readCaches, readRelease, waitUntilCached } from './service-worker-cache.ts';
import { fullTier } from './tiers.ts';

/** A proxy in front of the real server, which can deliver another release, be slow, or fail. */
interface Gateway {
  readonly origin: string;
  /** The name of the release in place of its own; the files stay the same. */
  version: string | null;
  /** Pages, as opposed to other files, are answered when this is resolved. */
  pages: Promise<void>;
  isBroken: boolean;
  /** Written into each page. */
  meta: string;
  /** Files that the server does not have. */
  gone: RegExp | null;
}

const test = base.extend<{ gateway: Gateway }>({
  // oxlint-disable-next-line no-empty-pattern
  gateway: async ({}, use) => {
    const state = {
      version: null as string | null,
      pages: Promise.resolve(),
      isBroken: false,
      meta: '',
      gone: null as RegExp | null,
    };
    const server = createServer((incoming, outgoing) => {
      const { 'accept-encoding': _, ...headers } = incoming.headers;
      const isPage = incoming.headers['sec-fetch-dest'] === 'document' || incoming.url === '/';
      if (state.isBroken && isPage) {
        outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
        return;
      }
      if (state.gone?.test(incoming.url ?? '')) {
        outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{}');
        return;
      }
      const passed = request(`${testEnv.origin}${incoming.url}`, {
        method: incoming.method ?? 'GET',
        headers,
      });
      passed.on('response', (response) => void answer(response));
      const answer = async (response: IncomingMessage) => {
        let body = Buffer.concat(await response.toArray());
        const type = String(response.headers['content-type']);
        if (state.version !== null && (type.startsWith('text/html') || incoming.url === '/sw.js')) {
          const text = body
            .toString('utf8')
            .replace(/"version":"\w+"/u, `"version":"${state.version}"`)
            .replace(/(<meta name="release" content=")\w+/u, `$1${state.version}`);
          body = Buffer.from(text);
        }
        if (type.startsWith('text/html'))
          body = Buffer.from(body.toString('utf8').replace('<title>', `${state.meta}<title>`));
        const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = response.headers;
        if (isPage) await state.pages;
        outgoing.writeHead(response.statusCode ?? 500, rest).end(body);
      };
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    });
    await new Promise<void>((done) => server.listen(0, 'localhost', done));
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    await use(Object.assign(state, { origin }));
    server.closeAllConnections();
    server.close();
  },
  baseURL: async ({ gateway }, use) => use(gateway.origin),
});

test.use({ serviceWorkers: 'allow' });

// The proxy passes no WebSocket. A slow page lives long enough to try one.
test.beforeEach(({ complaints }) => complaints.expect(/WebSocket connection/u));

const checkForUpdate = (page: Page) =>
  page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update();
  });

/** The newer service worker is waiting, and has answered the page's question for its release. */
async function waitForNewerRelease(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state))
    .toBe('installed');
  await page.evaluate(async () => {
    const worker = (await navigator.serviceWorker.getRegistration())?.waiting;
    // The page asked before; answers come in order.
    const answer = new Promise((done) => navigator.serviceWorker.addEventListener('message', done));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker?.postMessage('version');
    await answer;
  });
}

const offer = (page: Page) => page.getByText('A new version is ready.');

async function writeDraft(page: Page): Promise<void> {
  await openComposer(page);
  await page.getByLabel('Title').fill('Before the update');
  await page.getByLabel('Text', { exact: true }).fill('Half a thought');
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('half-typed');
}

async function expectDraft(page: Page): Promise<void> {
  await openComposer(page);
  await expect(page.getByLabel('Title')).toHaveValue('Before the update');
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue('Half a thought');
  await expect(page.getByText('#half-typed')).toBeVisible();
}

test('a newer release in the middle of a visit strands nobody: what is gone leads to the offer of a reload', async ({
  page,
  gateway,
  complaints,
}) => {
  complaints.expect(/404|dynamically imported|ServiceWorker/u);
  // No service worker has kept the files of the first release.
  gateway.gone = /\/sw\.js/u;
  await signUp(page);
  await page.goto('/vents');
  const comments = page
    .getByRole('article')
    .first()
    .getByRole('button', { name: /^Comments/u });
  await expect(comments).toBeVisible();
  gateway.version = 'newer0000000';
  gateway.gone = /\/sw\.js|\/assets\/vent-dialogs-/u;
  await comments.click();
  await expectToast(page, "That didn't work. Try again.");
  await expect(offer(page)).toBeVisible();
  gateway.gone = /\/sw\.js/u;
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
  await comments.click();
  await expect(page.getByRole('dialog')).toBeVisible();
});

test.describe(
  'a new release',
  fullTier('An update that loses a draft is found before the next release.'),
  () => {
    test('a new version is offered, and reloading keeps the draft and a half-typed hashtag', async ({
      page,
      gateway,
    }) => {
      await signUp(page);
      await page.goto('/vents');
      await waitUntilCached(page);
      const { version } = await readRelease(page);
      await writeDraft(page);
      gateway.version = 'newer0000000';
      await checkForUpdate(page);
      await waitForNewerRelease(page);
      // Not while a person is writing.
      await expect(offer(page)).toHaveCount(0);
      await page.getByRole('heading', { level: 1 }).click();
      await expect(offer(page)).toBeVisible();
      // The page is still the old one.
      await expect(page.getByLabel('Title')).toHaveValue('Before the update');
      expect((await readCaches(page)).caches.toSorted()).toEqual(
        [`unsaid-${version}`, 'unsaid-newer0000000'].toSorted(),
      );
      await page.getByRole('button', { name: 'Reload' }).click();
      await expect(page.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
      await expectDraft(page);
      await expect(offer(page)).toBeHidden();
      // The files of the old version are deleted.
      await expect.poll(async () => (await readCaches(page)).caches).toEqual(['unsaid-newer0000000']);
    });

    test('the offer waits while text would be lost, goes away for Later, and a reload needs no offer', async ({
      page,
      gateway,
    }) => {
      await signUp(page);
      await page.goto('/');
      await waitUntilCached(page);
      await page.getByRole('button', { name: 'Update Profile' }).click();
      await page.getByRole('dialog').getByLabel('Bio').fill('Not saved yet');
      gateway.version = 'newer0000000';
      await checkForUpdate(page);
      await waitForNewerRelease(page);
      await page.getByRole('dialog').getByLabel('Bio').press('End');
      await expect(offer(page)).toHaveCount(0);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
      await page.getByRole('heading', { name: 'Latest Vents' }).click();
      await expect(offer(page)).toBeVisible();
      await page.getByRole('button', { name: 'Later' }).click();
      await expect(offer(page)).toHaveCount(0);
      // The page from the network is the new one, and the waiting service worker takes over.
      await page.reload();
      await expect(page.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
      await expect.poll(async () => (await readCaches(page)).caches).toEqual(['unsaid-newer0000000']);
      await expect(offer(page)).toHaveCount(0);
    });

    test('a tab of the old version keeps its files after another tab has changed to the new one', async ({
      page,
      context,
      gateway,
    }) => {
      await signUp(page);
      await page.goto('/');
      await waitUntilCached(page);
      const { version } = await readRelease(page);
      const other = await context.newPage();
      await other.goto('/support');
      await expect(other.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
      gateway.version = 'newer0000000';
      await checkForUpdate(page);
      await expect(offer(page)).toBeVisible();
      await page.getByRole('button', { name: 'Reload' }).click();
      await expect(page.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
      await expect(offer(other)).toBeVisible();
      await expect(other.locator('meta[name=release]')).toHaveAttribute('content', version);
      expect((await readCaches(other)).caches).toContain(`unsaid-${version}`);
      await other.getByRole('button', { name: 'Reload' }).click();
      await expect(other.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
      await other.close();
    });

    test('the cached page is shown at once, whatever the network does, and that of a newer release one visit later', async ({
      page,
      gateway,
    }) => {
      await page.goto('/support');
      await waitUntilCached(page);
      const { version } = await readRelease(page);
      const shown = () => page.locator('meta[name=release]').getAttribute('content');
      const heading = page.getByRole('heading', { name: 'Support', level: 1 });
      gateway.version = 'newer0000000';
      gateway.isBroken = true;
      await page.goto('/support');
      await expect(heading).toBeVisible();
      expect(await shown()).toBe(version);
      gateway.isBroken = false;
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      gateway.pages = held;
      await page.goto('/support');
      // The page of the network is not there before this.
      await expect(heading).toBeVisible();
      expect(await shown()).toBe(version);
      release();
      const isNewer = async () => {
        await page.goto('/support');
        return shown();
      };
      await expect.poll(isNewer).toBe('newer0000000');

      // A page of another release was seen: a broken one does not replace what is cached.
      gateway.isBroken = true;
      await page.goto('/support');
      await expect(heading).toBeVisible();

      // The same without navigation preload.
      gateway.isBroken = false;
      await expect.poll(isNewer).toBe('newer0000000');
      await expect.poll(async () => (await readCaches(page)).caches).toEqual(['unsaid-newer0000000']);
      await page.evaluate(async () => (await navigator.serviceWorker.ready).navigationPreload.disable());
      gateway.version = 'newest000000';
      await page.goto('/support');
      expect(await shown()).toBe('newer0000000');
      await expect.poll(isNewer).toBe('newest000000');
    });

    test('what the server tells in the page of the same release is there one visit later', async ({
      page,
      gateway,
    }) => {
      await page.goto('/support');
      await waitUntilCached(page);
      gateway.meta = '<meta name="data-lost" content="2026-11-15T09:00:00Z/2026-11-15T10:00:00Z" />';
      await page.goto('/support');
      await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
      await expect
        .poll(async () => {
          await page.goto('/support');
          return page.locator('meta[name=data-lost]').count();
        })
        .toBe(1);
      // The address of the page is not in the cache.
      expect((await readCaches(page)).addresses.filter((url) => url.endsWith('/support'))).toEqual([]);
    });
  },
);
