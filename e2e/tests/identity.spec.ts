import type { Page } from '@playwright/test';
import { createVent, type Endpoint } from '@unsaid/contract';
import { signUp } from './api.ts';
import {
  codeFor,
  enterPhone,
  expect,
  expectToast,
  newPhone,
  newWord,
  openComposer,
  tabTo,
  test,
  typeCode,
} from './fixtures.ts';

/** Everything that the identity guard shows, with the real server behind it. */

const text = (page: Page) => page.getByLabel('Text', { exact: true });
const post = (page: Page) => page.getByRole('button', { name: 'Post vent' });
const notice = (page: Page) => page.getByRole('alert').filter({ hasText: /looks like|link here/u });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The bodies that were sent to an endpoint from now on. */
function watchBodies(page: Page, { method, path }: Endpoint): string[] {
  const bodies: string[] = [];
  page.on('request', (request) => {
    if (request.method() === method && new URL(request.url()).pathname === path)
      bodies.push(request.postData() ?? '');
  });
  return bodies;
}

/** Until the guard's files have come: before that the server alone would refuse. */
async function waitForGuard(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /identity-card.*\.js/u.test(name)),
  );
  await page.waitForLoadState('networkidle');
}

async function writeVent(page: Page, words: string): Promise<string> {
  const title = newWord('Guarded');
  await signUp(page);
  await page.goto('/vent/create');
  await text(page).fill(words);
  await page.getByLabel('Title').fill(title);
  await page.getByText('Sad', { exact: true }).first().click();
  await waitForGuard(page);
  return title;
}

test('a phone number in a vent is not sent: the words stay, it can be edited at its place or hidden', async ({
  page,
}) => {
  const bodies = watchBodies(page, createVent);
  const words = 'So tired. Call me on 98123 45678, any time. 🙏';
  const title = await writeVent(page, words);
  // Quiet while writing.
  await expect(notice(page)).toHaveCount(0);
  await post(page).click();
  await expect(notice(page)).toHaveText(
    'This looks like a phone number. Anyone could find you with it, or the person it belongs to.',
  );
  await expect(text(page)).toHaveValue(words);
  await expect(button(page, 'Post anyway')).toHaveCount(0);

  await button(page, 'Edit').click();
  await expect(text(page)).toBeFocused();
  const selected = await text(page).evaluate((box: HTMLTextAreaElement) =>
    box.value.slice(box.selectionStart, box.selectionEnd),
  );
  expect(selected).toBe('98123 45678');
  await tabTo(button(page, 'Hide it for me'));
  await page.keyboard.press('Enter');
  await expect(text(page)).toHaveValue('So tired. Call me on •••, any time. 🙏');
  await expect(notice(page)).toHaveCount(0);
  await expect(post(page)).toBeFocused();
  expect(bodies).toEqual([]);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Vent created successfully!');
  await expect(page.getByRole('article').filter({ hasText: title })).toContainText('Call me on •••');
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).not.toMatch(/98123|45678/u);
});

test('without the guard’s files the server refuses, and the words stay', async ({ page, complaints }) => {
  complaints.expect(/net::ERR_FAILED/u);
  await page.route(/identity-card.*\.js/u, (route) => route.abort());
  await signUp(page);
  await page.goto('/vents');
  await openComposer(page);
  await text(page).fill('mail riya08@gmail.com');
  await page.getByLabel('Title').fill('A title');
  await page.getByText('Sad', { exact: true }).first().click();
  await post(page).click();
  await expect(page.getByText('Something here could lead people to you')).toBeVisible();
  await expect(text(page)).toHaveValue('mail riya08@gmail.com');

  // Once they arrive, the same refusal shows the notice.
  await page.unroute(/identity-card.*\.js/u);
  await post(page).click();
  await expect(notice(page)).toContainText('This looks like an email address.');
  await expect(button(page, 'Hide it for me')).toBeVisible();
});

test('the profile step of sign-up asks as well', async ({ page }) => {
  await page.goto('/signup');
  const phone = newPhone();
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone));
  await page.getByText('More about you (optional)').click();
  await page.getByLabel('Bio').fill('PAN ABCPE1234F');
  await waitForGuard(page);
  await button(page, 'Complete Profile').click();
  await expect(notice(page)).toContainText('This looks like a PAN.');
  await button(page, 'Hide it for me').click();
  await expect(page.getByLabel('Bio')).toHaveValue('PAN •••');
  await button(page, 'Complete Profile').click();
  await expect(page).toHaveURL('/');
});
