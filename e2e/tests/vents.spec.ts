import type { Page } from '@playwright/test';
import { expect, newUsername, signIn, signUp, somebodyElse, tabTo, test } from './fixtures.ts';
import { seedComments, seedVents } from './seed.ts';

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
  // From here on it is known what is new.
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith('unsaid.since.'))))
    .toBe(true);
  await page.goto('/vent/create');
  await writeVent(page, title, 'Nobody asked how I am.', 'Sad');
  await expect(page).toHaveURL('/vents');

  const other = await somebodyElse(browser);
  await signUp(other);
  // With a name, so that there is something to leave out.
  await other.getByRole('button', { name: 'Update Profile' }).click();
  const username = newUsername();
  await other.getByRole('dialog').getByLabel('Username').fill(username);
  await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(other.getByRole('dialog')).toBeHidden();
  await other.goto('/vents');
  const theirs = card(other, title);
  await expect(theirs.getByRole('button', { name: 'Delete vent' })).toHaveCount(0);
  const hug = theirs.getByRole('button', { name: /^Hug/u });
  // Given, taken back, given again, and each time the server holds what is shown.
  for (const [count, isPressed] of [
    [1, 'true'],
    [0, 'false'],
    [1, 'true'],
  ] as const) {
    const told = other.waitForResponse('**/api/vent/react');
    await hug.click();
    await expect(hug).toHaveAccessibleName(`Hug, shows support, ${count}`);
    await expect(hug).toHaveAttribute('aria-pressed', isPressed);
    expect(await (await told).json()).toMatchObject({ reactions: { hug: count } });
  }
  await theirs.getByRole('button', { name: /^Comments/u }).click();
  const dialog = other.getByRole('dialog');
  await expect(dialog.getByText('No comments yet.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByText('Please enter a comment.')).toBeVisible();
  await expect(dialog.getByText('You speak as Anonymous.')).toBeVisible();
  await dialog.getByRole('button', { name: "I've been there." }).click();
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByRole('listitem')).toHaveCount(1);
  await expect(dialog.getByRole('listitem')).toContainText(/Anonymous.*Today/u);
  await dialog.getByRole('switch', { name: 'Show my name' }).click();
  await expect(dialog.getByText('Everyone will see your name and picture here.')).toBeVisible();
  await dialog.getByLabel('Your comment').fill('And it passed.');
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByRole('listitem')).toHaveCount(2);
  await expect(dialog.getByRole('listitem').last()).toContainText(username);
  // For this tab, and only there.
  await other.reload();
  await card(other, title)
    .getByRole('button', { name: /^Comments/u })
    .click();
  await expect(dialog.getByRole('switch', { name: 'Show my name' })).toBeChecked();

  await page.reload();
  await expect(card(page, title).getByRole('button', { name: 'Hug, shows support, 1' })).toBeVisible();
  await card(page, title).getByRole('button', { name: 'Comments, 2' }).click();
  await page.getByRole('dialog').getByLabel('Your comment').fill('Thank you, both.');
  await page.getByRole('dialog').getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(page.getByRole('dialog').getByText('Author', { exact: true })).toBeVisible();

  await page.goto('/');
  const since = page.getByText('Since you were here, your vents were given 1 hug and 2 comments.');
  await expect(since).toBeVisible();
  // Below the fold, or behind the bar at the bottom, it was not seen yet.
  await page.reload();
  await expect(since).toBeVisible();
  const cursor = () =>
    page.evaluate(() => Object.entries(localStorage).find(([key]) => key.startsWith('unsaid.since.'))?.[1]);
  const before = await cursor();
  await since.evaluate((line) => line.scrollIntoView({ block: 'center' }));
  await expect.poll(cursor).not.toBe(before);
  // Seen, and so not told again.
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Latest Vents' })).toBeVisible();
  await expect(page.getByRole('article').first()).toBeVisible();
  await expect(page.getByText('Since you were here')).toHaveCount(0);
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
  const sent = other.waitForRequest('**/api/vent/report');
  await other.getByRole('button', { name: 'Report', exact: true }).click();
  expect((await sent).postDataJSON()).toMatchObject({ reason: 'Other: This is about me.' });
  await expect(other.getByText('Vent reported successfully.')).toBeVisible();
  await expect(other.getByRole('alertdialog')).toBeVisible();
  await other.context().close();
});

