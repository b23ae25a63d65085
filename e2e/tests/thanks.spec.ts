import { expectAccessible } from './a11y.ts';
import { postComment, postVent, signUp } from './api.ts';
import { expect, newPerson, newWord, test } from './fixtures.ts';
import { showThanks } from './seed.ts';

test('an author says that a comment helped, and its writer reads so in the inbox a week later', async ({
  page,
  browser,
}) => {
  const other = await newPerson(browser);
  await signUp(page);
  await signUp(other);
  const title = newWord('Heard');
  const vent = await postVent(page, { title });
  await postComment(other, vent._id, 'One day at a time.', true);

  await page.goto(`/vent/${vent._id}`);
  const helped = page.getByRole('button', { name: 'This helped' });
  // By keyboard alone: pressed, taken back, pressed again.
  await helped.focus();
  for (const isPressed of ['true', 'false', 'true']) {
    await page.keyboard.press('Enter');
    await expect(helped).toHaveAttribute('aria-pressed', isPressed);
  }
  await expect(page.getByText("They'll know in a few days. Nobody else will.")).toBeVisible();
  await expectAccessible(page, 'a comment that helped');
  await page.reload();
  await expect(helped).toHaveAttribute('aria-pressed', 'true');

  // Its writer sees no such button, and learns nothing before the day has come.
  await other.goto(`/vent/${vent._id}`);
  await expect(other.getByText('One day at a time.')).toBeVisible();
  await expect(other.getByRole('button', { name: 'This helped' })).toBeHidden();
  await other.goto('/inbox');
  await expect(other.getByRole('heading', { level: 1 })).toBeVisible();
  const line = other.getByRole('link', { name: `Your words helped on “${title}”` });
  await expect(line).toBeHidden();
  showThanks(title);
  await other.reload();
  await line.click();
  await expect(other.getByRole('heading', { level: 1, name: title })).toBeVisible();

  // Too late to take it back.
  await page.reload();
  await helped.click();
  await expect(page.getByText('They already know that it helped.')).toBeVisible();
  await expect(helped).toHaveAttribute('aria-pressed', 'true');
  await other.context().close();
});
