import type { Page } from '@playwright/test';
import { postVent, signUp } from './api.ts';
import {
  codeBoxes,
  codeFor,
  enterCodeInDialog,
  expect,
  expectToast,
  newWord,
  openSettings,
  readRecoveryCode,
  settle,
  test,
  typeBackGroup,
} from './fixtures.ts';
import { fullTier } from './tiers.ts';

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
  await openSettings(page);
  const sent = watchDeletion(page);
  const dialog = await openDeletion(page);
  const confirm = dialog.getByRole('button', { name: 'Delete my account forever' });
  await enterCodeInDialog(dialog, phone, 2);
  await expect(confirm).toBeEnabled();
  await expect(confirm).toBeInViewport({ ratio: 1 });
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
test(
  'a code that the browser reads from the SMS fills the boxes and deletes nothing',
  fullTier('The right code alone deletes nothing: the journey above finds a form that submits itself.'),
  async ({ page }) => {
    await page.addInitScript(() => {
      const codes = Promise.withResolvers<string>();
      const get = async () => ({ code: await codes.promise });
      Object.assign(window, { OTPCredential: true, receiveSms: codes.resolve });
      Object.defineProperty(navigator, 'credentials', { value: { get } });
    });
    const phone = await signUp(page);
    await openSettings(page);
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
  },
);

// B6
for (const [way, leave] of [
  ['Escape', (page) => page.keyboard.press('Escape')],
  ['the close button', (page) => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()],
] as const satisfies readonly (readonly [string, (page: Page) => Promise<unknown>])[]) {
  test(
    `a recovery code that was not typed back does not count, here left by ${way}`,
    fullTier(
      'The journey in which a code counts leaves by Back; dialogs.spec.ts closes one dialog in each way.',
    ),
    async ({ page }) => {
      await signUp(page);
      await postVent(page, { title: newWord('First') });
      await page.goto('/');
      const card = page.getByRole('region', { name: 'Account recovery' });
      await card.getByRole('button', { name: 'Make a recovery code' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your recovery code' });
      await readRecoveryCode(dialog);
      // A tap beside the dialog.
      await settle(page);
      await page.mouse.click(5, 5);
      await readRecoveryCode(dialog);
      await leave(page);
      await expect(dialog).toBeHidden();
      await expectToast(page, 'No new code was saved.');
      await expect(card).toBeVisible();
      await openSettings(page);
      await expect(page.getByRole('button', { name: 'Make a recovery code' })).toBeVisible();
      await expect(page.getByText(/You made a recovery code on/u)).toBeHidden();
    },
  );
}

// B6
test('a recovery code counts once the group that is asked for was typed back, and not when it is left by Back', async ({
  page,
}) => {
  await signUp(page);
  await openSettings(page);
  const make = page.getByRole('button', { name: 'Make a recovery code' });
  await make.click();
  const dialog = page.getByRole('dialog', { name: 'Your recovery code' });
  const unused = await readRecoveryCode(dialog);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expectToast(page, 'No new code was saved.');
  await make.click();
  const groups = await readRecoveryCode(dialog);
  expect(groups).not.toEqual(unused);
  await dialog.getByRole('button', { name: "I've written it down" }).click();
  // The code is hidden now, and wrong letters change nothing.
  await expect(dialog.getByText(groups[0] ?? '')).toBeHidden();
  await dialog.getByRole('textbox').fill('UUUU');
  await dialog.getByRole('button', { name: 'Save my code' }).click();
  await expect(dialog.getByText(/That's not group \d/u)).toBeVisible();
  await dialog.getByRole('button', { name: 'Show the code again' }).click();
  expect(await readRecoveryCode(dialog)).toEqual(groups);
  await typeBackGroup(dialog, groups);
  await expectToast(page, 'Your recovery code is saved.');
  await expect(page.getByText(/You made a recovery code on/u)).toBeVisible();
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Account recovery' })).toBeHidden();
});

// B24
test(
  'Settings begin with language and theme, and every button of a card starts at its left edge',
  fullTier('Buttons that stand a little aside are found at night.'),
  async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await signUp(page);
    await openSettings(page);
    await expect(page.getByRole('heading', { level: 3 }).first()).toHaveText('Language');
    await expect(page.getByRole('heading', { level: 3 }).nth(1)).toHaveText('Theme');
    await expect(page.getByRole('main').getByRole('group', { name: 'Language' })).toHaveCount(1);
    const buttons = [
      'Make a recovery code',
      'Get an old account back',
      'Change your number',
      'Export my data',
    ];
    const boxes = await Promise.all(buttons.map((name) => page.getByRole('button', { name }).boundingBox()));
    expect(new Set(boxes.map((box) => box?.x)).size).toBe(1);
    // One line each.
    expect(new Set(boxes.map((box) => box?.height)).size).toBe(1);
  },
);
