import { postVent, signUp } from './api.ts';
import { expect, expectToast, newPerson, newWord, openComposer, openMoreChoices, test } from './fixtures.ts';

test('a vent that waits is seen by its author alone, until it is posted now', async ({ page, browser }) => {
  const title = newWord('Later');
  await signUp(page);
  await page.goto('/vents');
  await openComposer(page);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('Not this minute.');
  await page.getByText('Sad', { exact: true }).first().click();
  await openMoreChoices(page);
  await page.getByRole('switch', { name: 'Post a little later' }).click();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expectToast(page, "It'll go out later.");

  const reader = await newPerson(browser);
  await signUp(reader);
  // Something is on the page, whatever other journeys do.
  await postVent(reader, { title: newWord('Theirs') });
  await reader.goto('/vents');
  const read = reader.getByRole('article').filter({ hasText: title });
  await expect(reader.getByRole('article').first()).toBeVisible();
  await expect(read).toBeHidden();

  await page.goto('/myvents');
  const own = page.getByRole('article').filter({ hasText: title });
  await expect(own.getByText('Goes out later. Only you can see it.')).toBeVisible();
  await own.getByRole('button', { name: 'Back to draft' }).click();
  await expect(page).toHaveURL('/vent/create');
  await expect(page.getByLabel('Title')).toHaveValue(title);
  await openMoreChoices(page);
  await expect(page.getByRole('switch', { name: 'Post a little later' })).toBeChecked();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expectToast(page, "It'll go out later.");

  await page.goto('/myvents');
  await own.getByRole('button', { name: 'Post now' }).click();
  await expectToast(page, 'Vent created successfully!');
  await expect(own.getByText(/Only you can see it/u)).toBeHidden();
  await reader.reload();
  await expect(read).toBeVisible();
  await reader.context().close();
});
