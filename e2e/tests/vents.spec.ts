import type { Browser, Page } from '@playwright/test';
import { expect, newUsername, signIn, signUp, test, visit } from './fixtures.ts';

/** Somebody else, in a browser of their own. */
async function somebodyElse(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-IN' });
  return context.newPage();
}

let count = 0;
const uniqueTitle = (about: string) => `${about} ${Date.now().toString(36)}${(count += 1)}`;

async function writeVent(
  page: Page,
  title: string,
  text = 'Said at last.',
  emotion = 'Anxious',
): Promise<void> {
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill(text);
  await page.getByText(emotion, { exact: true }).first().click();
  await page.getByRole('button', { name: 'Post vent' }).click();
}

const card = (page: Page, title: string) => page.getByRole('article').filter({ hasText: title });

test('say it on the feed, see it at once, find it, and take it back', async ({ page }) => {
  const title = uniqueTitle('Exams');
  await signUp(page);
  await page.goto('/vents');
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByText('Please fill in all required fields.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('exams, परिवार,');
  await writeVent(page, title, 'रात भर नींद नहीं आई।\nAnd then it was morning.');
  await expect(page.getByText('Vent created successfully!')).toBeVisible();
  await expect(card(page, title)).toBeVisible();
  await expect(card(page, title).getByText('परिवार')).toBeVisible();

  await page.goto('/vent/search');
  await page.getByRole('searchbox').or(page.getByLabel('Search vents')).first().fill('');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(page.getByText('Please enter a search query.')).toBeVisible();
  await page
    .getByRole('searchbox')
    .or(page.getByLabel('Search vents'))
    .first()
    .fill(title.split(' ')[1] ?? '');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('link', { name: title }).first().click();
  await expect(page).toHaveURL(/\/vent\/[A-Za-z0-9_-]{22}$/u);
  await expect(page.getByRole('button', { name: 'Report Vent' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Delete Vent', exact: true }).click();
  await expect(page.getByText('Are you sure you want to delete this vent?')).toBeVisible();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page).toHaveURL('/myvents');
  await expect(page.getByText("You haven't created any vents yet.")).toBeVisible();
});

test('somebody else reacts, answers under a name and as Anonymous; the author answers as Author', async ({
  page,
  browser,
}) => {
  test.setTimeout(90_000);
  const title = uniqueTitle('Lonely');
  await signUp(page);
  await page.goto('/vent/create');
  await writeVent(page, title, 'Nobody asked how I am.', 'Sad');
  await expect(page).toHaveURL('/vents');

  const other = await somebodyElse(browser);
  await signUp(other);
  // With a name, so that there is something to leave out.
  await other.getByRole('button', { name: 'Update Profile' }).click();
  await other.getByRole('dialog').getByLabel('Username').fill(newUsername());
  await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(other.getByRole('dialog')).toBeHidden();
  await other.goto('/vents');
  const theirs = card(other, title);
  await expect(theirs.getByRole('button', { name: 'Delete vent' })).toHaveCount(0);
  await theirs.getByRole('button', { name: /^Hug/u }).click();
  await expect(theirs.getByRole('button', { name: 'Hug, shows support, 1' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await theirs.getByRole('button', { name: /^Comments/u }).click();
  const dialog = other.getByRole('dialog');
  await expect(dialog.getByText('No comments yet.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByText('Please enter a comment.')).toBeVisible();
  await dialog.getByRole('button', { name: "I've been there." }).click();
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByRole('listitem')).toHaveCount(1);
  await dialog.getByRole('switch', { name: /Anonymous/u }).click();
  await dialog.getByLabel('Your comment').fill('And it passed.');
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByRole('listitem')).toHaveCount(2);

  await page.reload();
  await expect(card(page, title).getByRole('button', { name: 'Hug, shows support, 1' })).toBeVisible();
  await card(page, title).getByRole('button', { name: 'Comments, 2' }).click();
  await page.getByRole('dialog').getByLabel('Your comment').fill('Thank you, both.');
  await page.getByRole('dialog').getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(page.getByRole('dialog').getByText('Author', { exact: true })).toBeVisible();

  await page.goto('/');
  await expect(page.getByText(/1 hug/iu)).toBeVisible();
  await other.context().close();
});

test('report a vent: a reason is needed, and the words of the spec come back', async ({ page, browser }) => {
  const title = uniqueTitle('Odd');
  await signUp(page);
  await page.goto('/vents');
  await writeVent(page, title, 'Something to report.', 'Angry');
  await expect(card(page, title)).toBeVisible();
  const other = await somebodyElse(browser);
  await signUp(other);
  await other.goto('/vents');
  await card(other, title).getByRole('button', { name: 'Report vent' }).click();
  await other.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(other.getByText('Please select a reason for reporting.')).toBeVisible();
  await other.getByText('Other', { exact: true }).click();
  await other.getByLabel('Details').fill('This is about me.');
  await other.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(other.getByText('Vent reported successfully.')).toBeVisible();
  await expect(other.getByRole('alertdialog')).toBeVisible();
  await other.context().close();
});

test('closing comments takes the button away from every vent at once', async ({ page, browser }) => {
  const title = uniqueTitle('Closed');
  await signUp(page);
  await page.goto('/vents');
  await writeVent(page, title);
  await expect(card(page, title)).toBeVisible();
  await page.goto('/');
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await page
    .getByRole('dialog')
    .getByRole('switch', { name: /Allow comments/u })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  const other = await somebodyElse(browser);
  await signUp(other);
  await other.goto('/vents');
  await expect(card(other, title)).toBeVisible();
  await expect(card(other, title).getByRole('button', { name: /^Comments/u })).toHaveCount(0);
  await other.context().close();
});

test('a draft survives a reload and a session that ends, and nobody else sees it', async ({ page }) => {
  const title = uniqueTitle('Draft');
  const phone = await signUp(page);
  await page.goto('/vents');
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('Half a thought');
  await page.waitForTimeout(700);
  await page.reload();
  await expect(page.getByLabel('Title')).toHaveValue(title);
  await page.evaluate(async () => {
    const token = localStorage.getItem('unsaid.token');
    await fetch('/api/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  });
  await page.getByText('Sad', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page).toHaveURL('/login');
  // Somebody else signs in on the same phone: the draft is not theirs to see.
  await signUp(page);
  await page.goto('/vents');
  await expect(page.getByLabel('Title')).toHaveValue('');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL('/login');
  await visit(page, '/login');
  await signIn(page, phone);
  await expect(page).toHaveURL('/');
  await page.goto('/vents');
  await expect(page.getByLabel('Title')).toHaveValue(title);
});

test('the pager has ten pages, keeps its place through back and forward, and disables what is empty', async ({
  page,
}) => {
  await signUp(page);
  await page.goto('/vents');
  for (let n = 0; n < 6; n += 1) {
    const title = uniqueTitle(`Pages${n}`);
    await writeVent(page, title);
    await expect(card(page, title)).toBeVisible();
  }
  const pager = page.getByRole('navigation', { name: 'Pages' });
  await expect(pager.getByLabel(/^Page \d+$/u)).toHaveCount(10);
  const first = await page.getByRole('article').first().innerText();
  await pager.getByLabel('Page 2', { exact: true }).click();
  await expect(page).toHaveURL(/page=2/u);
  await expect(page.getByRole('article').first()).not.toHaveText(first);
  await page
    .getByRole('button', { name: 'Trending' })
    .or(page.getByRole('link', { name: 'Trending' }))
    .first()
    .click();
  await expect(page).toHaveURL(/sort=trending/u);
  await page.goBack();
  await expect(page).toHaveURL(/page=2/u);
});

test('a reaction that fails is taken back, without a word', async ({ page, complaints }) => {
  const title = uniqueTitle('Offline');
  await signUp(page);
  await page.goto('/vents');
  await writeVent(page, title);
  const heart = card(page, title).getByRole('button', { name: /^Heart/u });
  await page.route('**/api/vent/react', (route) => route.abort('connectionfailed'));
  await heart.click();
  await expect(heart).toHaveAttribute('aria-pressed', 'false');
  await expect(heart).toHaveAccessibleName(/, 0$/u);
  complaints.length = 0;
});
