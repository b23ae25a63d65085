import type { Page } from '@playwright/test';
import { expect, logOut, newUsername, signUp, test, visit } from './fixtures.ts';
import { readCaches, readRelease, untilKept } from './kept.ts';

/** The browser itself remarks on every request that had nowhere to go. */
test.afterEach(({ complaints }) => {
  complaints.splice(
    0,
    complaints.length,
    ...complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED|requires 'TrustedHTML'/u.test(text)),
  );
});

async function writeDraft(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title);
  await page
    .getByLabel('Text', { exact: true })
    .fill('Half a thought, and then the train went into the tunnel.');
  await page.getByText('Anxious', { exact: true }).first().click();
}

test('it can be installed: a manifest, icons of every kind, a worker that is always asked for anew', async ({
  page,
  context,
}) => {
  await visit(page, '/login');
  const devtools = await context.newCDPSession(page);
  const { errors } = await devtools.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  await expect
    .poll(async () => (await devtools.send('Page.getInstallabilityErrors')).installabilityErrors)
    // What a test runs in is always one of those.
    .toEqual([{ errorId: 'in-incognito', errorArguments: [] }]);
  const answer = await page.request.get('/manifest.webmanifest');
  expect(answer.headers()['content-type']).toContain('application/manifest+json');
  const { icons } = (await answer.json()) as { icons: { src: string; sizes: string; type: string }[] };
  for (const { src, sizes, type } of icons) {
    const picture = await page.request.get(src);
    expect(picture.headers()['content-type'], src).toContain(type);
    if (type !== 'image/png') continue;
    const bytes = await picture.body();
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, src).toBe(sizes);
  }
  const worker = await page.request.get('/sw.js');
  expect(worker.headers()['cache-control']).toBe('no-cache');
  expect(worker.headers()['content-security-policy']).toBe(
    "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
  );
});

test('without a connection: support is whole, the draft is there, other pages say so calmly, and it all comes back', async ({
  page,
  context,
}) => {
  test.setTimeout(120_000);
  await signUp(page);
  await page.goto('/vents');
  const title = `Tunnel ${Date.now().toString(36)}`;
  await writeDraft(page, title);
  await untilKept(page);
  await context.setOffline(true);

  await page.goto('/');
  await expect(page.getByText('You are offline.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No connection just now' })).toBeVisible();
  await expect(page).toHaveTitle('No connection just now · Unsaid');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('button', { name: 'Retry' })).toBeEnabled();
  await expect(page.getByRole('heading', { name: 'No connection just now' })).toBeVisible();

  await page.goto('/support');
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Call 14416' })).toHaveAttribute('href', 'tel:14416');
  // The policy came out of the cache with the page.
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
  await expect(page.getByLabel('Title')).toHaveValue(title);
  await expect(page.getByText(/Failed to fetch vents/u)).toBeVisible({ timeout: 20_000 });
  await page.getByLabel('Title').fill(`${title}, and out again`);
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByText('What you wrote stays here until it is said.')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Title')).toHaveValue(`${title}, and out again`);
  await page.getByLabel('Title').focus();

  await context.setOffline(false);
  await expect(page.getByText('You are offline.')).toBeHidden();
  // The list comes by itself, and whoever is writing is not disturbed.
  await expect(page.getByText(/Failed to fetch vents/u)).toBeHidden({ timeout: 20_000 });
  await expect(page.getByRole('button', { name: 'Account menu' })).toBeVisible();
  await expect(page.getByLabel('Title')).toBeFocused();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByText('Vent created successfully!')).toBeVisible();
  await expect(page.getByRole('article').filter({ hasText: `${title}, and out again` })).toBeVisible();
});

test('a list that could not be had says so, and Retry brings it', async ({ page, context }) => {
  await signUp(page);
  await untilKept(page);
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Vent Page' }).click();
  await page.getByRole('link', { name: 'My Vents' }).click();
  await expect(page.getByText(/Failed to fetch your vents/u)).toBeVisible({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText(/Failed to fetch your vents/u)).toBeVisible({ timeout: 20_000 });
  await context.setOffline(false);
  await expect(page.getByText("You haven't created any vents yet.")).toBeVisible({ timeout: 20_000 });
});

test('offline, a draft is shown to nobody who is not signed in, and none is left after logging out', async ({
  page,
  context,
}) => {
  await signUp(page);
  await page.goto('/vents');
  await writeDraft(page, 'Mine alone');
  await untilKept(page);
  await logOut(page);
  await context.setOffline(true);
  await page.goto('/vents');
  await expect(page).toHaveURL('/login');
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/Mine|Half|account/u);
});

test('a phone can be handed back without a connection: logging out does not need one', async ({
  page,
  context,
}) => {
  await signUp(page);
  await page.goto('/vents');
  await writeDraft(page, 'Mine alone');
  await untilKept(page);
  await context.setOffline(true);
  await page.goto('/');
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL('/login');
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/uns_|Mine|account/u);
  await page.goto('/vents');
  await expect(page).toHaveURL('/login');
});

test('after a journey the cache holds the files of the release, all of them, and nothing that anybody said', async ({
  page,
}) => {
  test.setTimeout(90_000);
  await signUp(page);
  const name = newUsername();
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await page.getByRole('dialog').getByLabel('Username').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await untilKept(page);
  const title = `Canary ${Date.now().toString(36)}`;
  await page.goto('/vents');
  await writeDraft(page, title);
  await page.getByRole('button', { name: 'Post vent' }).click();
  const vent = page.getByRole('article').filter({ hasText: title });
  await expect(vent).toBeVisible();
  await vent.getByRole('link', { name: title }).click();
  await expect(page.getByRole('button', { name: 'Delete Vent', exact: true })).toBeVisible();
  await page.goto('/myvents');
  await expect(page.getByRole('article').filter({ hasText: title })).toBeVisible();
  await page.goto('/settings');
  await expect(page.getByText('This device', { exact: true })).toBeVisible();
  await page.goto('/dev/outbox');
  await page.goto('/');
  await expect(page.getByRole('heading', { name })).toBeVisible();

  const { version, core, rest } = await readRelease(page);
  const token = await page.evaluate(() => localStorage.getItem('unsaid.token'));
  const kept = await readCaches(page);
  expect(kept.caches).toEqual([`unsaid-${version}`]);
  expect(kept.paths.toSorted()).toEqual([...core, ...rest].toSorted());
  expect(kept.paths.filter((path) => /^\/(?:api|avatars|dev)/u.test(path))).toEqual([]);
  for (const secret of [title, name, 'into the tunnel', token ?? 'uns_']) {
    expect(kept.text).not.toContain(secret);
  }
});
