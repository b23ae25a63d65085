import type { Page } from '@playwright/test';
import { postVent, signUp } from './api.ts';
import { addModerator, consoleScreen, enrolByKeyboard, result, takeNext } from './console.ts';
import { expect, newPerson, newWord, test } from './fixtures.ts';
import { emptyQueue } from './seed.ts';
import { createTranslate } from './translate.ts';

const t = createTranslate('hi');
const exactly = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test.beforeEach(emptyQueue);

test('a reported vent is removed, its author reads why in Hindi, cannot post, appeals, and a second moderator brings it back', async ({
  page,
  browser,
}) => {
  const author = await newPerson(browser, { locale: 'hi-IN' });
  await signUp(author);
  const vent = await postVent(author, { title: newWord('Number') });

  // Reported in the dialog.
  await signUp(page);
  await page.goto(`/vent/${vent._id}`);
  await exactly(page, 'Report Vent').click();
  await page.getByText('Shares private details').click();
  await exactly(page, 'Report').click();
  await exactly(page, 'OK').click();

  // Removed with a limit, by a passkey.
  const first = await newPerson(browser, consoleScreen);
  await enrolByKeyboard(first, await addModerator('moderator'));
  await takeNext(first);
  const address = first.url();
  await first.keyboard.press('4');
  await first.getByRole('radio', { name: /^Limit/u }).check();
  await expect(first.getByText(/You can read, but not post, until/u)).toBeVisible();
  await first.keyboard.press('Control+Enter');
  await expect(result(first)).toContainText('removed. Thank you.');

  // Gone for everybody, and the reporter reads that it helped.
  await page.goto(`/vent/${vent._id}`);
  await expect(page.getByText('Vent not found.')).toBeVisible();
  await page.goto('/reports');
  await expect(page.getByRole('main').getByRole('listitem')).toHaveText(
    'A vent · Shares private detailsToday · A rule was broken, and we acted',
  );

  // The author cannot post, knows it before writing, and finds out why.
  await author.goto('/vent/create');
  await expect(author.getByText(t("You can read for now, but you can't post."))).toBeVisible();
  await expect(exactly(author, t('Post vent'))).toBeDisabled();
  await author.getByLabel(t('Text')).fill('रात बहुत लंबी है।');
  await author.getByRole('link', { name: t('See why') }).click();
  const notice = author.getByRole('article').filter({ hasText: vent.title });
  await expect(notice).toContainText('हटा दी');
  await expect(notice).toContainText(t("don't share details that identify someone"));
  await expect(notice).toContainText('पोस्ट करना बंद है');
  await exactly(author, t('Ask for a second look')).click();
  await author.getByLabel(t('Why should we look again?')).fill('यह मेरा अपना पुराना नंबर है।');
  await exactly(author, t('Send')).click();
  await expect(notice).toContainText(t('You asked for a second look. Someone else decides, within 3 days.'));
  // What was written is kept.
  await author.goto('/vent/create');
  await expect(author.getByLabel(t('Text'))).toHaveValue('रात बहुत लंबी है।');

  // Whoever decided cannot look again.
  await first.goto(address);
  await expect(
    first.getByText('You decided this case, so somebody else has to look at it now.'),
  ).toBeVisible();
  const refused = await first.evaluate(async (id) => {
    const response = await fetch(`/api/mod/cases/${id}/take`, { method: 'POST' });
    return (await response.json()) as unknown;
  }, address.split('/').at(-1));
  expect(refused).toMatchObject({ code: 'SECOND_PERSON' });

  // Somebody else can, and overturns it.
  const second = await newPerson(browser, consoleScreen);
  await enrolByKeyboard(second, await addModerator('moderator'));
  await second.goto(address);
  await exactly(second, 'Take this case').click();
  await expect(second.getByText(/You hold this case/u)).toBeVisible();
  await second.keyboard.press('2');
  await second.keyboard.press('Control+Enter');
  await expect(result(second)).toContainText('Overturned. The item is back.');
  await second.goto('/figures');
  await expect(second.getByRole('main')).toContainText(/[1-9]\d* of [1-9]\d* resolved/u);
  await Promise.all([first.context().close(), second.context().close()]);

  // The vent is back, the author may speak again, and reads it.
  await author.goto('/notices');
  await expect(notice).toContainText(t("We looked again, and we were wrong. It's back."));
  await author.goto(`/vent/${vent._id}`);
  await expect(author.getByRole('heading', { name: vent.title })).toBeVisible();
  await author.goto('/vent/create');
  await expect(author.getByLabel(t('Text'))).toHaveValue('रात बहुत लंबी है।');
  await expect(exactly(author, t('Post vent'))).toBeEnabled();
  await author.context().close();
  const back = page.waitForResponse(`**/api/vent/${vent._id}`);
  await page.goto(`/vent/${vent._id}`);
  expect((await back).status()).toBe(200);
});
