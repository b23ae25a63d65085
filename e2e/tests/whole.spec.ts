import type { Page } from '@playwright/test';
import { expect, logOut, signUp, test, visit } from './fixtures.ts';

async function writeVent(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('Said at last.\n\nAnd then it was morning.');
  await page.getByText('Sad', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByText('Vent created successfully!')).toBeVisible();
}

/** How far things have moved by themselves since the page began. */
async function readShifts(page: Page): Promise<{ total: number; what: string[] }> {
  return page.evaluate(
    () =>
      new Promise<{ total: number; what: string[] }>((done) => {
        let total = 0;
        const what: string[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, hadRecentInput, sources } = entry as unknown as {
              value: number;
              hadRecentInput: boolean;
              sources: { node: Element | null }[];
            };
            if (hadRecentInput) continue;
            total += value;
            what.push(`${value.toFixed(4)} ${sources.map(({ node }) => node?.nodeName).join(' ')}`);
          }
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => done({ total, what }), 500);
      }),
  );
}

for (const width of [390, 1280]) {
  test(`nothing jumps while /login and /vents come, at ${width} px`, async ({ page }) => {
    test.setTimeout(90_000);
    await page.setViewportSize({ width, height: 800 });
    await visit(page, '/login');
    await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
    await page.waitForTimeout(1000);
    const login = await readShifts(page);
    expect(login.total, login.what.join('\n')).toBeLessThanOrEqual(0.02);

    await signUp(page);
    await page.goto('/vents');
    await writeVent(page, `Still ${Date.now().toString(36)}`);
    // As slow as it may be where this is read.
    await page.route('**/api/**', async (route) => {
      await new Promise((done) => setTimeout(done, 700));
      await route.continue();
    });
    await page.goto('/vents');
    await expect(page.getByRole('article').first()).toBeVisible();
    await page.waitForTimeout(1000);
    const vents = await readShifts(page);
    expect(vents.total, vents.what.join('\n')).toBeLessThanOrEqual(0.02);
  });
}

test('the page that was asked for comes alongside the application, not after it has run', async ({
  page,
  requests,
  complaints,
}) => {
  await page.route(/\/assets\/index-[^/]+\.js$/u, (route) => route.abort());
  await visit(page, '/login');
  const asked = (name: string) => requests.filter((url) => url.includes(`/assets/${name}`)).length;
  await expect.poll(() => asked('login.page-')).toBe(1);
  expect(asked('feed.page-')).toBe(0);
  complaints.length = 0;
});

test('no flash of the wrong scheme: the first frame has the colours that were chosen', async ({
  page,
  complaints,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await visit(page, '/login');
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await ground()).toBe('rgb(251, 247, 242)');
  await page.evaluate(() => localStorage.setItem('unsaid.scheme', 'dark'));
  // With nothing of the application there: what paints is the page itself.
  await page.route('**/assets/**', (route) => route.abort());
  await page.goto('/login', { waitUntil: 'commit' });
  await page.waitForSelector('#leave', { state: 'attached' });
  expect(await ground()).toBe('rgb(23, 20, 18)');
  await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#171412');
  await page.evaluate(() => localStorage.removeItem('unsaid.scheme'));
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/login', { waitUntil: 'commit' });
  await page.waitForSelector('#leave', { state: 'attached' });
  expect(await ground()).toBe('rgb(23, 20, 18)');
  complaints.length = 0;
});

test('the tab can be neutral: set once, kept in this browser, there before the application', async ({
  page,
  complaints,
}) => {
  await signUp(page);
  await page.goto('/settings');
  await expect(page).toHaveTitle('Settings · Unsaid');
  await page.getByRole('switch', { name: 'Neutral tab' }).click();
  await expect(page).toHaveTitle('Notes');
  await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', '/notes.svg');
  await page.getByRole('link', { name: 'Support' }).first().click();
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  await expect(page).toHaveTitle('Notes');
  await page.goto('/');
  await logOut(page);
  await expect(page).toHaveTitle('Notes');
  await page.route('**/assets/**', (route) => route.abort());
  await page.goto('/faq', { waitUntil: 'commit' });
  await page.waitForSelector('#leave', { state: 'attached' });
  expect(await page.title()).toBe('Notes');
  await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', '/notes.svg');
  await page.unroute('**/assets/**');
  await page.evaluate(() => localStorage.removeItem('unsaid.discreet'));
  await page.goto('/faq');
  await expect(page).toHaveTitle('Questions you may have · Unsaid');
  complaints.length = 0;
});

