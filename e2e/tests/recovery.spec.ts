import {
  codeBoxes,
  codeFor,
  enterPhone,
  expect,
  newPhone,
  signUp,
  somebodyElse,
  test,
  typeCode,
  visit,
} from './fixtures.ts';
import type { Locator, Page } from '@playwright/test';

/** Gives the account a name to know it by. */
async function nameThem(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Update Profile' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Username').fill(name);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
}

async function makeCode(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Make a recovery code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your recovery code' });
  const shown = dialog.getByLabel('Recovery code').locator('span');
  await expect(shown).toHaveCount(7);
  const groups = await shown.allTextContents();
  expect(groups.join('')).toMatch(/^[0-9A-Z]{28}$/u);
  await dialog.getByRole('button', { name: 'I have written it down' }).click();
  await expect(dialog).toBeHidden();
  return groups.join('-');
}

async function confirmIn(dialog: Locator, page: Page, phone: string, sent: number): Promise<void> {
  await dialog.getByLabel('Phone number').fill(phone.slice(3));
  await dialog.getByRole('button', { name: 'Send OTP' }).click();
  await expect(dialog.locator('input[autocomplete="one-time-code"]').first()).toBeVisible();
  const code = await codeFor(phone, sent);
  await dialog.locator('input[autocomplete="one-time-code"]').first().click();
  await page.keyboard.type(code);
}

const randomName = () => `back_${Date.now().toString(36).slice(-6)}`;

test('a code on paper brings the account back under another number, and ends it elsewhere', async ({
  page,
  browser,
}) => {
  await signUp(page);
  const name = randomName();
  await nameThem(page, name);
  const code = await makeCode(page);
  await expect(page.getByRole('region', { name: 'A way back' })).toBeHidden();

  const other = await somebodyElse(browser);
  await signUp(other);
  await other.goto('/settings');
  await other.getByRole('button', { name: 'Bring an old account back' }).click();
  const dialog = other.getByRole('dialog', { name: 'Bring an old account back' });
  await expect(dialog.getByText(/goes bit by bit within 30 days/u)).toBeVisible();
  await dialog.getByLabel('Recovery code').fill('not a code');
  await dialog.getByRole('button', { name: 'Bring it back' }).click();
  await expect(dialog.getByText('That code opens no account.')).toBeVisible();
  await dialog.getByLabel('Recovery code').fill(code.toLowerCase().replaceAll('-', ' '));
  await dialog.getByRole('button', { name: 'Bring it back' }).click();
  await expect(other).toHaveURL('/');
  await expect(other.getByRole('heading', { name })).toBeVisible();
  await expect(other.getByText('You are back.')).toBeVisible();

  await page.goto('/settings');
  await expect(page).toHaveURL(/\/login/u);
});

test('the offer can be waved away, and stays under Settings', async ({ page }) => {
  await signUp(page);
  const card = page.getByRole('region', { name: 'A way back' });
  await card.getByRole('button', { name: 'Not now' }).click();
  await expect(card).toBeHidden();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Update Profile' })).toBeVisible();
  await expect(card).toBeHidden();
  await page.goto('/settings');
  await makeCode(page);
  await expect(page.getByText(/A code was made on/u)).toBeVisible();
  // A second one takes a code by SMS.
  await page.getByRole('button', { name: 'Make a new recovery code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your recovery code' });
  await expect(dialog.getByLabel('Phone number')).toBeVisible();
});

test('another number takes the place of the old one', async ({ page, browser }) => {
  const phone = await signUp(page);
  const name = randomName();
  await nameThem(page, name);
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Change your number' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change your number' });
  await confirmIn(dialog, page, phone, 2);
  await expect(dialog.getByText(/Now the new number/u)).toBeVisible();
  const next = newPhone();
  await confirmIn(dialog, page, next, 1);
  await expect(page.getByText('You sign in with the new number from now on.')).toBeVisible();
  await expect(dialog).toBeHidden();

  const elsewhere = await somebodyElse(browser);
  await visit(elsewhere, '/login');
  await enterPhone(elsewhere, next);
  await expect(codeBoxes(elsewhere)).toBeVisible();
  await typeCode(elsewhere, await codeFor(next, 2));
  await expect(elsewhere.getByRole('heading', { name })).toBeVisible();
});
