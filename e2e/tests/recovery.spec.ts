import type { Page } from '@playwright/test';
import { postVent, setUsername, signUp } from './api.ts';
import {
  codeFor,
  enterCodeInDialog,
  enterPhone,
  expect,
  expectToast,
  newPerson,
  newPhone,
  newWord,
  openSettings,
  readRecoveryCode,
  test,
  typeBackGroup,
  typeCode,
} from './fixtures.ts';
import { fullTier } from './tiers.ts';

async function makeCode(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Make a recovery code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your recovery code' });
  const groups = await readRecoveryCode(dialog);
  expect(groups.join('')).toMatch(/^[0-9A-Z]{28}$/u);
  await typeBackGroup(dialog, groups);
  return groups.join('-');
}

test(
  'the offer of a recovery code can be dismissed and stays under Settings',
  fullTier('account.spec.ts makes a code in Settings; an offer that comes back is found at night.'),
  async ({ page }) => {
    await signUp(page);
    await page.goto('/');
    // Who has posted nothing has nothing to lose yet.
    const card = page.getByRole('region', { name: 'Account recovery' });
    await expect(page.getByRole('button', { name: 'Update Profile' })).toBeVisible();
    await expect(card).toBeHidden();
    await postVent(page, { title: newWord('First') });
    await page.goto('/');
    await card.getByRole('button', { name: 'Not now' }).click();
    await expect(card).toBeHidden();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Update Profile' })).toBeVisible();
    await expect(card).toBeHidden();
    await openSettings(page);
    await makeCode(page);
    await expect(page.getByText(/You made a recovery code on/u)).toBeVisible();
    // A second one needs a code by SMS.
    await page.getByRole('button', { name: 'Make a new recovery code' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your recovery code' });
    await expect(dialog.getByLabel('Phone number')).toBeVisible();
  },
);

test('a new number replaces the old one', async ({ page, browser }) => {
  const phone = await signUp(page);
  const name = await setUsername(page);
  await openSettings(page);
  await page.getByRole('button', { name: 'Change your number' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change your number' });
  await enterCodeInDialog(dialog, phone, 2);
  await expect(dialog.getByText(/Now enter your new number/u)).toBeVisible();
  const next = newPhone();
  await enterCodeInDialog(dialog, next, 1);
  await expectToast(page, 'From now on, log in with your new number.');
  await expect(dialog).toBeHidden();

  const elsewhere = await newPerson(browser);
  await elsewhere.goto('/login');
  await enterPhone(elsewhere, next);
  await typeCode(elsewhere, await codeFor(next, 2));
  // It is still logged in on the first device.
  await elsewhere.getByRole('button', { name: "It's mine", exact: true }).click();
  await expect(elsewhere.getByRole('heading', { name })).toBeVisible();
});
