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
  const helped = page.getByRole('button', { name: /^(?:This helped|You said this helped)$/u });
  // By keyboard alone.
  await helped.focus();
  await page.keyboard.press('Enter');
  await expect(helped).toHaveText('You said this helped');
  await expect(helped).toBeFocused();
  await expect(page.getByText("They'll know in a few days. Nobody else will.")).toBeVisible();
  await expectAccessible(page, 'a comment that helped');
  await page.reload();
  await expect(helped).toHaveAttribute('aria-pressed', 'true');
  // Pressed again, nothing is sent.
  let requests = 0;
  page.on(
    'request',
    (request) => (requests += Number(request.method() === 'POST' && request.url().endsWith('/thank'))),
  );
  await helped.press('Enter');
  await expect(helped).toHaveText('You said this helped');
  expect(requests).toBe(0);

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

  await other.context().close();
});
