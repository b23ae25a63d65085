import { execFileSync } from 'node:child_process';
import type { Page } from '@playwright/test';
import { enrolByKeyboard, result, takeNext } from '../tests/console.ts';
import {
  answerMatch,
  enterPhone,
  expect,
  expectToast,
  newPerson,
  openComposer,
  openVentMenu,
  test,
  typeCode,
} from '../tests/fixtures.ts';

/** One journey for each role, in a browser, on what ships. That of the operator is deploy/try-setup.sh. */

const run = (...args: string[]) =>
  execFileSync('bash', ['deploy/run.sh', ...args], { cwd: '/opt/unsaid', encoding: 'utf8' });

/** A number that needs no SMS. */
async function signUp(page: Page, phone: string, name: string): Promise<void> {
  await page.goto('/signup');
  await enterPhone(page, phone);
  await typeCode(page, '123456');
  await page.getByLabel('Username').fill(name);
  await page.getByRole('button', { name: 'Complete Profile' }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
}

async function write(page: Page, title: string, isHeld = false): Promise<void> {
  await page.goto('/vents');
  await openComposer(page);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill(`${title}, said to nobody.`);
  await page.getByText('Sad', { exact: true }).first().click();
  if (isHeld) {
    await page.getByRole('button', { name: 'More choices' }).click();
    await page.getByRole('switch', { name: 'Post a little later' }).click();
  }
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expectToast(page, isHeld ? "It'll go out later." : 'Vent created successfully!');
}

const card = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });

test.describe.configure({ mode: 'serial' });

test('people sign up, vent, hold a vent back until the worker posts it, and match; one is reported, and a moderator removes it', async ({
  page,
  browser,
}) => {
  const other = await newPerson(browser);
  await signUp(page, '+919900000004', 'asha_trial');
  await signUp(other, '+919900000005', 'ravi_trial');

  await write(page, 'Held back', true);
  await page.goto('/myvents');
  await expect(card(page, 'Held back')).toContainText('Only you can see it.');
  // The worker has a timer for each of the next minute; one that is late gets another moment.
  run('sql', '-qc', "update content.held_vents set goes_out_at = now() + interval '25 seconds'");

  await write(page, 'At night');
  await other.goto('/vents');
  await expect(card(other, 'At night')).toBeVisible();

  await page.goto('/matches');
  await answerMatch(card(page, 'ravi_trial').getByRole('button', { name: 'Accept' }));
  await expectToast(page, 'Match accepted!');
  await other.goto('/matches');
  await answerMatch(card(other, 'asha_trial').getByRole('button', { name: 'Accept' }));
  await expect(card(other, 'asha_trial').getByText('You both said yes.')).toBeVisible();

  // Its clock stood still for the undo of the match.
  const reader = await other.context().newPage();
  // Before the moderator decides: who is limited posts nothing, held or not.
  await expect(async () => {
    await reader.goto('/vents');
    await expect(card(reader, 'Held back')).toBeVisible({ timeout: 5000 });
  }).toPass({ timeout: 90_000 });
  await (await openVentMenu(card(reader, 'At night'))).getByRole('button', { name: 'Report Vent' }).click();
  await reader.getByText('Shares private details').click();
  await reader.getByRole('button', { name: 'Report', exact: true }).click();
  await reader.getByRole('button', { name: 'OK', exact: true }).click();

  const [link = ''] = /https:\S+/u.exec(run('moderators', 'add', 'meera', '--role', 'moderator')) ?? [];
  const moderator = await newPerson(browser, {
    baseURL: 'https://moderation.unsaid.local',
    viewport: { width: 1280, height: 860 },
  });
  await enrolByKeyboard(moderator, link);
  await takeNext(moderator);
  await moderator.keyboard.press('4');
  await moderator.getByRole('radio', { name: /^Limit/u }).check();
  await moderator.keyboard.press('Control+Enter');
  await expect(result(moderator)).toContainText('removed. Thank you.');

  await reader.goto('/reports');
  await expect(reader.getByRole('main').getByRole('listitem')).toContainText(
    'A rule was broken, and we acted',
  );
  const author = await page.context().newPage();
  await author.goto('/notices');
  await expect(card(author, 'At night')).toContainText("don't share details that identify someone");

  await reader.goto('/vents');
  await expect(card(reader, 'Held back')).toBeVisible();
  await expect(card(reader, 'At night')).toBeHidden();
});
