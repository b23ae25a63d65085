import type { Page } from '@playwright/test';
import { postComment, postVent, setUsername, signUp } from './api.ts';
import { expect, logOut, newPerson, newWord, pauseClock, settle, test } from './fixtures.ts';
import { seedComments } from './seed.ts';
import { fullTier } from './tiers.ts';

const card = (page: Page, title: string) => page.getByRole('article').filter({ hasText: title });
const deletionPath = '**/api/vent/comment/*/*';

async function openComments(page: Page, title: string) {
  await card(page, title)
    .getByRole('button', { name: /^Comments/u })
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Your comment')).toBeVisible();
  return dialog;
}

/** The comments of a vent that the server has, read by its own call. */
async function storedComments(page: Page, ventId: string): Promise<string[]> {
  return page.evaluate(async (id) => {
    const headers = { authorization: `Bearer ${localStorage.getItem('unsaid.token')}` };
    const answer = (await (await fetch(`/api/vent/${id}`, { headers })).json()) as {
      vent: { comments: { text: string }[] };
    };
    return answer.vent.comments.map(({ text }) => text);
  }, ventId);
}

// B7
test('a comment draft is kept by vent until it is sent, however the dialog is closed', async ({
  page,
  browser,
}) => {
  const other = await newPerson(browser);
  await signUp(other);
  const title = newWord('Drafted');
  const another = newWord('Another');
  const vent = await postVent(other, { title });
  await postVent(other, { title: another });
  await signUp(page);
  await page.goto('/vents');

  let dialog = await openComments(page, title);
  const box = dialog.getByLabel('Your comment');
  await box.fill('Half a sen');
  // A stray tap beside the dialog does nothing.
  await settle(page);
  await page.mouse.click(195, 40);
  await expect(box).toHaveValue('Half a sen');
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.goBack(),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
  ]) {
    await close();
    await expect(dialog).toHaveCount(0);
    await expect(page).toHaveURL('/vents');
    dialog = await openComments(page, title);
    await expect(box).toHaveValue('Half a sen');
  }
  await page.keyboard.press('Escape');
  await openComments(page, another);
  await expect(box).toHaveValue('');
  // Without words, a tap beside the dialog closes it.
  await settle(page);
  await page.mouse.click(195, 40);
  await expect(dialog).toHaveCount(0);

  await page.reload();
  await openComments(page, title);
  await expect(box).toHaveValue('Half a sen');
  await page.goto(`/vent/${vent._id}`);
  await expect(page.getByLabel('Your comment')).toHaveValue('Half a sen');
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(vent._id);
  await page.getByLabel('Your comment').fill('A whole sentence.');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Delete comment' })).toBeVisible();
  await page.reload();
  await expect(page.getByText('A whole sentence.')).toBeVisible();
  await expect(page.getByLabel('Your comment')).toHaveValue('');

  await page.getByLabel('Your comment').fill('For nobody.');
  await logOut(page);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('For nobody.');
});

// B13
test(
  'a deleted comment can be brought back for five seconds, by the owner of the vent and by its writer (S6.5)',
  fullTier('use-undoable.test.tsx finds an Undo that sends, and vents.spec.ts a deletion that is not sent.'),
  async ({ page }) => {
    const title = newWord('Undone');
    await page.clock.install();
    await signUp(page);
    const vent = await postVent(page, { title });
    seedComments(title, 'Kind words.');
    await postComment(page, vent._id, 'Said by mistake.');
    const deletions: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'DELETE') deletions.push(request.url());
    });

    for (const [path, text] of [
      ['/myvents', 'Kind words.'],
      [`/vents?query=${title}`, 'Said by mistake.'],
      [`/vent/${vent._id}`, 'Said by mistake.'],
    ] as const) {
      await page.goto(path);
      if (!path.startsWith('/vent/')) await openComments(page, title);
      const item = page
        .getByRole('list', { name: 'Comments' })
        .getByRole('listitem')
        .filter({ hasText: text });
      await expect(item).toBeVisible();
      await settle(page);
      await pauseClock(page);
      await item.getByRole('button', { name: 'Delete comment' }).click();
      const undo = page.getByRole('button', { name: 'Undo' });
      await expect(page.getByRole('listitem').filter({ has: undo })).toHaveText('Comment deleted.Undo');
      await expect(item).toHaveCount(0);
      await page.clock.runFor(4900);
      await undo.click();
      await expect(item).toBeVisible();
      await expect(item.getByRole('button', { name: 'Delete comment' })).toBeFocused();
      await page.clock.runFor(60_000);
      expect(deletions).toEqual([]);
      await page.clock.resume();
    }

    const item = page.getByRole('listitem').filter({ hasText: 'Said by mistake.' });
    await pauseClock(page);
    await item.getByRole('button', { name: 'Delete comment' }).click();
    await expect(page.getByText('Comment deleted.')).toBeVisible();
    const sent = page.waitForResponse(deletionPath);
    await page.clock.runFor(5000);
    expect((await sent).ok()).toBe(true);
    await expect(page.getByText('Comment deleted.')).toHaveCount(0);
    await page.clock.resume();
    expect(await storedComments(page, vent._id)).toEqual(['Kind words.']);
  },
);

