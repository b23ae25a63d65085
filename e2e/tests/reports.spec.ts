import type { Locator, Page } from '@playwright/test';
import { expectAccessible, expectTargetSizes, expectToFit } from './a11y.ts';
import { acceptSuggestion, postComment, postVent, signUp, signUpAlike } from './api.ts';
import { expect, newPerson, newWord, openSettings, openVentMenu, settle, test } from './fixtures.ts';
import { createTranslate } from './translate.ts';
import { fullTier } from './tiers.ts';

const folded = "You reported this. We'll look at it.";
const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^Report/u });
const exactly = (at: Page | Locator, name: string) => at.getByRole('button', { name, exact: true });

async function report(page: Page, reason: string, button = 'Report'): Promise<void> {
  const dialog = dialogOf(page);
  await dialog.getByText(reason, { exact: true }).click();
  await exactly(dialog, button).click();
}

async function acknowledge(page: Page, sentence: string): Promise<void> {
  const alert = page.getByRole('alertdialog');
  await expect(alert).toContainText(sentence);
  await exactly(alert, 'OK').click();
  await expect(alert).toBeHidden();
}

/** The rows of Your reports: what, why, the day and the outcome. */
async function readReports(page: Page): Promise<string[]> {
  await openSettings(page);
  // Not a click: parts of the page above it are still loading.
  await page.getByRole('link', { name: 'Your reports' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Your reports' })).toBeFocused();
  const rows = page.getByRole('main').getByRole('listitem');
  await expect(rows.first()).toBeVisible();
  return rows.allTextContents();
}

test('comments and vents are reported with the keyboard, fold for the reporter alone, and stand in Your reports', async ({
  page,
  browser,
}) => {
  const other = await newPerson(browser);
  await signUp(other);
  const vent = await postVent(other, { title: newWord('Heavy') });
  await postComment(other, vent._id, 'You deserve it.');
  await signUp(page);
  await page.goto(`/vents?query=${vent.title}`);
  await page.getByRole('button', { name: 'Comments, 1' }).click();
  // Above the dialog of the comments, which stays open.
  await exactly(page, 'More about this comment').focus();
  await page.keyboard.press('Enter');
  await exactly(page, 'Report comment').focus();
  await page.keyboard.press('Enter');
  await report(page, 'Tells someone to hurt themselves');
  await acknowledge(page, 'Comment reported successfully.');
  const show = page.getByRole('dialog').getByRole('button', { name: 'Show', exact: true });
  await expect(show).toBeFocused();
  await expect(page.getByText('You deserve it.')).toHaveCount(0);
  await expect(page.getByText(folded)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText('You deserve it.')).toBeVisible();
  await expect(exactly(page, 'More about this comment')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();

  await (await openVentMenu(page.getByRole('article'))).getByRole('button', { name: 'Report vent' }).click();
  await report(page, 'Shares private details');
  const alert = page.getByRole('alertdialog');
  await expect(alert).toContainText("within 36 hours if someone's in danger, else within 7 days");
  // Android: Back closes the message alone.
  await page.goBack();
  await expect(alert).toBeHidden();
  await expect(page).toHaveURL(`/vents?query=${vent.title}`);
  await expect(page.getByRole('article')).toContainText(folded);
  await expect(page.getByRole('link', { name: vent.title })).toHaveCount(0);

  // Nothing has changed for anybody else.
  await other.goto(`/vent/${vent._id}`);
  await expect(other.getByRole('heading', { name: vent.title })).toBeVisible();
  await expect(other.getByText('You deserve it.')).toBeVisible();
  await other.context().close();

  expect(await readReports(page)).toEqual([
    'A vent · Shares private detailsToday · Waiting',
    'A comment · Tells someone to hurt themselvesToday · Waiting',
  ]);
});

test(
  'somebody who is worried about a person reads what they can do now, and still sees the vent',
  fullTier('report-dialog.test.tsx finds the sentence; the way back from Support is found at night.'),
  async ({ page, browser }) => {
    const other = await newPerson(browser);
    await signUp(other);
    const vent = await postVent(other, { title: newWord('Night') });
    await other.context().close();
    await signUp(page);
    await page.goto(`/vent/${vent._id}`);
    await exactly(page, 'Report Vent').click();
    await report(page, "I'm worried about them", 'Send');
    const alert = page.getByRole('alertdialog');
    await expect(alert).toContainText('Thank you. A moderator will look.');
    await expect(alert).toContainText("We can't find or call them. If you know them, call 112.");
    await alert.getByRole('link', { name: 'Helplines and what to say' }).click();
    await expect(page).toHaveURL('/support');
    // Past the message: one step back is the vent.
    await page.goBack();
    await expect(page).toHaveURL(`/vent/${vent._id}`);
    await expect(alert).toBeHidden();
    await expect(page.getByRole('heading', { name: vent.title })).toBeVisible();
    expect(await readReports(page)).toEqual(["A vent · I'm worried about themToday · Waiting"]);
  },
);

test(
  'the profile of a match is reported from its dialog, and folds there',
  fullTier(
    'report-dialog.test.tsx folds what was reported; a missing button in a profile is found at night.',
  ),
  async ({ page, browser }) => {
    const { other, mine, theirs } = await signUpAlike(page, browser);
    await acceptSuggestion(other, mine);
    await other.context().close();
    await page.goto('/matches');
    await page.getByRole('button', { name: theirs, exact: true }).click();
    await exactly(page, 'Report profile').click();
    await report(page, 'Harassment');
    await acknowledge(page, 'Profile reported successfully.');
    const profile = page.getByRole('dialog', { name: theirs });
    await expect(profile).toContainText(folded);
    await expect(exactly(profile, 'Show')).toBeFocused();
    await expect(exactly(profile, 'Report profile')).toHaveCount(0);
    expect(await readReports(page)).toEqual(['A profile · HarassmentToday · Waiting']);
  },
);

for (const locale of ['en', 'hi'] as const) {
  test.describe(locale, () => {
    test.use({ locale: `${locale}-IN` });

    // The walks over all screens see most of it in every run.
    test(
      `reporting and its lists are accessible and fit on 320 px (${locale})`,
      fullTier('The walk over the screens of vents sees the dialog; the rest is found at night.'),
      async ({ page, browser }) => {
        const t = createTranslate(locale);
        const look = async (name: string) => {
          await expectAccessible(page, name);
          await expectTargetSizes(page, name);
          await page.setViewportSize({ width: 320, height: 640 });
          await expectToFit(page, name);
          await page.setViewportSize({ width: 390, height: 844 });
        };
        const other = await newPerson(browser);
        await signUp(other);
        const vent = await postVent(other, { title: newWord('Seen') });
        await postComment(other, vent._id, 'Not kind.');
        await other.context().close();
        await signUp(page);
        for (const [path, sentence] of [
          ['/reports', "You haven't reported anything."],
          ['/notices', 'Nothing here.'],
        ] as const) {
          await page.goto(path);
          await expect(page.getByText(t(sentence))).toBeVisible();
          await look(path);
        }
        await page.goto(`/vent/${vent._id}`);
        await exactly(page, t('More about this comment')).click();
        await exactly(page, t('Report comment')).click();
        // The letters of Hindi may still come, and move the lines.
        await settle(page);
        await page.getByText(t("I'm worried about them"), { exact: true }).click();
        await look('report');
        await exactly(page, t('Send')).click();
        await expect(page.getByRole('alertdialog')).toContainText(t('Thank you. A moderator will look.'));
        await look('worried');
        await exactly(page, t('OK')).click();
        await exactly(page, t('Report Vent')).click();
        await page.getByText(t('Spam'), { exact: true }).click();
        await exactly(page, t('Report')).click();
        await expect(page.getByRole('alertdialog')).toContainText(t('Vent reported successfully.'));
        await look('thanks');
        await exactly(page, t('OK')).click();
        await expect(page.getByText(t(folded))).toBeVisible();
        await expect(page.locator('[role=alertdialog]')).toHaveCount(0);
        await settle(page);
        await look('folded');
        await page.goto('/reports');
        await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);
        await look('reports');
      },
    );
  });
}
