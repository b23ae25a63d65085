import { commentOnVent } from '@unsaid/contract';
import { postVent, signUp } from './api.ts';
import { expect, newPerson, newWord, openComposer, test } from './fixtures.ts';

test('who has posted is asked to listen, answers somebody, and goes on', async ({ page, browser }) => {
  // Somebody waits, whatever other journeys do.
  const other = await newPerson(browser);
  await signUp(other);
  for (let vents = 0; vents < 3; vents += 1) await postVent(other, { title: newWord('Waiting') });

  await signUp(page);
  await page.goto('/vents');
  await openComposer(page);
  await page.getByLabel('Title').fill(newWord('Mine'));
  await page.getByLabel('Text', { exact: true }).fill('Said at last.');
  await page.getByText('Anxious', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await page.getByRole('link', { name: 'Listen to someone' }).click();
  await expect(page).toHaveURL('/listen');
  await expect(page.getByRole('heading', { name: 'Listen', level: 1 })).toBeVisible();

  const title = page.getByRole('article').getByRole('heading', { level: 2 });
  const passed = await title.textContent();
  await page.getByRole('button', { name: 'Pass', exact: true }).click();
  await expect(title).not.toHaveText(passed ?? '');
  const answered = await title.textContent();
  await page.getByRole('button', { name: 'Say something' }).click();
  await expect(page.getByLabel('Your comment')).toBeFocused();
  await page.getByLabel('Your comment').fill("I'm here.");
  const sent = page.waitForRequest(`**${commentOnVent.path}`);
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  expect((await sent).postDataJSON()).toMatchObject({ door: 'ask' });
  await expect(page.getByText("Sent. It'll reach them.")).toBeVisible();
  await expect(title).toHaveText(answered ?? '');
  await page.getByRole('button', { name: 'Next person' }).click();
  await expect(title).not.toHaveText(answered ?? '');
  await page.goBack();
  await expect(page).toHaveURL('/vents');
  await other.context().close();
});

test('vents that wait stand beside Recent, not in it, until "Not today"', async ({ page, browser }) => {
  // Many: five are drawn, and those of the page are left out.
  const other = await newPerson(browser);
  for (let people = 0; people < 2; people += 1) {
    await signUp(other);
    for (let vents = 0; vents < 8; vents += 1) await postVent(other, { title: newWord('Waiting') });
  }
  await signUp(page);
  await page.goto('/vents');
  const region = page.getByRole('region', { name: 'Waiting to be heard' });
  await page.getByRole('article').nth(1).scrollIntoViewIfNeeded();
  await expect(region.getByRole('listitem').first()).toBeVisible();
  const blank = await region.evaluate(
    (shown) => (shown.parentElement?.clientHeight ?? NaN) - shown.clientHeight,
  );
  expect(blank, 'px kept below what is shown').toBeLessThan(40);
  await expect(page.getByRole('article')).toHaveCount(5);
  const shown = await page.getByRole('article').getByRole('heading', { level: 2 }).allTextContents();
  const offered = await region.getByRole('heading', { level: 3 }).allTextContents();
  expect(shown.filter((title) => offered.includes(title))).toEqual([]);

  await region.getByRole('link', { name: offered[0] ?? '' }).click();
  await expect(page.getByRole('heading', { level: 1, name: offered[0] ?? '' })).toBeVisible();
  const sent = page.waitForRequest(`**${commentOnVent.path}`);
  await page.getByLabel('Your comment').fill("I'm here.");
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  expect((await sent).postDataJSON()).toMatchObject({ door: 'region' });
  await page.goBack();
  // The same vents: what was being read does not change.
  await expect(region.getByRole('heading', { level: 3 })).toHaveText(offered);
  await region.getByRole('button', { name: 'Not today' }).click();
  await expect(region).toBeHidden();
  await page.reload();
  await expect(page.getByRole('article')).toHaveCount(5);
  await page.getByRole('article').last().scrollIntoViewIfNeeded();
  await expect(region).toBeHidden();
  await other.context().close();
});

test.describe('at night', () => {
  test.use({ timezoneId: 'Asia/Kolkata' });
  for (const [at, isNight] of [
    ['2026-03-04T02:10:00+05:30', true],
    ['2026-03-04T12:10:00+05:30', false],
  ] as const)
    test(`the note after posting says that few are awake: ${isNight}`, async ({ page }) => {
      await signUp(page);
      await page.clock.setFixedTime(at);
      await page.goto('/vents');
      await openComposer(page);
      await page.getByLabel('Title').fill(newWord('Late'));
      await page.getByLabel('Text', { exact: true }).fill('I cannot sleep again.');
      await page.getByText('Anxious', { exact: true }).first().click();
      await page.getByRole('button', { name: 'Post vent' }).click();
      await expect(page.getByText("It's out. Only you know it's yours.")).toBeVisible();
      await expect(page.getByRole('button', { name: 'Write another' })).toBeVisible();
      const note = page.getByText(/^Few people are awake right now/u);
      await expect(note).toBeVisible({ visible: isNight });
      if (!isNight) return;
      await note.getByRole('link', { name: 'Helplines open now' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Support' })).toBeVisible();
    });
});