// B13
test(
  'a deletion is sent at once when the dialog closes, the page closes, or the writer logs out',
  fullTier(
    'use-undoable.test.tsx finds a deletion that is not sent; a request that ends with its page is found at night.',
  ),
  async ({ page, browser }) => {
    const reader = await newPerson(browser);
    await signUp(reader);
    await reader.goto('/support');
    const title = newWord('Closing');
    await page.clock.install();
    await signUp(page);
    const vent = await postVent(page, { title });
    const leave = {
      'by closing the dialog': () => page.keyboard.press('Escape'),
      'by leaving the page': () => page.goto('/favicon.svg'),
      'by logging out': () => logOut(page),
    };
    for (const [how, close] of Object.entries(leave)) {
      await postComment(page, vent._id, `Deleted ${how}.`);
      await page.goto(how === 'by closing the dialog' ? `/vents?query=${title}` : `/vent/${vent._id}`);
      if (how === 'by closing the dialog') await openComments(page, title);
      await expect(page.getByText(`Deleted ${how}.`)).toBeVisible();
      await settle(page);
      await pauseClock(page);
      await page.getByRole('button', { name: 'Delete comment' }).click();
      await expect(page.getByText('Comment deleted.')).toBeVisible();
      expect(await storedComments(reader, vent._id)).toEqual([`Deleted ${how}.`]);
      await page.clock.resume();
      await close();
      await expect.poll(() => storedComments(reader, vent._id), { message: how }).toEqual([]);
    }
  },
);

test(
  'the keyboard alone deletes a comment, brings it back, and has more time for that; focus is never lost',
  fullTier('use-undoable.test.tsx finds it; only where the focus goes is found at night.'),
  async ({ page }) => {
    const title = newWord('Keys');
    await page.clock.install();
    await signUp(page);
    const vent = await postVent(page, { title });
    await postComment(page, vent._id, 'First.');
    await postComment(page, vent._id, 'Second.');
    await page.goto(`/vent/${vent._id}`);
    const remove = page.getByRole('button', { name: 'Delete comment' });
    const undo = page.getByRole('button', { name: 'Undo' });
    await expect(remove).toHaveCount(2);
    await settle(page);
    await pauseClock(page);
    await remove.first().focus();
    await page.keyboard.press('Enter');
    await expect(undo).toBeFocused();
    await page.clock.runFor(15_000);
    await expect(undo).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(remove.first()).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(undo).toBeFocused();
    const sent = page.waitForResponse(deletionPath);
    await page.clock.runFor(20_000);
    await sent;
    await expect(page.getByRole('list', { name: 'Comments' })).toBeFocused();
    await expect(page.getByRole('list', { name: 'Comments' })).toHaveText(/Second\./u);
  },
);

test(
  'a comment is anonymous unless the name is chosen for it beside the button',
  fullTier('comment-composer.test.tsx finds a wrong default voice and one that outlives its comment.'),
  async ({ page, browser }) => {
    const other = await newPerson(browser);
    await signUp(other);
    const title = newWord('Voice');
    const vent = await postVent(other, { title });
    await signUp(page);
    const username = await setUsername(page);
    await page.goto(`/vent/${vent._id}`);
    const anonymous = page.getByRole('radio', { name: 'As Anonymous' });
    const named = page.getByRole('radio', { name: `As ${username}` });
    await expect(anonymous).toBeChecked();
    await named.check();
    await expect(page.getByText('Everyone who reads this will see your name and picture.')).toBeVisible();
    await page.getByLabel('Your comment').fill('From me.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await expect(page.getByRole('listitem').filter({ hasText: 'From me.' })).toContainText(username);
    await expect(anonymous).toBeChecked();
    await expect(page.getByText('Everyone who reads this')).toHaveCount(0);
    await named.check();
    await page.reload();
    await expect(anonymous).toBeChecked();
    await page.getByLabel('Your comment').fill('From nobody.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await expect(page.getByRole('listitem').filter({ hasText: 'From nobody.' })).toContainText('Anonymous');
  },
);
