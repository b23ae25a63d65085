import type { Page } from '@playwright/test';
import { listen } from '@unsaid/contract';
import { postPage, postVent, signUp } from './api.ts';
import {
  askAfterPaint,
  expect,
  logOut,
  newWord,
  openComposer,
  openSettings,
  settle,
  test,
} from './fixtures.ts';
import { fullTier } from './tiers.ts';

interface LayoutShifts {
  total: number;
  readonly causes: string[];
}

/** Sums up the layout shifts of each page from its first frame on (CLS). */
async function recordShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: LayoutShifts = { total: 0, causes: [] };
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as unknown as {
          value: number;
          hadRecentInput: boolean;
          sources: { node: Element | null }[];
        };
        if (hadRecentInput) continue;
        shifts.total += value;
        shifts.causes.push(`${value.toFixed(4)} ${sources.map(({ node }) => node?.nodeName).join(' ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

async function expectNoShift(page: Page): Promise<void> {
  await settle(page);
  const { total, causes } = await page.evaluate(() => (window as unknown as { shifts: LayoutShifts }).shifts);
  expect(total, causes.join('\n')).toBeLessThanOrEqual(0.02);
}

/** From the next page on at most so many vents wait. Not by a route: a request that is on its way when the page goes would hang. */
async function limitWaiting(page: Page, most: number): Promise<void> {
  await page.addInitScript(
    ({ path, most }) => {
      const { fetch } = window;
      window.fetch = async (...asked) => {
        const answer = await fetch(...asked);
        if (!answer.url.includes(path)) return answer;
        const { vents, ...rest } = (await answer.json()) as { vents: unknown[] };
        return new Response(JSON.stringify({ ...rest, vents: vents.slice(0, most) }), answer);
      };
    },
    { path: listen.path, most },
  );
}

for (const width of [390, 1280]) {
  const tier = width === 390 ? {} : fullTier('A page that jumps on a desktop is found at night.');
  test(`nothing jumps while /login and /vents load at ${width} px`, tier, async ({ page, browser }) => {
    await postPage(browser);
    await recordShifts(page);
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/login');
    await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
    await expectNoShift(page);

    await signUp(page);
    await askAfterPaint(page, '/api/');
    for (const waiting of [2, 1, 0]) {
      await limitWaiting(page, waiting);
      await page.goto('/vents');
      await expect(page.getByRole('article').first()).toBeVisible();
      await expectNoShift(page);
    }
  });
}

test('the code of the first page loads in parallel with the application', async ({
  page,
  requests,
  complaints,
}) => {
  complaints.expect(/ERR_FAILED/u);
  await page.route(/\/assets\/index-[^/]+\.js$/u, (route) => route.abort());
  await page.goto('/login');
  const requested = (name: string) => requests.filter((url) => url.includes(`/assets/${name}`)).length;
  await expect.poll(() => requested('login.page-')).toBe(1);
  expect(requested('feed.page-')).toBe(0);
});

test('the skip link moves the focus, and keeps what was searched for', async ({ page }) => {
  await signUp(page);
  await page.goto('/vents');
  const search = page.getByRole('searchbox', { name: 'Search vents' });
  const word = newWord('found');
  await search.fill(word);
  await search.press('Enter');
  await expect(page.getByText('Nothing with these words yet.')).toBeVisible();
  const entries = await page.evaluate(() => history.length);
  await page.getByRole('link', { name: 'Skip to the page' }).press('Enter');
  await expect(page.locator('#page')).toBeFocused();
  expect(await page.evaluate(() => [history.length, location.hash])).toEqual([entries, '']);
  await expect(search).toHaveValue(word);
});

test('a visitor who is signed out loads the page for signing in, and not the one they asked for', async ({
  page,
  requests,
}) => {
  const requested = (name: string) => requests.filter((url) => url.includes(`/assets/${name}`)).length;
  for (const path of ['/', '/vents', '/matches', '/inbox']) {
    requests.length = 0;
    await page.goto(path);
    await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
    await settle(page);
    expect(requested('login.page-'), path).toBeGreaterThan(0);
    for (const chunk of ['home.page-', 'home-vents-', 'feed.page-', 'matches.page-', 'inbox.page-'])
      expect(requested(chunk), `${path}: ${chunk}`).toBe(0);
  }
});

test('a page that did not load is loaded when one comes back to it', async ({ page, complaints }) => {
  complaints.expect(/ERR_FAILED|dynamically imported/u);
  await signUp(page);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const chunk = /\/assets\/faq\.page-[^/]+\.js$/u;
  await page.route(chunk, (route) => route.abort());
  const menu = page.getByRole('button', { name: 'Menu' });
  const openFaq = async () => {
    await menu.click();
    await page.getByRole('link', { name: 'FAQ' }).click();
  };
  await openFaq();
  await expect(page.getByText("This page didn't load.")).toBeVisible();
  await page.unroute(chunk);
  await page.goBack();
  await expect(page.getByText("This page didn't load.")).toBeHidden();
  await openFaq();
  await expect(page.getByRole('heading', { name: 'Questions you may have' })).toBeVisible();
});

for (const [reason, breakApp] of [
  [
    'the application does not load',
    (page: Page) => page.route(/\/assets\/index-[^/]+\.js$/u, (route) => route.abort()),
  ],
  [
    'the browser is too old for it',
    // React needs it as soon as its module is loaded.
    (page: Page) => page.addInitScript(() => Reflect.deleteProperty(Symbol, 'for')),
  ],
] as const) {
  test(`there are words when ${reason}`, async ({ page, complaints }) => {
    complaints.expect(/./u);
    await breakApp(page);
    await page.goto('/login');
    await expect(page.getByText("Unsaid couldn't start.")).toBeVisible();
    await expect(page.getByRole('link', { name: 'try again' })).toBeVisible();
  });
}

test('every module starts in Chrome 111, which has no Promise.withResolvers', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(Promise, 'withResolvers'));
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
});

test('the first frame has the chosen colours', async ({ page, complaints }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/login');
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await background()).toBe('rgb(251, 247, 242)');
  await page.evaluate(() => localStorage.setItem('unsaid.scheme', 'dark'));
  // Without the application: the page itself paints.
  complaints.expect(/ERR_FAILED/u);
  await page.route('**/assets/**', (route) => route.abort());
  await page.goto('/login', { waitUntil: 'commit' });
  await page.waitForSelector('#leave', { state: 'attached' });
  expect(await background()).toBe('rgb(23, 20, 18)');
  await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#171412');
  await page.evaluate(() => localStorage.removeItem('unsaid.scheme'));
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/login', { waitUntil: 'commit' });
  await page.waitForSelector('#leave', { state: 'attached' });
  expect(await background()).toBe('rgb(23, 20, 18)');
});

test('the neutral tab is set once, stays in this browser, and is there before the application', async ({
  page,
  complaints,
}) => {
  await signUp(page);
  await openSettings(page);
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
  complaints.expect(/ERR_FAILED|dynamically imported/u);
  await page.route('**/assets/**', (route) => route.abort());
  await page.goto('/faq', { waitUntil: 'commit' });
  await page.waitForSelector('#leave', { state: 'attached' });
  expect(await page.title()).toBe('Notes');
  await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', '/notes.svg');
  await page.unroute('**/assets/**');
  await page.evaluate(() => localStorage.removeItem('unsaid.discreet'));
  await page.goto('/faq');
  await expect(page).toHaveTitle('Questions you may have · Unsaid');
});

test(
  'the empty feed says so, with a word from the team and a question for the day',
  fullTier('People see it on the first day only; parity.spec.ts finds "No vents available."'),
  async ({ page }) => {
    await signUp(page);
    await page.route('**/api/vent/all?*', (route) =>
      route.fulfill({ json: { success: true, vents: [], pageCount: 0, hasOlder: false } }),
    );
    await page.goto('/vents');
    await expect(page.getByText('No vents available.')).toBeVisible();
    await expect(
      page.getByText("You're the first one here. Your vent will be the first one people read."),
    ).toBeVisible();
    await expect(page.getByText('The Unsaid team')).toBeVisible();
    await expect(page.getByRole('article')).toHaveCount(0);
    await openComposer(page);
    await expect(page.getByText('A question for today')).toBeVisible();
  },
);

test(
  'a printed vent is its words alone, black on white',
  fullTier('A printed page with buttons on it, for a day.'),
  async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await signUp(page);
    const title = newWord('Paper');
    const { _id } = await postVent(page, { title, text: 'Said at last.\n\nAnd then it was morning.' });
    await page.goto(`/vent/${_id}`);
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
    await expect(page.getByText('And then it was morning.')).toBeVisible();
    for (const role of ['button', 'navigation', 'textbox', 'switch'] as const) {
      await expect(page.getByRole(role), role).toHaveCount(0);
    }
    await expect(page.locator('#leave')).toBeHidden();
    const colours = await page.getByText('And then it was morning.').evaluate((words) => {
      const backgrounds = new Set<string>();
      for (let node: Element | null = words; node; node = node.parentElement) {
        backgrounds.add(getComputedStyle(node).backgroundColor);
      }
      const { colorScheme } = getComputedStyle(document.documentElement);
      return { text: getComputedStyle(words).color, backgrounds: [...backgrounds], colorScheme };
    });
    expect(colours.text).toBe('rgb(0, 0, 0)');
    expect(colours.backgrounds).toEqual(['rgba(0, 0, 0, 0)']);
    // In the dark scheme the paper itself would be dark.
    expect(colours.colorScheme).toBe('light');
  },
);
