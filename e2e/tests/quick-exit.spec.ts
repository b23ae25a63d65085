import type { Page } from '@playwright/test';
import { signUp } from './api.ts';
import { expect, pauseClock, test } from './fixtures.ts';
import { stopSplashTime } from './splash-time.ts';
import { fullTier } from './tiers.ts';

const elsewhere = 'https://www.google.com/search?q=weather';

/** Answers in place of the neutral page: no request of a test leaves the machine. */
async function fakeElsewhere(page: Page): Promise<void> {
  await page.route('https://www.google.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>weather</title><h1>Sunny, 31°</h1>' }),
  );
}

const pressEscape = async (page: Page, times: number) => {
  for (let n = 0; n < times; n += 1) await page.keyboard.press('Escape');
};

// The product's one request to another origin, made only by the quick exit.
test.afterEach(({ requests }) => {
  requests.splice(0, requests.length, ...requests.filter((url) => url !== elsewhere));
});

test('the button leaves at once, and Back does not lead to the earlier pages', async ({ page }) => {
  await fakeElsewhere(page);
  // The exit does not wait for ever for a page that it goes back to. Here it may.
  await page.clock.install();
  await page.goto('about:blank');
  // Loaded as a whole, as from a link in a message: another document.
  await page.goto('/terms');
  await page.goto('/login');
  await page.getByRole('link', { name: 'Create account' }).click();
  await page.getByRole('link', { name: 'Support' }).first().click();
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  await pauseClock(page);
  await page.getByRole('link', { name: 'Leave quickly' }).click();
  await expect(page).toHaveURL(elsewhere);
  await page.goBack();
  await expect(page).toHaveURL('about:blank');
});

/** Escapes count together within 1.5 s. */
const longerThanCounted = 1600;

test('three Escapes leave; two, three slow ones and a held one do not', async ({ page }) => {
  await fakeElsewhere(page);
  await page.clock.install();
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
  await pauseClock(page);
  for (let n = 0; n < 5; n += 1) await page.keyboard.down('Escape');
  await page.keyboard.up('Escape');
  await page.clock.runFor(longerThanCounted);
  await pressEscape(page, 2);
  await expect(page.getByRole('status').filter({ hasText: 'Press Escape once more to leave.' })).toHaveCount(
    1,
  );
  await page.clock.runFor(longerThanCounted);
  await pressEscape(page, 2);
  await expect(page).toHaveURL('/login');
  await page.clock.runFor(longerThanCounted);
  await pressEscape(page, 3);
  await expect(page).toHaveURL(elsewhere);
});