test('where nobody has spoken yet, that is said, with a word from the team and a question for the day', async ({
  page,
}) => {
  await signUp(page);
  await page.route('**/api/vent/all?*', (route) =>
    route.fulfill({ json: { success: true, vents: [], pageCount: 0, hasOlder: false } }),
  );
  await page.goto('/vents');
  await expect(page.getByText('No vents available.')).toBeVisible();
  await expect(
    page.getByText('You are the first here. What you write stays for whoever comes next.'),
  ).toBeVisible();
  await expect(page.getByText('The people who make Unsaid')).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(0);
  await expect(page.getByText(/^A question for today.+\?$/u)).toBeVisible();
});

test('after posting there is a quiet moment, with a way on and a way to stay', async ({ page }) => {
  test.setTimeout(90_000);
  await signUp(page);
  await page.goto('/vents');
  await writeVent(page, `Out ${Date.now().toString(36)}`);
  const moment = page.getByRole('status').filter({ hasText: "It's out of your head now." });
  await expect(moment).toBeVisible();
  await moment.getByRole('button', { name: 'Just stay here' }).click();
  await expect(moment).toHaveCount(0);
  await page.reload();
  await expect(page.getByLabel('Title')).toBeVisible();
  await expect(moment).toHaveCount(0);

  await page.goto('/vent/create');
  await writeVent(page, `Out again ${Date.now().toString(36)}`);
  await expect(page).toHaveURL('/vents');
  await expect(moment).toBeInViewport();
  await moment.getByRole('button', { name: 'See what others carry' }).click();
  await expect(page.getByRole('region', { name: 'Vents' })).toBeFocused();
  await expect(page.getByRole('article').first()).toBeInViewport();
});

test('printed, a vent is its words alone, black on white', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await signUp(page);
  await page.goto('/vents');
  const title = `Paper ${Date.now().toString(36)}`;
  await writeVent(page, title);
  await page.getByRole('link', { name: title }).click();
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  await expect(page.getByText('And then it was morning.')).toBeVisible();
  for (const role of ['button', 'navigation', 'textbox', 'switch'] as const) {
    expect(await page.getByRole(role).count(), role).toBe(0);
  }
  await expect(page.locator('#leave')).toBeHidden();
  const colours = await page.getByText('And then it was morning.').evaluate((words) => {
    const grounds = new Set<string>();
    for (let node: Element | null = words; node; node = node.parentElement) {
      grounds.add(getComputedStyle(node).backgroundColor);
    }
    const { colorScheme } = getComputedStyle(document.documentElement);
    return { ink: getComputedStyle(words).color, grounds: [...grounds], colorScheme };
  });
  expect(colours.ink).toBe('rgb(0, 0, 0)');
  expect(colours.grounds).toEqual(['rgba(0, 0, 0, 0)']);
  // Or the paper itself would be dark.
  expect(colours.colorScheme).toBe('light');
});

test('every page has a title of its own', async ({ page }) => {
  await signUp(page);
  const titles = new Map<string, string>();
  for (const path of [
    '/',
    '/vents',
    '/vent',
    '/vent/create',
    '/vent/search',
    '/myvents',
    '/matches',
    '/settings',
    '/terms',
    '/privacy',
    '/faq',
    '/support',
    '/nowhere',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const title = await page.title();
    expect(title).toMatch(/.+ · Unsaid$/u);
    expect(titles.get(title), `${path} and another are both "${title}"`).toBeUndefined();
    titles.set(title, path);
  }
});
