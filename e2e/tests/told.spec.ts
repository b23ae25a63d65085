import type { LiveTick } from '@unsaid/contract';
import type { Page } from '@playwright/test';
import { postVent, signUp } from './api.ts';
import { expect, logOut, newPerson, newWord, openComposer, openSettings, tabTo, test } from './fixtures.ts';
import { ageVent } from './seed.ts';

/** The words in the live region, which has no size of its own. */
const line = (page: Page) => page.getByRole('status').getByText("Someone's waiting to be heard.");
const inLine = (page: Page) => page.getByRole('status').filter({ hasText: "Someone's waiting to be heard." });
const toldSwitch = (page: Page) => page.getByRole('switch', { name: "Tell me when someone's waiting" });

test('who wants it is told that someone waits, and listens; log-out forgets the wish', async ({
  page,
  browser,
}) => {
  await signUp(page);
  await openSettings(page);
  await expect(toldSwitch(page)).not.toBeChecked();

  // One of them reaches its second minute within the next, whoever listened here before.
  const other = await newPerson(browser);
  await signUp(other);
  for (const minutes of [1, 2]) {
    const title = newWord('Waiting');
    await postVent(other, { title });
    ageVent(title, minutes);
  }
  await toldSwitch(page).press('Space');
  await expect(toldSwitch(page)).toBeChecked();
  await expect(line(page)).toBeVisible({ timeout: 120_000 });
  await expect(page).toHaveTitle(/^• .*Settings · Unsaid$/u);

  await inLine(page).getByRole('link', { name: 'Listen' }).press('Enter');
  await expect(page).toHaveURL('/listen');
  await expect(page.getByRole('article').getByRole('heading', { level: 2 })).toBeVisible();
  await expect(line(page)).toBeHidden();
  await expect(page).toHaveTitle(/^[^•]*Listen · Unsaid$/u);
  await expect(toldSwitch(page)).toBeChecked();

  await logOut(page);
  expect(await page.evaluate(() => localStorage.getItem('unsaid.told'))).toBeNull();
  await other.context().close();
});

/** The next tick after each call says that somebody waits. */
async function prepareMarks(page: Page): Promise<() => void> {
  let isDue = false;
  await page.routeWebSocket('**/api/live', (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      socket.send(JSON.stringify({ ...(JSON.parse(String(text)) as LiveTick), waits: isDue ? 1 : 0 }));
      isDue = false;
    });
  });
  return () => (isDue = true);
}

test('the mark of a tick causes no request, and "Not today" holds on the next page', async ({
  page,
  requests,
}) => {
  await signUp(page);
  const mark = await prepareMarks(page);
  await page.goto('/listen');
  await toldSwitch(page).click();
  await page.goto('/faq');
  await page.waitForLoadState('networkidle');
  const before = requests.length;
  mark();
  await expect(line(page)).toBeVisible();
  expect(requests.slice(before)).toEqual([]);
  await tabTo(inLine(page).getByRole('button', { name: 'Not today' }));
  await page.keyboard.press('Enter');
  await expect(line(page)).toBeHidden();
  await expect(page.locator('#page')).toBeFocused();
  await page.goto('/terms');
  await page.waitForLoadState('networkidle');
  await expect(line(page)).toBeHidden();
});

test('who types is not disturbed', async ({ page }) => {
  await signUp(page);
  await page.goto('/listen');
  await toldSwitch(page).click();
  const mark = await prepareMarks(page);
  await page.goto('/vents');
  await openComposer(page);
  await expect(page.getByLabel('Text', { exact: true })).toBeFocused();
  mark();
  await expect(page).toHaveTitle(/^• /u);
  await expect(line(page)).toBeHidden();
  await page.getByLabel('Text', { exact: true }).blur();
  await expect(line(page)).toBeVisible();
});

test.describe('in Hindi', () => {
  test.use({ locale: 'hi-IN' });
  test('the switch and the line are in Hindi', async ({ page }) => {
    await signUp(page);
    const mark = await prepareMarks(page);
    await page.goto('/listen');
    await page.getByRole('switch', { name: 'कोई इंतज़ार में हो, तो मुझे बताएँ' }).click();
    await page.goto('/faq');
    await page.waitForLoadState('networkidle');
    mark();
    await expect(page.getByText('कोई इंतज़ार में है कि उसे सुना जाए।')).toBeVisible();
    await page.getByRole('status').getByRole('link', { name: 'सुनें' }).click();
    await expect(page).toHaveURL('/listen');
  });
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
