import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { origin } from '../stage.ts';
import { expect, signUp, test as base, visit } from './fixtures.ts';
import { readCaches, readRelease, untilKept } from './kept.ts';

/** Stands before the real server, and can put another release in place, be slow, or be broken. */
interface Front {
  readonly origin: string;
  /** The same files under another name, which is all that a browser can tell. */
  version: string | null;
  pageDelayMs: number;
  isBroken: boolean;
}

const test = base.extend<{ front: Front }>({
  // oxlint-disable-next-line no-empty-pattern
  front: async ({}, use) => {
    const state = { version: null as string | null, pageDelayMs: 0, isBroken: false };
    const server = createServer((incoming, outgoing) => {
      const { 'accept-encoding': _, ...headers } = incoming.headers;
      const isPage = incoming.headers['sec-fetch-dest'] === 'document' || incoming.url === '/';
      if (state.isBroken && isPage) {
        outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
        return;
      }
      const passed = request(
        `${origin}${incoming.url}`,
        { method: incoming.method ?? 'GET', headers },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () => {
            let body = Buffer.concat(parts);
            const type = String(answer.headers['content-type']);
            if (state.version !== null && (type.startsWith('text/html') || incoming.url === '/sw.js')) {
              const text = body.toString('utf8');
              body = Buffer.from(
                text
                  .replace(/"version":"\w+"/u, `"version":"${state.version}"`)
                  .replace(/(<meta name="release" content=")\w+/u, `$1${state.version}`),
              );
            }
            const { 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = answer.headers;
            setTimeout(
              () => outgoing.writeHead(answer.statusCode ?? 500, kept).end(body),
              isPage ? state.pageDelayMs : 0,
            );
          });
        },
      );
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    });
    await new Promise<void>((done) => server.listen(0, 'localhost', done));
    const own = `http://localhost:${(server.address() as AddressInfo).port}`;
    await use(Object.assign(state, { origin: own }));
    server.closeAllConnections();
    server.close();
  },
  baseURL: async ({ front }, use) => use(front.origin),
});

test.afterEach(({ requests, front }) => {
  // It stands for our origin; nothing else may have been asked.
  requests.splice(0, requests.length, ...requests.map((url) => url.replace(front.origin, origin)));
});

const lookForUpdates = (page: Page) =>
  page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update();
  });

/** The newer worker is there, and the page has had a moment to learn of it. */
async function untilWaiting(page: Page): Promise<void> {
  await expect
    .poll(
      () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state),
      { timeout: 20_000 },
    )
    .toBe('installed');
  await page.waitForTimeout(500);
}

const offerOf = (page: Page) => page.getByText('A new version is ready.');

async function writeDraft(page: Page): Promise<void> {
  await page.getByLabel('Title').fill('Before the update');
  await page.getByLabel('Text', { exact: true }).fill('Half a thought');
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('half-typed');
}

async function expectDraft(page: Page): Promise<void> {
  await expect(page.getByLabel('Title')).toHaveValue('Before the update');
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue('Half a thought');
  await expect(page.getByText('#half-typed')).toBeVisible();
}

test('a new version asks before it comes, and keeps the draft and half a hashtag', async ({
  page,
  front,
}) => {
  test.setTimeout(120_000);
  await signUp(page);
  await page.goto('/vents');
  await untilKept(page);
  const { version } = await readRelease(page);
  await writeDraft(page);
  front.version = 'newer0000000';
  await lookForUpdates(page);
  await untilWaiting(page);
  // Not while somebody is writing.
  await expect(offerOf(page)).toHaveCount(0);
  await page.getByRole('heading', { level: 1 }).click();
  await expect(offerOf(page)).toBeVisible();
  // Nothing has changed under anybody's hands.
  await expect(page.getByLabel('Title')).toHaveValue('Before the update');
  expect((await readCaches(page)).caches.toSorted()).toEqual(
    [`unsaid-${version}`, 'unsaid-newer0000000'].toSorted(),
  );
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
  await expectDraft(page);
  await expect(offerOf(page)).toBeHidden();
  // The files of the version before are gone.
  await expect.poll(async () => (await readCaches(page)).caches).toEqual(['unsaid-newer0000000']);
});

test('it waits while words would be lost, goes away for Later, and a page of the new version needs no asking', async ({
  page,
  front,
}) => {
  test.setTimeout(120_000);
  await signUp(page);
  await untilKept(page);
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await page.getByRole('dialog').getByLabel('Bio').fill('Not saved yet');
  front.version = 'newer0000000';
  await lookForUpdates(page);
  await untilWaiting(page);
  await page.getByRole('dialog').getByLabel('Bio').press('End');
  await expect(offerOf(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByRole('heading', { level: 1 }).click();
  await expect(offerOf(page)).toBeVisible();
  await page.getByRole('button', { name: 'Later' }).click();
  await expect(offerOf(page)).toHaveCount(0);
  // What comes from the network is the new one, and the worker that waited takes over without a word.
  await page.reload();
  await expect(page.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
  await expect.poll(async () => (await readCaches(page)).caches).toEqual(['unsaid-newer0000000']);
  await expect(offerOf(page)).toHaveCount(0);
});

test('a tab of the version before goes on with its own files when another one has gone over', async ({
  page,
  context,
  front,
}) => {
  test.setTimeout(120_000);
  await signUp(page);
  await untilKept(page);
  const { version } = await readRelease(page);
  const other = await context.newPage();
  await visit(other, '/support');
  await expect(other.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  front.version = 'newer0000000';
  await lookForUpdates(page);
  await expect(offerOf(page)).toBeVisible({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect(page.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
  await expect(offerOf(other)).toBeVisible();
  await expect(other.locator('meta[name=release]')).toHaveAttribute('content', version);
  expect((await readCaches(other)).caches).toContain(`unsaid-${version}`);
  await other.getByRole('button', { name: 'Reload' }).click();
  await expect(other.locator('meta[name=release]')).toHaveAttribute('content', 'newer0000000');
  await other.close();
});

test('a page that is too slow or broken gives way to the one that was kept; a good one is always preferred', async ({
  page,
  front,
}) => {
  test.setTimeout(90_000);
  await visit(page, '/support');
  await untilKept(page);
  const { version } = await readRelease(page);
  const shown = () => page.locator('meta[name=release]').getAttribute('content');
  front.version = 'newer0000000';
  front.isBroken = true;
  await page.goto('/support');
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  expect(await shown()).toBe(version);
  front.isBroken = false;
  front.pageDelayMs = 12_000;
  const begun = Date.now();
  await page.goto('/support', { waitUntil: 'commit' });
  expect(Date.now() - begun).toBeLessThan(9000);
  expect(await shown()).toBe(version);
  front.pageDelayMs = 0;
  await page.goto('/support');
  expect(await shown()).toBe('newer0000000');

  // The same where a browser does not ask for the page ahead of the worker.
  await page.evaluate(async () => (await navigator.serviceWorker.ready).navigationPreload.disable());
  front.version = 'newest000000';
  await page.goto('/support');
  expect(await shown()).toBe('newest000000');
  front.isBroken = true;
  await page.goto('/support');
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
});
