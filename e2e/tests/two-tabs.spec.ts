import { endSession, signUp } from './api.ts';
import { expect, newWord, signInOnScreen, test } from './fixtures.ts';

test('a vent that is written in two tabs is one draft: neither loses the words of the other', async ({
  page,
  context,
}) => {
  await signUp(page);
  await page.goto('/vent/create');
  const second = await context.newPage();
  await second.goto('/vent/create');
  const [first, other] = [page, second].map((tab) => tab.getByLabel('Text', { exact: true }));
  const note = (tab: typeof page) => tab.getByText("You're also writing this in another tab.");
  await expect(other ?? page.locator('none')).toBeVisible();
  await first?.fill('What I could not say,');
  await expect(other ?? page.locator('none')).toHaveValue('What I could not say,');
  await expect(note(second)).toBeVisible();
  await expect(note(page)).toBeHidden();
  await other?.press('End');
  await other?.pressSequentially(' and the rest of it.');
  await expect(note(page)).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue(
    'What I could not say, and the rest of it.',
  );
});

test('a session that ended in mid-use says so in both tabs, and leads back to the words', async ({
  page,
  context,
  complaints,
}) => {
  // A tab may ask for its live connection once more before it has learned of the end.
  complaints.expect(/\/api\/live' failed: HTTP Authentication failed/u);
  const phone = await signUp(page);
  await page.goto('/vent/create');
  const title = newWord('Draft');
  await page.getByLabel('Title').fill(title);
  const second = await context.newPage();
  await second.goto('/vents');
  await expect(second.getByRole('heading', { name: 'Vents', level: 1 })).toBeVisible();
  // The other tab is the first to learn of it, by its live connection.
  await endSession(page);
  const sentence = "Your session ended. Log in again and you'll be back where you were.";
  for (const tab of [second, page]) {
    await expect(tab).toHaveURL('/login');
    await expect(tab.getByText(sentence)).toBeVisible();
  }
  await signInOnScreen(page, phone);
  await expect(page).toHaveURL('/vent/create');
  await expect(page.getByLabel('Title')).toHaveValue(title);
});
