import type { Page } from '@playwright/test';
import { createVent, commentOnVent, updateDetails, type Endpoint } from '@unsaid/contract';
import { postVent, signUp } from './api.ts';
import {
  codeFor,
  enterPhone,
  expect,
  expectToast,
  newPerson,
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
    'This looks like a phone number. Anybody could use it to find you, or whose it is.',
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

test('a number in the title or split over hashtags is shown at its field, and all are hidden at once', async ({
  page,
}) => {
  await writeVent(page, 'mera number ९८१२३ ४५६७८ hai');
  await page.getByLabel('Title').fill('nine eight one two three four five six seven eight');
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('exams, 98123, 45678,');
  await post(page).click();
  await expect(notice(page)).toHaveCount(1);
  await button(page, 'Hide it for me').click();
  await expect(text(page)).toHaveValue('mera number ••• hai');
  await expect(page.getByLabel('Title')).toHaveValue('•••');
  await post(page).click();
  await expectToast(page, 'Vent created successfully!');
  await expect(page.getByRole('article').first()).toContainText('exams');
  await expect(page.getByRole('article').first()).not.toContainText('98123');
});

test('a number in a hashtag of a restored draft, which no comma has closed, is hidden with the rest', async ({
  page,
}) => {
  await writeVent(page, 'So tired.');
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('exams, 98123 45678');
  await page.reload();
  await text(page).focus();
  await waitForGuard(page);
  await post(page).click();
  await button(page, 'Hide it for me').click();
  await expect(page.getByRole('textbox', { name: 'Hashtags' })).toHaveValue('');
  await post(page).click();
  await expectToast(page, 'Vent created successfully!');
});

test('a number that begins in the title and ends in the text is not sent', async ({ page }) => {
  const bodies = watchBodies(page, createVent);
  await writeVent(page, '45678 any time');
  await page.getByLabel('Title').fill('Call me on 98123');
  await post(page).click();
  await expect(notice(page)).toContainText('This looks like a phone number.');
  await expect(button(page, 'Hide it for me')).toHaveCount(0);
  await button(page, 'Edit').click();
  await expect(text(page)).toBeFocused();
  expect(bodies).toEqual([]);
});

test('a link is warned about and can be posted anyway', async ({ page }) => {
  const bodies = watchBodies(page, createVent);
  const title = await writeVent(page, 'Read this: riyawrites.com/nights');
  await post(page).click();
  await expect(notice(page)).toHaveText("There's a link here. It could lead people to you.");
  expect(bodies).toEqual([]);
  await button(page, 'Post anyway').click();
  await expectToast(page, 'Vent created successfully!');
  await expect(page.getByRole('article').filter({ hasText: title })).toContainText('riyawrites.com');
  expect(bodies.map((body) => (JSON.parse(body) as { isSure: boolean }).isSure)).toEqual([true]);
});

test('helplines and other numbers are posted without a question', async ({ page }) => {
  await writeVent(page, 'Call 14416 or 9152987821. PNR 8234567890, marks 78 82 91 65 88, 12/05/2026.');
  await post(page).click();
  await expectToast(page, 'Vent created successfully!');
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

test('a comment with a UPI ID is not sent before it is hidden', async ({ page, browser }) => {
  const other = await newPerson(browser);
  await signUp(other);
  const { _id } = await postVent(other, { title: newWord('Answered') });
  await signUp(page);
  await page.goto(`/vent/${_id}`);
  const bodies = watchBodies(page, commentOnVent);
  const box = page.getByLabel('Your comment');
  await box.fill('send it to riya08@okaxis and rest');
  await waitForGuard(page);
  await button(page, 'Comment').click();
  await expect(notice(page)).toContainText('This looks like a UPI ID.');
  await button(page, 'Hide it for me').click();
  await expect(box).toHaveValue('send it to ••• and rest');
  expect(bodies).toEqual([]);
  await button(page, 'Comment').click();
  await expect(page.getByText('send it to ••• and rest')).toBeVisible();
  await expect(box).toHaveValue('');
  expect(bodies).toHaveLength(1);
});

test('a profile with a handle asks first, and one with a number is not saved', async ({ page }) => {
  await signUp(page);
  await page.goto('/');
  await button(page, 'Update Profile').click();
  const bodies = watchBodies(page, updateDetails);
  const bio = page.getByLabel('Bio');
  await bio.fill('quiet. call 9812345678');
  await waitForGuard(page);
  await button(page, 'Save').click();
  await expect(notice(page)).toContainText('This looks like a phone number.');
  await bio.fill('my insta is riya.writes_08');
  await expect(notice(page)).toHaveCount(0);
  await button(page, 'Save').click();
  await expect(notice(page)).toContainText('This looks like a username from another app.');
  expect(bodies).toEqual([]);
  await button(page, 'Save anyway').click();
  await expectToast(page, 'Profile updated.');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('my insta is riya.writes_08')).toBeVisible();
});

test('the profile step of sign-up asks as well', async ({ page }) => {
  await page.goto('/signup');
  const phone = newPhone();
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone));
  await page.getByLabel('Bio').fill('PAN ABCPE1234F');
  await waitForGuard(page);
  await button(page, 'Complete Profile').click();
  await expect(notice(page)).toContainText('This looks like a PAN.');
  await button(page, 'Hide it for me').click();
  await expect(page.getByLabel('Bio')).toHaveValue('PAN •••');
  await button(page, 'Complete Profile').click();
  await expect(page).toHaveURL('/');
});

test.describe('in Hindi', () => {
  test.use({ locale: 'hi-IN' });

  test('Devanagari digits are found, and the notice is in Hindi', async ({ page }) => {
    await signUp(page);
    await page.goto('/vent/create');
    await page.locator('textarea').first().fill('मेरा नंबर ९८१२३ ४५६७८ है');
    await page.locator('form input[dir=auto]').first().fill('थकान');
    await page.getByText('उदासी', { exact: true }).first().click();
    await waitForGuard(page);
    await page.locator('form [type=submit]').click();
    await expect(page.getByRole('alert').filter({ hasText: 'यह फ़ोन नंबर लगता है।' })).toBeVisible();
    await page.getByRole('button', { name: 'इसे छिपा दें' }).click();
    await expect(page.locator('textarea').first()).toHaveValue('मेरा नंबर ••• है');
  });
});
