import type { Page } from '@playwright/test';
import { expect, signUp, test, visit } from './fixtures.ts';

const elsewhere = 'https://www.google.com/search?q=weather';

/** Nothing of a test goes out into the world: the neutral page is played by us. */
async function playElsewhere(page: Page): Promise<void> {
  await page.route('https://www.google.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>weather</title><h1>Sunny, 31°</h1>' }),
  );
}

const pressEscape = async (page: Page, times: number) => {
  for (let n = 0; n < times; n += 1) await page.keyboard.press('Escape');
};

// The one request to another origin that this product makes, and only when somebody leaves.
test.afterEach(({ requests }) => {
  requests.splice(0, requests.length, ...requests.filter((url) => url !== elsewhere));
});

test('the button leaves at once, and Back does not lead to the pages before', async ({ page }) => {
  await playElsewhere(page);
  await page.goto('about:blank');
  await visit(page, '/login');
  await page.getByRole('link', { name: 'Create account' }).click();
  await page.getByRole('link', { name: 'Support' }).first().click();
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'Leave quickly' }).click();
  await expect(page).toHaveURL(elsewhere);
  await page.goBack();
  await expect(page).toHaveURL('about:blank');
});

test('three times Escape leaves; two, three slow ones, and one held down do not', async ({ page }) => {
  await playElsewhere(page);
  await visit(page, '/login');
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
  for (let n = 0; n < 5; n += 1) await page.keyboard.down('Escape');
  await page.keyboard.up('Escape');
  await page.waitForTimeout(1600);
  await pressEscape(page, 2);
  await expect(page.getByRole('status').filter({ hasText: 'Escape once more to leave.' })).toHaveCount(1);
  await page.waitForTimeout(1600);
  await pressEscape(page, 2);
  await page.waitForTimeout(1600);
  await expect(page).toHaveURL('/login');
  await pressEscape(page, 3);
  await expect(page).toHaveURL(elsewhere);
});

test('an Escape that closes a menu or a dialog does not count', async ({ page }) => {
  test.setTimeout(90_000);
  await playElsewhere(page);
  await signUp(page);
  // Three in a row, each of which has something to close.
  for (let n = 0; n < 3; n += 1) {
    await page.getByRole('button', { name: 'Update Profile' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  await menu.click();
  await pressEscape(page, 1);
  await expect(menu).toHaveAttribute('aria-expanded', 'false');
  await pressEscape(page, 2);
  await page.waitForTimeout(1600);
  await expect(page).toHaveURL('/');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await pressEscape(page, 1);
  await pressEscape(page, 2);
  await page.waitForTimeout(1600);
  await expect(page).toHaveURL('/');
  // With nothing left to close, the same three leave.
  await pressEscape(page, 3);
  await expect(page).toHaveURL(elsewhere);
});

test('an Escape that empties a search box does not count', async ({ page }) => {
  await playElsewhere(page);
  await signUp(page);
  await page.goto('/vent/search');
  const box = page.getByRole('searchbox').or(page.getByLabel('Search vents')).first();
  await box.fill('rain');
  await pressEscape(page, 3);
  await page.waitForTimeout(1600);
  await expect(page).toHaveURL('/vent/search');
});

test('it works before the application has come, during the splash, and above a dialog', async ({
  page,
  complaints,
}) => {
  await playElsewhere(page);
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto('/');
  await expect(page.getByText('Speak Freely, Heal Faster')).toBeVisible();
  await page.getByRole('link', { name: 'Leave quickly' }).click();
  await expect(page).toHaveURL(elsewhere);
  await visit(page, '/');
  await pressEscape(page, 3);
  await expect(page).toHaveURL(elsewhere);
  complaints.length = 0;

  await page.unroute('**/assets/*.js');
  await signUp(page);
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.getByRole('link', { name: 'Leave quickly' }).click();
  await expect(page).toHaveURL(elsewhere);
});

test('it is in reach of a keyboard, right after the skip link, and says what Escape does', async ({
  page,
}) => {
  await playElsewhere(page);
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    await visit(page, '/faq');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const leave = page.getByRole('link', { name: 'Leave quickly' });
    await expect(leave).toBeFocused();
    await expect(leave).toHaveAccessibleDescription('Or press Escape three times.');
    await expect(leave).toBeInViewport({ ratio: 1 });
    await page.mouse.wheel(0, 2000);
    await expect(leave).toBeInViewport({ ratio: 1 });
    // Not a trap: the next one is the page's own.
    await page.keyboard.press('Tab');
    await expect(leave).not.toBeFocused();
  }
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(elsewhere);
});

test('the page is blank while the other one is on its way', async ({ page }) => {
  await playElsewhere(page);
  const seen: string[] = [];
  await page.exposeFunction('report', (what: string) => void seen.push(what));
  await visit(page, '/support');
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
  await page.evaluate(() => {
    new MutationObserver(() => {
      const { report } = window as unknown as { report: (what: string) => void };
      report(`${getComputedStyle(document.body).display}, ${document.title}`);
    }).observe(document.documentElement, { attributes: true, attributeFilter: ['data-left'] });
  });
  await page.getByRole('link', { name: 'Leave quickly' }).click();
  await expect(page).toHaveURL(elsewhere);
  expect(seen).toEqual(['none, Notes']);
});
