import { postComment, postVent, signUp, tryVent } from './api.ts';
import { expect, newPerson, newWord, openComposer, openMoreChoices, tabTo, test } from './fixtures.ts';
import { ageVent } from './seed.ts';

test('an author says what would help, with the keyboard, and readers see it', async ({ page, browser }) => {
  const title = newWord('Advice');
  await signUp(page);
  await page.goto('/vents');
  await openComposer(page);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('What would you do?');
  await page.getByText('Anxious', { exact: true }).first().click();
  await openMoreChoices(page);
  const needs = page.getByRole('group', { name: 'What would help?' });
  await expect(needs.getByRole('button', { pressed: true })).toHaveCount(0);
  const advice = needs.getByRole('button', { name: 'Advice welcome' });
  await tabTo(advice);
  await page.keyboard.press('Space');
  await expect(advice).toHaveAttribute('aria-pressed', 'true');
  // A draft that is being written keeps it.
  await page.reload();
  await openComposer(page);
  // It says so beside the button also where they are folded again.
  await expect(page.getByText('Advice welcome', { exact: true }).last()).toBeVisible();
  await openMoreChoices(page);
  await expect(advice).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Post vent' }).click();
  const own = page.getByRole('article').filter({ hasText: title }).first();
  await expect(own.getByText('Advice is welcome.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Listen to someone' })).toBeVisible();
  // The next vent begins without a choice.
  await page.getByRole('button', { name: 'Write another' }).click();
  await openMoreChoices(page);
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
  const pass = page.getByRole('button', { name: 'Pass', exact: true });
  const again = page.getByRole('button', { name: 'Look again' });
  await expect(async () => {
    await expect(pass.or(again)).toBeVisible();
    if (await again.isVisible()) await again.click();
    else if ((await shown.textContent()) !== title) await pass.click();
    await expect(shown).toHaveText(title, { timeout: 300 });
  }).toPass({ timeout: 240_000 });
  await expect(page.getByRole('button', { name: 'Say something' })).toBeHidden();
  await page.getByRole('button', { name: 'Send a hug' }).click();
  await expect(page.getByRole('button', { name: 'Hug sent' })).toBeVisible();
  await page.getByRole('button', { name: 'Next person' }).click();
  await expect(page.getByRole('button', { name: 'Hug sent' })).toBeHidden();

  await author.goto(`/vent/${vent._id}`);
  await expect(author.getByText('Hug, shows support, 1')).toBeAttached();
  await expect(author.getByRole('heading', { name: 'Comments' })).toHaveCount(0);
  await expect(author.getByRole('switch', { name: 'Let people comment' })).toHaveCount(0);
  await author.context().close();
});

test('a vent of 24 hours says when it will be gone, and is gone then for everybody', async ({
  page,
  browser,
}) => {
  const title = newWord('Brief');
  await signUp(page);
  await page.goto('/vents');
  await openComposer(page);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('Only for a day.');
  await page.getByText('Sad', { exact: true }).first().click();
  await openMoreChoices(page);
  const stays = page.getByRole('group', { name: 'It stays' });
  await expect(stays.getByRole('radio', { name: 'Until I delete it' })).toBeChecked();
  // With the arrow keys, as in any group of radio buttons.
  await tabTo(stays.getByRole('radio', { name: 'Until I delete it' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(stays.getByRole('radio', { name: '24 hours' })).toBeChecked();
  await expect(page.getByText("Then it's gone for everyone, comments too.")).toBeVisible();
  const posting = page.waitForResponse((response) => response.url().endsWith('/api/vent/create'));
  await page.getByRole('button', { name: 'Post vent' }).click();
  const { vent } = (await (await posting).json()) as { vent: { _id: string } };
  await expect(
    page.getByRole('article').filter({ hasText: title }).getByText('Gone tomorrow.'),
  ).toBeVisible();

  const reader = await newPerson(browser);
  await signUp(reader);
  await postComment(reader, vent._id, 'I hear you.');
  await reader.goto(`/vent/${vent._id}`);
  await expect(reader.getByText('Gone tomorrow.')).toBeVisible();
  ageVent(title, 24 * 60);
  await reader.reload();
  await expect(reader.getByText('Vent not found.')).toBeVisible();
  for (const one of [page, reader]) {
    expect((await tryVent(one, vent._id)).status()).toBe(404);
    await one.goto('/vents');
    await expect(one.getByRole('article').first()).toBeVisible();
    await expect(one.getByRole('article').filter({ hasText: title })).toHaveCount(0);
  }
  await page.goto('/myvents');
  await expect(page.getByRole('article').filter({ hasText: title })).toHaveCount(0);
  await reader.context().close();
});

test.describe('in Hindi', () => {
  test.use({ locale: 'hi-IN' });
  test('what would help and how long it stays are said in Hindi', async ({ page }) => {
    const title = newWord('Hindi');
    await signUp(page);
    await postVent(page, { title, need: 'been_there', keepDays: 7 });
    await page.goto('/vents');
    const card = page.getByRole('article').filter({ hasText: title });
    await expect(card.getByText('क्या किसी के साथ ऐसा हुआ है? 7 दिन में हट जाएगी।')).toBeVisible();
    await page.goto('/vent/create');
    await page.getByRole('button', { name: 'और विकल्प' }).click();
    await expect(page.getByRole('group', { name: 'किससे अच्छा लगेगा?' }).getByRole('button')).toHaveCount(4);
    await expect(page.getByRole('group', { name: 'कब तक रहे?' }).getByRole('radio')).toHaveCount(3);
  });
});
