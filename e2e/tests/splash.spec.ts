import type { Page } from '@playwright/test';
import { signUp } from './api.ts';
import { expect, logOut, settle, test } from './fixtures.ts';
import { holdSplash, setSplashTime, stopSplashTime } from './splash-time.ts';
import { fullTier } from './tiers.ts';

test.use({ showsSplash: true, reducedMotion: 'no-preference' });

const line = (page: Page) => page.getByText('Speak Freely, Heal Faster');
const opacity = (page: Page) =>
  page.locator('#splash').evaluate((splash) => Number(getComputedStyle(splash).opacity));

/** The page's clock is stopped. */
async function expectHiddenAfterSixSeconds(page: Page): Promise<void> {
  await page.goto('/login');
  await page.clock.runFor(6000);
  await expect(line(page)).toBeVisible();
  await page.clock.runFor(300);
  await expect(line(page)).toBeHidden();
}

test('the splash paints without the application, stays five seconds and fades in one (S1.2, S2.1, S9.8)', async ({
  page,
  complaints,
}) => {
  complaints.expect(/ERR_FAILED/u);
  await page.route('**/assets/*.js', (route) => route.abort());
  await stopSplashTime(page);
  await page.goto('/');
  await expect(line(page)).toBeVisible();
  await setSplashTime(page, 4999);
  expect(await opacity(page)).toBe(1);
  await setSplashTime(page, 5500);
  expect(await opacity(page)).toBeCloseTo(0.5);
  await expect(line(page)).toBeVisible();
  await setSplashTime(page, 6000);
  await expect(line(page)).toBeHidden();
  await expect(page.locator('html')).not.toHaveAttribute('data-splash');
});

test(
  'the splash leaves after six seconds though its animation never ends',
  fullTier('The first journey finds a splash that stays; a broken timer is found at night.'),
  async ({ page }) => {
    await stopSplashTime(page);
    await expectHiddenAfterSixSeconds(page);
  },
);

test('the splash is shown once in a tab, and the application is ready beneath it (S2.1)', async ({
  page,
}) => {
  await holdSplash(page);
  await page.goto('/login');
  await expect(
    page.locator('#root').getByRole('button', { name: 'Send OTP', includeHidden: true }),
  ).toBeAttached();
  await expect(line(page)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
  await expect(line(page)).toBeHidden();
});

test(
  'a later start shows the splash until the first page is there, also after a log-out',
  fullTier('A splash that stays too long at the second visit is found at night.'),
  async ({ page, context }) => {
    await signUp(page);
    await holdSplash(page);
    await page.goto('/');
    await page.keyboard.press('Escape');
    await expect(line(page)).toBeHidden();
    await logOut(page);

    const tab = await context.newPage();
    await holdSplash(tab);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await tab.route(/\/assets\/login\.page-[^/]+\.js$/u, async (route) => {
      await held;
      await route.continue();
    });
    await tab.goto('/login', { waitUntil: 'commit' });
    await expect(tab.getByRole('banner', { includeHidden: true })).toBeAttached();
    await expect(line(tab)).toBeVisible();
    release();
    await expect(line(tab)).toBeHidden();
    await expect(tab.locator('html')).not.toHaveAttribute('data-splash');
    await tab.getByLabel('Phone number').fill('98765');
  },
);

test(
  'on a slow phone the first splash stays until the form is there, and the languages do not move',
  fullTier('A blank page for a second is found at night.'),
  async ({ page }) => {
    // Row 23 of the third walk.
    await page.clock.install();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/assets\/login\.page-[^/]+\.js$/u, async (route) => {
      await held;
      await route.continue();
    });
    await page.addInitScript(() => {
      addEventListener('unsaid:ready', () => {
        const place = document.querySelector('#root [role=group]')?.getBoundingClientRect();
        document.documentElement.dataset['languagesAt'] = String(place?.top);
      });
    });
    await page.goto('/login', { waitUntil: 'commit' });
    await expect(page.getByRole('banner', { includeHidden: true })).toBeAttached();
    await page.clock.runFor(7000);
    await expect(line(page)).toBeVisible();
    expect(await opacity(page)).toBe(1);
    release();
    await expect(line(page)).toBeHidden();
    await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
    await settle(page);
    const languages = page.getByRole('group', { name: 'Language' });
    const { y } = (await languages.boundingBox()) ?? {};
    await expect(page.locator('html')).toHaveAttribute('data-languages-at', String(y));
  },
);

test(
  'a later start ends the splash after six seconds though the application never loads',
  fullTier('The first journey finds a splash that stays.'),
  async ({ page, complaints }) => {
    complaints.expect(/ERR_FAILED/u);
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.addInitScript(() => localStorage.setItem('unsaid.splash', 'seen'));
    await stopSplashTime(page);
    await expectHiddenAfterSixSeconds(page);
  },
);

for (const way of ['Escape', 'Enter', 'tap'] as const) {
  const tier = way === 'tap' ? {} : fullTier('The journey with the tap ends it by the same function.');
  test(`the splash is skipped by ${way}, and says so after a second`, tier, async ({ page }) => {
    await stopSplashTime(page);
    await page.goto('/login');
    await expect(line(page)).toBeVisible();
    const hint = page.getByRole('button', { name: 'Tap anywhere to skip' });
    const hintOpacity = () => hint.evaluate((element) => Number(getComputedStyle(element).opacity));
    await setSplashTime(page, 999);
    expect(await hintOpacity()).toBe(0);
    await setSplashTime(page, 1600);
    expect(await hintOpacity()).toBe(1);
    if (way === 'tap') await page.mouse.click(100, 100);
    else await page.keyboard.press(way);
    await page.clock.runFor(200);
    await expect(line(page)).toBeHidden();
  });
}

test.describe('with reduced motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test(
    'the splash leaves after five seconds without a fade',
    fullTier('Somebody who asked for less motion sees a fade, for a day.'),
    async ({ page }) => {
      await stopSplashTime(page);
      await page.goto('/login');
      const splash = page.locator('#splash');
      await expect(splash).toBeVisible();
      const moving = await splash.evaluate((element) =>
        element
          .getAnimations({ subtree: true })
          .map((animation) => (animation as CSSAnimation).animationName),
      );
      // Only the hint still comes a second later, at once.
      expect(moving.filter((name) => name !== 'splash-in')).toEqual([]);
      await page.clock.runFor(4900);
      await expect(splash).toBeVisible();
      await page.clock.runFor(200);
      await expect(splash).toBeHidden();
    },
  );
});