test('closing comments refuses the one being written, and takes the button away: on one vent, or on all at once', async ({
  page,
  browser,
}) => {
  test.setTimeout(90_000);
  const [title, second, third] = [uniqueTitle('Closed'), uniqueTitle('Open'), uniqueTitle('Quiet')];
  const comments = (at: Page, vent: string) => card(at, vent).getByRole('button', { name: /^Comments/u });
  await signUp(page);
  await page.goto('/vents');
  await page.getByRole('switch', { name: 'Let people comment' }).click();
  await writeVent(page, third);
  await expect(card(page, third)).toBeVisible();
  await expect(comments(page, third)).toHaveCount(0);
  // The next one begins as the profile says.
  await expect(page.getByRole('switch', { name: 'Let people comment' })).toBeChecked();
  for (const vent of [title, second]) {
    await writeVent(page, vent);
    await expect(comments(page, vent)).toBeVisible();
  }
  const other = await somebodyElse(browser);
  await signUp(other);
  await other.goto('/vents');
  await expect(comments(other, third)).toHaveCount(0);
  await comments(other, title).click();
  const dialog = other.getByRole('dialog');
  await dialog.getByLabel('Your comment').fill('A moment too late.');

  await page.goto('/myvents');
  const allowed = card(page, title).getByRole('switch', { name: 'Let people comment' });
  const closed = page.waitForResponse('**/allow-comments');
  await allowed.click();
  await expect(allowed).not.toBeChecked();
  expect((await closed).ok()).toBe(true);

  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Comments are closed here.');
  await expect(dialog.getByLabel('Your comment')).toHaveValue('A moment too late.');
  await expect(dialog.getByText('No comments yet.')).toBeVisible();
  await other.reload();
  await expect(card(other, title)).toBeVisible();
  await expect(comments(other, title)).toHaveCount(0);
  await expect(comments(other, second)).toBeVisible();

  await page.goto('/');
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await page.getByRole('button', { name: 'Close comments on all my vents now' }).click();
  const alert = page.getByRole('alertdialog');
  await expect(alert).toContainText('could notice which vents closed together');
  await alert.getByRole('button', { name: 'Close all' }).click();
  await expect(alert).toBeHidden();
  await expect(page.getByText('Comments are closed on all your vents.')).toBeVisible();
  await other.reload();
  await expect(card(other, second)).toBeVisible();
  await expect(comments(other, second)).toHaveCount(0);

  // And one opened again, from its own page.
  await page.goto('/myvents');
  await card(page, second).getByRole('link', { name: second }).click();
  const opened = page.waitForResponse('**/allow-comments');
  await page.getByRole('switch', { name: 'Let people comment' }).click();
  expect((await opened).ok()).toBe(true);
  await expect(page.getByLabel('Your comment')).toBeVisible();
  await other.reload();
  await expect(comments(other, second)).toBeVisible();
  await other.context().close();
});

