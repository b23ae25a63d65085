import type { Page } from '@playwright/test';
import { signUp } from './api.ts';
import { codeBoxes, codeFor, enterCodeInDialog, expect, test } from './fixtures.ts';

/** Calls that prove an identity or delete an account. */
function watchDeletion(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'DELETE' || pathname === '/api/auth/reauth') sent.push(pathname);
  });
  return sent;
}

async function openDeletion(page: Page) {
  await page.getByRole('button', { name: 'Delete account' }).click();
  return page.getByRole('dialog', { name: 'Delete account' });
}

// B5
test('a right code alone deletes nothing: the red button does', async ({ page }) => {
  const phone = await signUp(page);
  await page.goto('/settings');
  const sent = watchDeletion(page);
  const dialog = await openDeletion(page);
  const confirm = dialog.getByRole('button', { name: 'Delete my account forever' });
  await enterCodeInDialog(dialog, phone, 2);
  await expect(confirm).toBeEnabled();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Keep my account' }).click();
  await expect(dialog).toBeHidden();
  expect(sent).toEqual([]);

  await openDeletion(page);
  await enterCodeInDialog(dialog, phone, 3);
  await confirm.click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText(/Your account is deleted/u)).toBeVisible();
});

// B5
test('a code that the browser reads from the SMS fills the boxes and deletes nothing', async ({ page }) => {
  await page.addInitScript(() => {
    const codes = Promise.withResolvers<string>();
    const get = async () => ({ code: await codes.promise });
    Object.assign(window, { OTPCredential: true, receiveSms: codes.resolve });
    Object.defineProperty(navigator, 'credentials', { value: { get } });
  });
  const phone = await signUp(page);
  await page.goto('/settings');
  const sent = watchDeletion(page);
  const dialog = await openDeletion(page);
  await dialog.getByLabel('Phone number').fill(phone.slice(3));
  await dialog.getByRole('button', { name: 'Send OTP' }).click();
  await expect(codeBoxes(dialog)).toBeVisible();
  const code = await codeFor(phone, 2);
  await page.evaluate(
    (code) => (window as unknown as { receiveSms(code: string): void }).receiveSms(code),
    code,
  );
  await expect(dialog.getByRole('button', { name: 'Delete my account forever' })).toBeEnabled();
  await expect(codeBoxes(dialog)).toHaveValue(code.slice(0, 1));
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  expect(sent).toEqual([]);
});
