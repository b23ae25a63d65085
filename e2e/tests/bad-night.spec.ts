import type { Page } from '@playwright/test';
import { expectAccessible, expectToFit } from './a11y.ts';
import { postVent, signUp } from './api.ts';
import { expect, newPerson, newWord, settle, test } from './fixtures.ts';

/** What a bad night looks like to who writes and to who reads, with the real server. */

const text = (page: Page) => page.getByLabel('Text', { exact: true });
const plan = 'I want to kill myself. I have the pills on my table.';

async function openForm(page: Page): Promise<void> {
  await page.goto('/vent/create');
  await text(page).focus();
}

for (const [language, words, says] of [
  ['en', 'I want to die.', /you can also talk to someone/u],
  ['hi', 'मैं मर जाना चाहती हूँ', /बात/u],
  ['hi-Latn', 'bhai marne ka mann karta hai roz', /baat/u],
] as const)
  test(`the card speaks the language of the text, not of the menu: ${words}`, async ({ page }) => {
    await signUp(page);
    await page.goto('/settings');
    // The menu in the other language.
    await page.evaluate(
      (locale) => localStorage.setItem('unsaid.locale', locale),
      language === 'en' ? 'hi' : 'en',
    );
    await page.goto('/vent/create');
    await page.locator('textarea').first().fill(words);
    const card = page.locator('[role=group][data-card]');
    await expect(card).toHaveAttribute('lang', language);
    await expect(card.getByRole('status')).toContainText(says);
  });

test('a plan is folded for a reader, kept off Home, and answered with help at hand', async ({
  page,
  browser,
}) => {
  await signUp(page);
  const title = newWord('night');
  const vent = await postVent(page, { title, text: plan });
  expect(vent.heavy).toBeUndefined();
  await page.goto('/vents');
  await expect(page.getByRole('article').filter({ hasText: title })).toBeVisible();

  const reader = await newPerson(browser);
  await signUp(reader);
  await reader.goto('/');
  await expect(reader.getByRole('heading', { name: 'Latest Vents' })).toBeVisible();
  await settle(reader);
  await expect(reader.getByText(title)).toHaveCount(0);
  await reader.goto('/vents');
  const fold = reader.getByRole('article').filter({ hasText: 'Heavy.' }).first();
  await expect(fold).toBeVisible();
  await expect(reader.getByText(title)).toHaveCount(0);
  for (const { width, height } of [
    { width: 360, height: 740 },
    { width: 1280, height: 800 },
  ]) {
    await reader.setViewportSize({ width, height });
    await expectToFit(reader, `a folded vent at ${width}`);
  }
  await expectAccessible(reader, 'a folded vent');
  // By keyboard.
  await fold.getByRole('button', { name: 'Read' }).focus();
  await reader.keyboard.press('Enter');
  await expect(reader.getByRole('link', { name: title })).toBeFocused();
  await reader.keyboard.press('Enter');
  await expect(reader.getByRole('heading', { level: 1, name: title })).toBeVisible();
  await expect(reader.getByRole('button', { name: 'What helped me was …' })).toHaveCount(0);
  await expect(reader.getByRole('link', { name: 'Helplines and what to say' })).toBeVisible();
  await reader.getByRole('button', { name: 'Are you somewhere safe right now?' }).click();
  await expect(reader.getByLabel('Your comment', { exact: true })).toHaveValue(
    'Are you somewhere safe right now?',
  );
  await reader.getByRole('button', { name: "I'm worried about them" }).click();
  await expect(reader.getByRole('radio', { name: "I'm worried about them" })).toBeChecked();
  await reader.keyboard.press('Escape');
  // Opened once, it is not folded again in this visit.
  await reader.getByRole('link', { name: 'Back to vents' }).click();
  await expect(reader.getByRole('link', { name: title })).toBeVisible();
});

test('abuse has its numbers while it is written, and one line afterwards that names nothing', async ({
  page,
}) => {
  await signUp(page);
  await openForm(page);
  await text(page).fill('papa maarte hain roz belt se, class 9 me hu');
  const card = page.locator('[role=group][data-card]');
  await expect(card.getByRole('link').first()).toHaveAttribute('href', 'tel:1098');
  await expect(card.getByRole('link').nth(1)).toHaveAttribute('href', 'tel:112');
  await expectAccessible(page, 'the card about abuse');
  await page.getByLabel('Title', { exact: true }).fill(newWord('home'));
  await page.getByText('Sad', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page).toHaveURL('/vents');
  await settle(page);
  await expect(page.locator('a[href="tel:1098"]')).toHaveCount(0);
  await expect(page.getByText('Sit with them for a minute?')).toHaveCount(0);
  await page.goto('/myvents');
  const line = page.getByRole('button', { name: /Someone to talk to|किसी से बात करें|Kisi se baat kar lein/u });
  await expect(line).toBeVisible();
  await expect(page.locator('a[href="tel:1098"]')).toHaveCount(0);
  await line.focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('a[href="tel:1098"]')).toBeVisible();
});

test('a name is noted before it goes out, and may go out', async ({ page }) => {
  await signUp(page);
  await openForm(page);
  await text(page).fill('My name is Rahul Sharma from NIT Trichy and I hate my roommate Aakash Verma');
  await page.getByLabel('Title', { exact: true }).fill(newWord('room'));
  await page.getByText('Sad', { exact: true }).first().click();
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByRole('alert').filter({ hasText: '“Rahul Sharma”' })).toBeVisible();
  await expectAccessible(page, 'the note about a name');
  await page.getByRole('button', { name: 'Change it' }).click();
  await expect(text(page)).toBeFocused();
  await page.getByRole('button', { name: 'Post anyway' }).click();
  await expect(page).toHaveURL('/vents');
});

test('a vent that tells its readers to die is not posted, and its words stay', async ({
  page,
  complaints,
}) => {
  complaints.expect(/422/u);
  await signUp(page);
  await openForm(page);
  await text(page).fill('whoever is reading this, kill yourself');
  await page.getByLabel('Title', { exact: true }).fill(newWord('read'));
  await page.getByText('Sad', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByText('This tells someone to hurt themselves')).toBeVisible();
  await expect(text(page)).toHaveValue('whoever is reading this, kill yourself');
});

test('a search for words of crisis does not ask to write', async ({ page }) => {
  await signUp(page);
  await page.goto(`/vent/search?query=suicide%20${newWord('zz')}`);
  await expect(page.getByText('No vents available.')).toBeVisible();
  await expect(page.getByText('or write it yourself')).toHaveCount(0);
});