test('a draft survives a reload and a session that ends, and the next person on the phone finds nothing', async ({
  page,
}) => {
  const title = uniqueTitle('Draft');
  const phone = await signUp(page);
  await page.goto('/vents');
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('Half a thought');
  await page.getByRole('switch', { name: 'Let people comment' }).click();
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('night, half a ta');
  await page.reload();
  await expect(page.getByRole('switch', { name: 'Let people comment' })).not.toBeChecked();
  await expect(page.getByLabel('Title')).toHaveValue(title);
  await expect(page.getByRole('button', { name: 'Remove night' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Hashtags' })).toHaveValue('half a ta');
  const endSession = async () => {
    await page.evaluate(async () => {
      const token = localStorage.getItem('unsaid.token');
      await fetch('/api/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    });
    await page.getByText('Sad', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Post vent' }).click();
    await expect(page).toHaveURL('/login');
  };
  await endSession();
  await signIn(page, phone);
  await expect(page.getByLabel('Title')).toHaveValue(title);

  // Somebody else signs in on the same phone: nothing of the draft is left for them, on screen or in storage.
  await endSession();
  await signUp(page);
  await page.goto('/vents');
  await expect(page.getByLabel('Title')).toHaveValue('');
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(kept).not.toContain('Half a thought');
});

test('a press beneath the hashtags is not lost when leaving them makes them grow', async ({ page }) => {
  await signUp(page);
  await page.goto('/vent/create');
  const box = page.getByRole('textbox', { name: 'Hashtags' });
  const allowed = page.getByRole('switch', { name: 'Let people comment' });
  await box.fill('night, a rather long hashtag, ');
  await box.pressSequentially('another one of them');
  await allowed.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const before = await allowed.boundingBox();
  await allowed.click();
  await expect(allowed).not.toBeChecked();
  await expect(page.getByRole('button', { name: 'Remove another one of them' })).toBeVisible();
  expect((await allowed.boundingBox())?.y).toBeGreaterThan(before?.y ?? 0);
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

test('the network goes while posting: the words stay, the draft outlives the page, and it is said once it is back', async ({
  page,
  context,
  complaints,
}) => {
  const title = uniqueTitle('Tunnel');
  await signUp(page);
  await page.goto('/vent/create');
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('train, half');
  await context.setOffline(true);
  await writeVent(page, title, 'Under the river.', 'Burnout');
  await expect(page.getByText(/^Failed to create vent\. .*connection/u)).toBeVisible();
  await expect(page.getByText('What you wrote stays here until it is said.')).toBeVisible();
  await expect(page.getByLabel('Title')).toHaveValue(title);

  await context.setOffline(false);
  await page.reload();
  await expect(page.getByLabel('Title')).toHaveValue(title);
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue('Under the river.');
  await expect(page.getByRole('radio', { name: 'Burnout' })).toBeChecked();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page).toHaveURL('/vents');
  await expect(card(page, title)).toHaveCount(1);
  await expect(card(page, title).getByRole('link', { name: /^#/u })).toHaveText(['#train', '#half']);
  await expect(page.getByLabel('Title')).toHaveValue('');
  // The browser itself says that it was offline.
  expect(complaints.filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  complaints.length = 0;
});

test('the network goes while answering: the words stay, the newest comment stays in sight, and it is said once', async ({
  page,
  context,
  complaints,
}) => {
  const title = uniqueTitle('Answers').replace(' ', '');
  seedVents(title, 1);
  seedComments(`${title} 1`, ...Array.from({ length: 12 }, (_, n) => `Answer ${n + 1}`));
  await signUp(page);
  await page.goto(`/vents?query=${title}`);
  await page.getByRole('button', { name: 'Comments, 12' }).click();
  const dialog = page.getByRole('dialog');
  const newest = dialog.getByText('Answer 12', { exact: true });
  await expect(newest).toBeInViewport({ ratio: 1 });
  const box = dialog.getByLabel('Your comment');
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByText('Please enter a comment.')).toBeVisible();
  await expect(newest).toBeInViewport({ ratio: 1 });

  await context.setOffline(true);
  await box.fill('Said once.');
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('Failed to add comment.', { timeout: 20_000 });
  await expect(box).toHaveValue('Said once.');
  await expect(newest).toBeInViewport({ ratio: 1 });
  await context.setOffline(false);
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await expect(dialog.getByText('Said once.')).toBeInViewport({ ratio: 1 });
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Said once.' })).toHaveCount(1);

  // Whoever reads further up is left there.
  await dialog.getByText('Answer 1', { exact: true }).evaluate((words) => words.scrollIntoView());
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByText('Please enter a comment.')).toBeVisible();
  await expect(dialog.getByText('Answer 1', { exact: true })).toBeInViewport();
  complaints.length = 0;
});

test('typed words stand in no address; back, forward and a reload still find them, and a hashtag can be linked to', async ({
  page,
}) => {
  const word = uniqueTitle('Typed').replace(' ', '');
  seedVents(word, 12);
  await signUp(page);
  const titles = page.getByRole('article').getByRole('heading');
  for (const [address, label] of [
    ['/vents', 'Search vents'],
    ['/vent/search', 'Search vents'],
    ['/myvents', 'Search your vents'],
  ] as const) {
    await page.goto(address);
    const box = page.getByRole('searchbox', { name: label });
    const isMine = address === '/myvents';
    const seesFound = () =>
      isMine
        ? expect(page.getByText('No vents available.')).toBeVisible()
        : expect(titles.first()).toContainText(word);
    await box.fill(word);
    await box.press('Enter');
    await seesFound();
    await expect(page).toHaveURL(address);
    await box.fill('nobodyhassaidthis');
    await box.press('Enter');
    await expect(
      page.getByText(isMine ? 'None of yours are here.' : /^Nothing with these words/u),
    ).toBeVisible();
    await expect(page).toHaveURL(address);
    await page.goBack();
    await seesFound();
    await expect(box).toHaveValue(word);
    await page.reload();
    await seesFound();
    await expect(box).toHaveValue(word);
    await page.goForward();
    await expect(box).toHaveValue('nobodyhassaidthis');
    await page.goBack();
    await page.goBack();
    await expect(box).toHaveValue('');
    expect(await page.evaluate(() => location.href)).not.toContain(word);
  }
  // Pages of a search turn without it either.
  await page.goto('/vents');
  await page.getByRole('searchbox', { name: 'Search vents' }).fill(word);
  await page.getByRole('searchbox', { name: 'Search vents' }).press('Enter');
  await page.getByRole('link', { name: 'Page 3', exact: true }).click();
  await expect(page).toHaveURL('/vents?page=3');
  await expect(titles).toHaveCount(2);
  await page.goto('/vent/search?query=%23nobodyhassaidthis');
  await expect(page.getByRole('searchbox', { name: 'Search vents' })).toHaveValue('#nobodyhassaidthis');
});

test('ten pages and then Older, in the feed and in its search; a vent beyond the newest 100 opens from its link', async ({
  page,
}) => {
  const word = uniqueTitle('Old').replace(' ', '');
  seedVents(word, 104);
  await signUp(page);
  const pager = page.getByRole('navigation', { name: 'Pages' });
  const titles = page.getByRole('article').getByRole('heading');
  for (const address of ['/vents', `/vents?query=${word}`]) {
    await page.goto(address);
    await pager.getByLabel('Page 10', { exact: true }).click();
    await expect(page).toHaveURL(/page=10$/u);
    await expect(titles).toHaveCount(5);
    await expect(pager.getByRole('link', { name: 'Page 10' })).toHaveAttribute('aria-current', 'page');
    const last = await titles.allTextContents();
    await pager.getByRole('link', { name: 'Older' }).click();
    await expect(page).toHaveURL(/before=/u);
    await expect(titles.first()).not.toHaveText(last[0] ?? '');
    const older = await titles.allTextContents();
    expect(older).toHaveLength(5);
    expect(older.filter((title) => last.includes(title))).toEqual([]);
  }
  await expect(titles).toHaveText([51, 52, 53, 54, 55].map((n) => `${word} ${n}`));
  // A blank search on the feed is the list again.
  await page.getByRole('searchbox', { name: 'Search vents' }).fill(' ');
  await page.getByRole('searchbox', { name: 'Search vents' }).press('Enter');
  await expect(page).toHaveURL('/vents');

  await page.goto(`/vents?query=${word}+104`);
  await page.getByRole('link', { name: `${word} 104` }).click();
  await expect(page).toHaveURL(/\/vent\/[A-Za-z0-9_-]{22}$/u);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: `${word} 104` })).toBeVisible();
  const newest = await page.evaluate(async () => {
    const headers = { authorization: `Bearer ${localStorage.getItem('unsaid.token')}` };
    return (await fetch('/api/vent/all?limit=100', { headers })).text();
  });
  expect(newest).not.toContain(`${word} 104`);
});

test('any comment on one’s own vent is deleted in My Vents alone, and one’s own comment wherever it is shown', async ({
  page,
}) => {
  const title = uniqueTitle('Answered');
  await signUp(page);
  await page.goto('/vent/create');
  await writeVent(page, title);
  await expect(card(page, title)).toBeVisible();
  seedComments(title, 'Kind words.', 'Unkind words.');
  const dialog = page.getByRole('dialog');
  const remove = dialog.getByRole('button', { name: 'Delete comment' });
  // The server keeps a page for a second, and knows nothing of what is put straight into the database.
  await expect(async () => {
    await page.reload();
    await card(page, title).getByRole('button', { name: 'Comments, 2' }).click({ timeout: 2000 });
  }).toPass();
  await expect(dialog.getByText('Unkind words.')).toBeVisible();
  await expect(remove).toHaveCount(0);
  await dialog.getByRole('textbox').fill('Said by mistake.');
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  const mistake = dialog.getByRole('listitem').filter({ hasText: 'Said by mistake.' });
  await mistake.getByRole('button', { name: 'Delete comment' }).click();
  await expect(mistake).toHaveCount(0);

  await page.goto('/myvents');
  await card(page, title).getByRole('button', { name: 'Comments, 2' }).click();
  await dialog.getByRole('listitem').filter({ hasText: 'Unkind' }).getByRole('button').click();
  await expect(dialog.getByText('Unkind words.')).toBeHidden();
  await expect(dialog.getByText('Kind words.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(card(page, title).getByRole('button', { name: 'Comments, 1' })).toBeFocused();
  await page.reload();
  await expect(card(page, title).getByRole('button', { name: 'Comments, 1' })).toBeVisible();
});

test('without a mouse: write, post, react, comment, report and delete, and focus is never lost', async ({
  page,
}) => {
  const title = uniqueTitle('Keys');
  const theirs = uniqueTitle('Theirs').replace(' ', '');
  seedVents(theirs, 1);
  await signUp(page);
  await page.goto('/vents');
  const { keyboard } = page;

  await tabTo(page.getByLabel('Title'));
  await keyboard.type(title);
  await tabTo(page.getByLabel('Text', { exact: true }));
  await keyboard.type('Said with keys alone.');
  await tabTo(page.getByRole('radio', { name: 'Happy' }));
  await keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Sad' })).toBeChecked();
  await tabTo(page.getByRole('textbox', { name: 'Hashtags' }));
  await keyboard.type('keys');
  await keyboard.press('Enter');
  const allowed = page.getByRole('switch', { name: 'Let people comment' });
  await tabTo(allowed);
  await keyboard.press('Space');
  await expect(allowed).not.toBeChecked();
  await keyboard.press('Space');
  await expect(allowed).toBeChecked();
  await tabTo(page.getByRole('button', { name: 'Post vent' }));
  await keyboard.press('Enter');
  const mine = card(page, title);
  await expect(mine).toBeVisible();

  const heart = mine.getByRole('button', { name: /^Heart/u });
  await tabTo(heart);
  await expect(heart.getByText('shows love')).toBeVisible();
  await keyboard.press('Space');
  await expect(heart).toHaveAccessibleName('Heart, shows love, 1');

  const comments = mine.getByRole('button', { name: /^Comments/u });
  await tabTo(comments);
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await tabTo(dialog.getByLabel('Your comment'));
  await keyboard.type('Answered with keys.');
  await tabTo(dialog.getByRole('button', { name: 'Comment', exact: true }));
  await keyboard.press('Enter');
  await expect(dialog.getByRole('listitem')).toHaveCount(1);
  await keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(comments).toBeFocused();

  await tabTo(page.getByRole('searchbox', { name: 'Search vents' }));
  await keyboard.type(theirs);
  await keyboard.press('Enter');
  const report = card(page, theirs).getByRole('button', { name: 'Report vent' });
  await tabTo(report);
  await keyboard.press('Enter');
  await tabTo(dialog.getByRole('radio', { name: 'Inappropriate Content' }));
  await keyboard.press('Space');
  await tabTo(dialog.getByRole('button', { name: 'Report', exact: true }));
  await keyboard.press('Enter');
  const alert = page.getByRole('alertdialog');
  await expect(alert).toContainText('Vent reported successfully.');
  await expect(alert.getByRole('button', { name: 'OK' })).toBeFocused();
  await keyboard.press('Enter');
  await expect(alert).toBeHidden();
  await expect(report).toBeFocused();

  await tabTo(page.getByRole('button', { name: 'Show all' }));
  await keyboard.press('Enter');
  const remove = mine.getByRole('button', { name: 'Delete vent' });
  await tabTo(remove);
  await keyboard.press('Enter');
  await expect(alert.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await keyboard.press('Escape');
  await expect(remove).toBeFocused();
  await keyboard.press('Enter');
  await tabTo(alert.getByRole('button', { name: 'Delete', exact: true }));
  await keyboard.press('Enter');
  await expect(mine).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Vents' })).toBeFocused();
});
