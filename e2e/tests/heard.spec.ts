import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { getHeard, type HeardWeek } from '@unsaid/contract';
import type { Page } from '@playwright/test';
import { repo, testEnv } from '../test-env.ts';
import { doubleText, expectAccessible, expectToFit } from './a11y.ts';
import { postComment, postVent, signUp } from './api.ts';
import { expect, newPerson, newWord, settle, test } from './fixtures.ts';
import { fullTier } from './tiers.ts';

const run = promisify(execFile);

const week: HeardWeek = { week: '2026-11-09', byNextDay: 96 };

/** It takes a week of a hundred vents, and heard.test.ts proves the figures: here they are given. */
async function serveFigures(page: Page, figures: HeardWeek): Promise<void> {
  await page.route(`**${getHeard.path}`, (route) =>
    route.fulfill({ json: { success: true, week: figures } }),
  );
}

for (const locale of ['en', 'hi'] as const) {
  const tier = locale === 'en' ? {} : fullTier('Words that are too wide in Hindi are found at night.');
  test(
    `how soon vents are heard is readable at 320 px and passes axe, in ${locale}`,
    tier,
    async ({ page }) => {
      await page.addInitScript((chosen) => localStorage.setItem('unsaid.locale', chosen), locale);
      await serveFigures(page, week);
      await page.setViewportSize({ width: 320, height: 700 });
      await page.goto('/heard');
      await expect(page.getByRole('main')).toContainText('96%');
      await settle(page);
      await expectToFit(page, `heard at 320 px, ${locale}`);
      await expectAccessible(page, `heard, ${locale}`);
      await page.setViewportSize({ width: 390, height: 844 });
      await doubleText(page);
      await expectToFit(page, `heard at 390 px, twice the size, ${locale}`);
    },
  );
}

test('a visitor reads how soon people are answered, and that the team is among them', async ({ page }) => {
  await page.goto('/signup');
  const line = page.getByText('answers too, under its own name');
  await expect(line).toBeVisible();
  await expect(line).not.toContainText('Last week');
  await page.getByRole('link', { name: "How soon you're heard" }).click();
  await expect(page.getByText('Too few vents yet to say it honestly.')).toBeVisible();
  await expect(page.getByText('No machine ever answers you.')).toBeVisible();

  await serveFigures(page, week);
  await page.goto('/signup');
  await expect(line).toContainText('Last week 96% of all vents were answered by the next day.');
  await serveFigures(page, { ...week, byNextDay: 31 });
  await page.goto('/heard');
  await expect(page.getByText('Last week 31% of all vents were answered by the next day.')).toBeVisible();
});

test('an answer of the team is marked, others are not', async ({ page, browser }) => {
  await signUp(page);
  const { _id } = await postVent(page, { title: newWord('Heard') });
  const member = await newPerson(browser);
  const phone = await signUp(member);
  const name = newWord('unsaid_').slice(0, 17);
  const command = [`${repo}server/src/bin/team.ts`, phone, name];
  const { stdout } = await run(process.execPath, command, { env: testEnv.server });
  expect(stdout).toContain(name);
  await postComment(member, _id, 'We are here.');
  await postComment(member, _id, 'Somebody is here.', true);

  await page.goto(`/vent/${_id}`);
  const comment = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  await expect(comment('We are here.')).toContainText(name);
  await expect(comment('We are here.').getByText('Unsaid team')).toBeVisible();
  await expect(comment('Somebody is here.').getByText('Unsaid team')).toBeHidden();
  await member.goto('/');
  await expect(member.getByRole('region', { name }).getByText('Unsaid team')).toBeVisible();
  await member.context().close();
});
