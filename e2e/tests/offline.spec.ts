import type { Page } from '@playwright/test';
import { setUsername, signUp } from './api.ts';
import { expect, expectToast, logOut, newWord, openComposer, openSettings, test } from './fixtures.ts';
import { readCaches, readRelease, waitUntilCached } from './service-worker-cache.ts';
import { fullTier } from './tiers.ts';

test.use({ serviceWorkers: 'allow' });

// Chromium logs every request that failed for want of a connection.
test.beforeEach(({ complaints }) => complaints.expect(/ERR_INTERNET_DISCONNECTED/u));

async function writeDraft(page: Page, title: string): Promise<void> {
  await openComposer(page);
  await page.getByLabel('Title').fill(title);
  await page
    .getByLabel('Text', { exact: true })
    .fill('Half a thought, and then the train went into the tunnel.');
  await page.getByText('Anxious', { exact: true }).first().click();
}

test('offline, Support and the draft work, other pages say that there is no connection, and all comes back online', async ({
  page,
  context,
  complaints,
}) => {
  await signUp(page);
  await page.goto('/vents');
  const title = newWord('Tunnel');
  await writeDraft(page, title);
  await waitUntilCached(page);
  await context.setOffline(true);

  await page.goto('/');
  await expect(page.getByText("You're offline.")).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No internet right now' })).toBeVisible();
  await expect(page).toHaveTitle('No internet right now · Unsaid');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('button', { name: 'Retry' })).toBeEnabled();
  await expect(page.getByRole('heading', { name: 'No internet right now' })).toBeVisible();

  await page.goto('/support');
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Call 14416' })).toHaveAttribute('href', 'tel:14416');
  // The cached page has its policy.
  complaints.expect(/TrustedHTML/u);
  expect(
    await page.evaluate(() => {
      try {
        document.createElement('div').innerHTML = 'x';
        return 'assigned';
      } catch (error) {
        return (error as Error).name;
      }
    }),
  ).toBe('TypeError');

  await page.goto('/vents');
  await openComposer(page, /^Finish your draft/u);
  await expect(page.getByLabel('Title')).toHaveValue(title);
  await expect(page.getByText(/Failed to fetch vents/u)).toBeVisible();
  await page.getByLabel('Title').fill(`${title}, and out again`);
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(
    page.getByText("Failed to create vent. You're offline; your words are safe here."),
  ).toBeInViewport({ ratio: 1 });
  await page.reload();
  await openComposer(page);
  await expect(page.getByLabel('Title')).toHaveValue(`${title}, and out again`);
  await page.getByLabel('Title').focus();

  await context.setOffline(false);
  await expect(page.getByText("You're offline.")).toBeHidden();
  // The list loads by itself, and the focus stays where it is.
  await expect(page.getByText(/Failed to fetch vents/u)).toBeHidden();
  await expect(page.getByRole('banner').locator('img')).toBeVisible();
  await expect(page.getByLabel('Title')).toBeFocused();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expectToast(page, 'Vent created successfully!');
  await expect(page.getByRole('article').filter({ hasText: `${title}, and out again` })).toBeVisible();
});

test('a list that failed offline loads by itself when the network is back, also after a reload', async ({
  page,
  context,
}) => {
  await signUp(page);
  await page.goto('/vents');
  await expect(page.getByRole('article').first()).toBeVisible();
  await waitUntilCached(page);
  await context.setOffline(true);
  await page.reload();
  // Every retry is over.
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('article').first()).toBeVisible();
});

test(
  'a list that fails offline says so, and loads once online',
  fullTier('The journey with Support and the draft finds a list that stays failed.'),
  async ({ page, context }) => {
    await signUp(page);
    await page.goto('/');
    await waitUntilCached(page);
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Vent Page' }).click();
    await page.getByRole('link', { name: 'My Vents' }).click();
    await expect(page.getByText(/Failed to fetch your vents/u)).toBeVisible();
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByText(/Failed to fetch your vents/u)).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText("You haven't created any vents yet.")).toBeVisible();
  },
);

test(
  'logging out removes the draft, also from what is shown offline',
  fullTier('security.spec.ts finds what a log-out leaves; "logging out works offline" finds a draft.'),
  async ({ page, context }) => {
    await signUp(page);
    await page.goto('/vents');
    await writeDraft(page, 'Mine alone');
    await waitUntilCached(page);
    await logOut(page);
    await context.setOffline(true);
    await page.goto('/vents');
    await expect(page).toHaveURL('/login');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/Mine|Half|account/u);
  },
);

test('logging out works offline', async ({ page, context }) => {
  await signUp(page);
  await page.goto('/vents');
  await writeDraft(page, 'Mine alone');
  await waitUntilCached(page);
  await context.setOffline(true);
  await page.goto('/');
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL('/login');
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/uns_|Mine|account/u);
  await page.goto('/vents');
  await expect(page).toHaveURL('/login');
});

test('the service worker’s cache holds the files of the release and nothing that a person wrote', async ({
  page,
}) => {
  await signUp(page);
  const name = await setUsername(page);
  await page.goto('/');
  await waitUntilCached(page);
  const title = newWord('Canary');
  await page.goto('/vents');
  await writeDraft(page, title);
  await page.getByRole('button', { name: 'Post vent' }).click();
  const vent = page.getByRole('article').filter({ hasText: title });
  await expect(vent).toBeVisible();
  await vent.getByRole('link', { name: title }).click();
  await expect(page.getByRole('button', { name: 'Delete Vent', exact: true })).toBeVisible();
  await page.goto('/myvents');
  await expect(page.getByRole('article').filter({ hasText: title })).toBeVisible();
  await openSettings(page);
  await expect(page.getByText('This device', { exact: true })).toBeVisible();
  await page.goto('/dev/outbox');
  await page.goto('/');
  await expect(page.getByRole('heading', { name })).toBeVisible();

  const { version, core, rest } = await readRelease(page);
  const token = await page.evaluate(() => localStorage.getItem('unsaid.token'));
  // An English reader has no file of another language.
  const cache = await readCaches(page);
  expect(cache.caches).toEqual([`unsaid-${version}`]);
  expect(cache.paths.toSorted()).toEqual([...core, ...rest].toSorted());
  expect(cache.paths.filter((path) => /^\/(?:api|avatars|dev)/u.test(path))).toEqual([]);
  for (const secret of [title, name, 'into the tunnel', token ?? 'uns_']) {
    expect(cache.text).not.toContain(secret);
  }
});