test(
  'an Escape that closes a menu or a dialog does not count',
  fullTier('Somebody who closes three dialogs in a row by Escape leaves by mistake, for a day.'),
  async ({ page }) => {
    await fakeElsewhere(page);
    await page.clock.install();
    await signUp(page);
    await page.goto('/');
    // Three in a row, and each closes a dialog.
    for (let n = 0; n < 3; n += 1) {
      await page.getByRole('button', { name: 'Update Profile' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    }
    const menu = page.getByRole('button', { name: 'Menu', exact: true });
    await menu.click();
    await expect(page.getByRole('link', { name: 'FAQ' })).toBeVisible();
    await pressEscape(page, 1);
    await expect(menu).toHaveAttribute('aria-expanded', 'false');
    await pressEscape(page, 2);
    await expect(page).toHaveURL('/');
    // With nothing left to close, three leave.
    await pauseClock(page);
    await pressEscape(page, 3);
    await expect(page).toHaveURL(elsewhere);
  },
);

test(
  'an Escape that empties a search box does not count',
  fullTier('Somebody who empties a box with Escape leaves by mistake, for a day.'),
  async ({ page }) => {
    await fakeElsewhere(page);
    await page.clock.install();
    await signUp(page);
    await page.goto('/vent/search');
    const box = page.getByRole('searchbox', { name: 'Search vents' });
    await box.fill('rain');
    await pauseClock(page);
    await pressEscape(page, 3);
    await expect(box).toHaveValue('');
    await expect(page).toHaveURL('/vent/search');
    // The first one emptied the box, and this is the third that counts.
    await pressEscape(page, 1);
    await expect(page).toHaveURL(elsewhere);
  },
);

test.describe('with the splash', () => {
  test.use({ showsSplash: true });

  test('leaving works without the application, during the splash', async ({ page, complaints }) => {
    await fakeElsewhere(page);
    complaints.expect(/ERR_FAILED/u);
    await page.route('**/assets/*.js', (route) => route.abort());
    await stopSplashTime(page);
    await page.goto('/');
    await expect(page.getByText('Speak Freely, Heal Faster')).toBeVisible();
    await page.getByRole('link', { name: 'Leave quickly' }).click();
    await expect(page).toHaveURL(elsewhere);
    // Shown once in a tab: this time without the splash.
    await page.goto('/');
    await pressEscape(page, 3);
    await expect(page).toHaveURL(elsewhere);
  });
});

test(
  'leaving works above a dialog',
  fullTier('The journey that leaves during the splash finds a button without effect.'),
  async ({ page }) => {
    await fakeElsewhere(page);
    await signUp(page);
    await page.goto('/');
    await page.getByRole('button', { name: 'Update Profile' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.getByRole('link', { name: 'Leave quickly' }).click();
    await expect(page).toHaveURL(elsewhere);
  },
);

test(
  'leaving from a page that the menu led to replaces the first page, and Back leads past it',
  fullTier(
    'The first journey finds a Back that leads to earlier pages; an entry of the menu is found at night.',
  ),
  async ({ page }) => {
    // Slow: a further step back would be done before the next page is there.
    await page.route('https://www.google.com/**', async (route) => {
      await new Promise((done) => setTimeout(done, 1500));
      await route.fulfill({ contentType: 'text/html', body: '<title>weather</title>' });
    });
    await signUp(page);
    await page.goto('/notes.svg');
    await page.goto('/');
    // The menu leaves a history entry of its own.
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('link', { name: 'FAQ' }).click();
    await expect(page).toHaveURL('/faq');
    await page.getByRole('link', { name: 'Leave quickly' }).click();
    await expect(page).toHaveURL(elsewhere);
    await page.goBack();
    await expect(page).toHaveURL('/notes.svg');
  },
);

test(
  'the button is the second Tab stop, after the skip link, and its description names Escape',
  fullTier('A button that comes later in the order of Tab, or without its description, for a day.'),
  async ({ page }) => {
    await fakeElsewhere(page);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      await page.goto('/faq');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      const leave = page.getByRole('link', { name: 'Leave quickly' });
      await expect(leave).toBeFocused();
      await expect(leave).toHaveAccessibleDescription('Or press Escape three times.');
      await expect(leave).toBeInViewport({ ratio: 1 });
      await page.mouse.wheel(0, 2000);
      await expect(leave).toBeInViewport({ ratio: 1 });
      // The keyboard is not trapped.
      await page.keyboard.press('Tab');
      await expect(leave).not.toBeFocused();
    }
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(elsewhere);
  },
);

test('the page is blank while the other one loads', async ({ page }) => {
  await fakeElsewhere(page);
  const seen: string[] = [];
  await page.exposeFunction('report', (state: string) => void seen.push(state));
  // The other page is held back until this one has reported: with its page, the report would be lost.
  await page.route('https://www.google.com/**', async (route) => {
    await expect.poll(() => seen).toEqual(['none, Notes']);
    await route.fallback();
  });
  await page.goto('/support');
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  await page.evaluate(() => {
    new MutationObserver(() => {
      const { report } = window as unknown as { report: (state: string) => void };
      report(`${getComputedStyle(document.body).display}, ${document.title}`);
    }).observe(document.documentElement, { attributes: true, attributeFilter: ['data-left'] });
  });
  await page.getByRole('link', { name: 'Leave quickly' }).click();
  await expect(page).toHaveURL(elsewhere);
  expect(seen).toEqual(['none, Notes']);
});
