import type { Locator, Page } from '@playwright/test';
import { signUp } from './api.ts';
import { expect, openAccountMenu, settle, test } from './fixtures.ts';

/** What a person meets first: the header, the languages, home. */

const phones = [
  { width: 390, height: 844 },
  { width: 360, height: 640 },
] as const;

const menuButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Menu' });

async function boxOf(at: Locator) {
  const box = await at.boundingBox();
  if (!box) throw new Error(`${String(at)} is not visible`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

for (const size of phones) {
  test(`the menu is at least 12 px from Leave, and both are 44 px high, at ${size.width} px`, async ({
    page,
  }) => {
    // B14.
    await page.setViewportSize(size);
    for (const path of ['/login', '/']) {
      if (path === '/') await signUp(page);
      await page.goto(path);
      await settle(page);
      const menu = await boxOf(menuButton(page));
      const leave = await boxOf(page.locator('#leave'));
      expect(leave.x - menu.right, path).toBeGreaterThanOrEqual(12);
      expect(menu.height, path).toBeGreaterThanOrEqual(44);
      expect(leave.height, path).toBeGreaterThanOrEqual(44);
    }
  });
}

test('one menu has every link on a phone, and is closed by Back, Escape, a press outside and a link', async ({
  page,
}) => {
  await signUp(page);
  await page.goto('/support');
  await page.goto('/faq');
  await expect(page.getByRole('banner').getByRole('button')).toHaveCount(1);
  await openAccountMenu(page);
  const panel = page.getByRole('banner');
  for (const name of ['Home', 'Vents', 'Matches', 'Terms', 'Privacy', 'FAQ', 'My Vents', 'Settings'])
    await expect(panel.getByRole('link', { name, exact: true })).toBeVisible();
  for (const name of ['English', 'हिन्दी', 'Log out'])
    await expect(panel.getByRole('button', { name })).toBeVisible();
  const terms = panel.getByRole('link', { name: 'Terms' });

  await page.goBack();
  await expect(terms).toBeHidden();
  await expect(page).toHaveURL('/faq');

  await openAccountMenu(page);
  await page.keyboard.press('Escape');
  await expect(terms).toBeHidden();
  await expect(menuButton(page)).toBeFocused();

  await openAccountMenu(page);
  await page.mouse.click(200, 600);
  await expect(terms).toBeHidden();

  await openAccountMenu(page);
  await terms.click();
  await expect(page).toHaveURL('/terms');
  await expect(terms).toBeHidden();
  // Back leads to the page before, however often the menu was open on it.
  await page.goBack();
  await expect(page).toHaveURL('/faq');
  await page.goBack();
  await expect(page).toHaveURL('/support');
});

test('a visitor finds Login and Sign Up in the menu', async ({ page }) => {
  await page.goto('/faq');
  await openAccountMenu(page);
  for (const name of ['Home', 'Vents', 'Matches', 'Login', 'Sign Up', 'Terms', 'Privacy', 'FAQ'])
    await expect(page.getByRole('banner').getByRole('link', { name, exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Log out' })).toHaveCount(0);
});

for (const size of [...phones, { width: 1280, height: 800 }]) {
  test(`the languages are on the first screen of login and sign-up at ${size.width} px`, async ({ page }) => {
    // B12.
    await page.setViewportSize(size);
    for (const path of ['/login', '/signup']) {
      await page.goto(path);
      await settle(page);
      const languages = page.getByRole('group', { name: 'Language' });
      const box = await boxOf(languages.getByRole('button', { name: 'हिन्दी' }));
      expect(box.bottom, path).toBeLessThanOrEqual(size.height);
      await expect(languages.getByRole('button', { name: 'English' })).toHaveAttribute(
        'aria-pressed',
        'true',
      );
      await expect(languages).toHaveCount(1);
    }
  });
}

test('a page shorter than the screen does not scroll', async ({ page }) => {
  // B12.
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);
  for (const path of ['/login', '/nowhere']) {
    await page.goto(path);
    await settle(page);
    expect(await overflow(), path).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/login');
  await settle(page);
  expect(await overflow(), 'on a desktop').toBe(0);
});
