import { postVent, signUp } from './api.ts';
import { expect, newPerson, newWord, openComposer, tabTo, test } from './fixtures.ts';

test('an author says what would help, with the keyboard, and readers see it', async ({ page, browser }) => {
  const title = newWord('Advice');
  await signUp(page);
  await page.goto('/vents');
  await openComposer(page);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('What would you do?');
  await page.getByText('Anxious', { exact: true }).first().click();
  const needs = page.getByRole('group', { name: 'What would help?' });
  await expect(needs.getByRole('button', { pressed: true })).toHaveCount(0);
  const advice = needs.getByRole('button', { name: 'Advice welcome' });
  await tabTo(advice);
  await page.keyboard.press('Space');
  await expect(advice).toHaveAttribute('aria-pressed', 'true');
  // A draft that is being written keeps it.
  await page.reload();
  await openComposer(page);
  await expect(advice).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Post vent' }).click();
  const own = page.getByRole('article').filter({ hasText: title }).first();
  await expect(own.getByText('Advice is welcome.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Listen to someone' })).toBeVisible();
  // The next vent begins without a choice.
  await page.getByRole('button', { name: 'Write another' }).click();
  await expect(needs.getByRole('button', { pressed: true })).toHaveCount(0);

  const reader = await newPerson(browser);
  await signUp(reader);
  await reader.goto('/vents');
  const card = reader.getByRole('article').filter({ hasText: title });
  await expect(card.getByText('Advice is welcome.')).toBeVisible();
  await card.getByRole('link', { name: title }).click();
  await expect(reader.getByText('Advice is welcome.')).toBeVisible();
  await expect(reader.getByPlaceholder('What could help?')).toBeVisible();
  await reader.context().close();
});

test('a vent that wants a hug has no comments, and a hug is enough on Listen', async ({ page, browser }) => {
  const title = newWord('Hug');
  const author = await newPerson(browser);
  await signUp(author);
  const vent = await postVent(author, { title, need: 'hug' });
  await signUp(page);
  await page.goto('/vents');
  const card = page.getByRole('article').filter({ hasText: title });
  await expect(card.getByText('A hug is enough.')).toBeVisible();
  await expect(card.getByRole('button', { name: /^Comments/u })).toHaveCount(0);

  await page.goto('/listen');
  const shown = page.getByRole('article').getByRole('heading', { level: 2 });
  // Others wait too: pass until it comes.
  await expect(async () => {
    if ((await shown.textContent()) !== title) {
      const look = page.getByRole('button', { name: 'Look again' });
      await (
        (await look.isVisible()) ? look : page.getByRole('button', { name: 'Pass', exact: true })
      ).click();
    }
    await expect(shown).toHaveText(title, { timeout: 500 });
  }).toPass({ timeout: 60_000 });
  await expect(page.getByRole('button', { name: 'Say something' })).toBeHidden();
  await page.getByRole('button', { name: 'Send a hug' }).click();
  await expect(page.getByRole('button', { name: 'Hug sent' })).toBeVisible();
  await page.getByRole('button', { name: 'Next person' }).click();
  await expect(page.getByRole('button', { name: 'Hug sent' })).toBeHidden();

  await author.goto(`/vent/${vent._id}`);
  await expect(author.getByRole('button', { name: 'Hug, shows support, 1' })).toBeVisible();
  await expect(author.getByRole('heading', { name: 'Comments' })).toHaveCount(0);
  await expect(author.getByRole('switch', { name: 'Let people comment' })).toHaveCount(0);
  await author.context().close();
});
