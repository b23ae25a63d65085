import { testEnv } from '../test-env.ts';
import { expectAccessible, expectToFit } from './a11y.ts';
import { appealFirstNotice, postVent, report, signUp, tryVent } from './api.ts';
import {
  addModerator,
  asUser,
  chooseRule,
  confirm,
  consoleScreen,
  enrolByKeyboard,
  heading,
  nextButton,
  reportItems,
  result,
  signInByKeyboard,
  takeNext,
} from './console.ts';
import { expect, newPerson, newWord, test } from './fixtures.ts';
import { ageProofs, emptyQueue } from './seed.ts';
import { fullTier } from './tiers.ts';

/** The moderation console, on its own origin. */
test.use(consoleScreen);
test.beforeEach(emptyQueue);

test('a moderator enrols, signs in and works six cases, one in each way, with the keyboard alone', async ({
  page,
  browser,
  requests,
}) => {
  const reasons = ['harassment', 'spam', 'worried', 'other', 'inappropriate', 'spam'] as const;
  await reportItems(browser, reasons);
  const link = await addModerator('moderator');
  await enrolByKeyboard(page, link);
  // The token left the address bar, and no request carried it.
  expect(page.url()).toBe(`${testEnv.modOrigin}/`);
  const [, token = ''] = link.split('#');
  expect(token.length).toBeGreaterThan(20);
  expect(requests.filter((url) => url.includes(token))).toEqual([]);
  await expect(page.getByText(/\d+ cases? waits?/u)).toBeVisible();

  const { keyboard } = page;
  const ways = [
    async () => {
      await keyboard.press('1');
      await expect(page.getByText('The author is told nothing')).toBeVisible();
      await confirm(page, 'kept. Thank you.');
    },
    async () => {
      await keyboard.press('2');
      await expect(page.getByText("You didn't break any rule")).toBeVisible();
      await confirm(page, 'kept, with a care note.');
    },
    async () => {
      await keyboard.press('3');
      await chooseRule(page, 'ArrowDown');
      await confirm(page, 'hidden. Thank you.');
    },
    async () => {
      await keyboard.press('4');
      await chooseRule(page, 'ArrowUp');
      await confirm(page, 'removed. Thank you.');
    },
    async () => {
      await keyboard.press('e');
      const note = page.getByLabel('Note for the lead (optional)');
      await expect(note).toBeFocused();
      // Letters are text now: nothing is skipped or chosen.
      await keyboard.type('Sensitive. Please read 1 more time.');
      await expect(note).toHaveValue('Sensitive. Please read 1 more time.');
      await keyboard.press('Control+Enter');
      await expect(result(page)).toContainText('Handed to a lead.');
      await expect(nextButton(page)).toBeFocused();
    },
    async () => {
      await keyboard.press('s');
      await expect(result(page)).toContainText('Skipped.');
      await expect(nextButton(page)).toBeFocused();
    },
  ];
  await expectAccessible(page, 'the list of cases');
  for (const [index, work] of ways.entries()) {
    await takeNext(page);
    if (index === 0) await expectAccessible(page, 'a case');
    await work();
  }
});

test('a lead removes and bans with a fresh passkey proof, and sees it in the audit log', async ({
  page,
  browser,
}) => {
  await reportItems(browser, ['harassment']);
  await enrolByKeyboard(page, await addModerator('lead'));
  await takeNext(page);
  const [caseId = ''] = /\d+$/u.exec(page.url()) ?? [];
  await page.keyboard.press('4');
  await chooseRule(page);
  await page.getByRole('radio', { name: /^Ban/u }).check();
  await expect(page.getByText(/^Your account is paused until/u)).toBeVisible();
  await page.getByLabel('Note (optional)').fill('The third time this week.');
  ageProofs();
  await page.keyboard.press('Control+Enter');
  await expect(result(page)).toContainText('removed. Thank you.');
  await expect(page.getByText('The third time this week.')).toBeVisible();

  await page.getByRole('link', { name: 'Audit log' }).click();
  await expect(page.getByText('The chain is whole')).toBeVisible();
  // Other journeys remove too. The log has no sanction: beside its time it would lead to a notice.
  const ofCase = page.getByRole('row').filter({ has: page.getByRole('link', { name: caseId, exact: true }) });
  await expect(ofCase.filter({ hasText: 'outcome: remove' })).toHaveCount(1);
});

test(
  'an appeal goes to somebody else, who brings the item back',
  fullTier('moderation-journey.spec.ts walks the same way.'),
  async ({ page, browser }) => {
    const [author, reporter] = [await newPerson(browser, asUser), await newPerson(browser, asUser)];
    await Promise.all([signUp(author), signUp(reporter)]);
    const title = newWord('wronged ');
    const { _id: id } = await postVent(author, { title });
    await report(reporter, { about: { kind: 'vent', id }, reason: 'encourages_self_harm' });

    await enrolByKeyboard(page, await addModerator('moderator'));
    await takeNext(page);
    await expect(page.getByText(title)).toBeVisible();
    const address = page.url();
    await page.keyboard.press('4');
    await confirm(page, 'removed. Thank you.');
    expect((await tryVent(reporter, id)).status()).toBe(404);

    await appealFirstNotice(author, 'I only described how I felt.');
    await page.goto(address);
    await expect(page.getByText('You decided this case')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Take this case' })).toHaveCount(0);

    const second = await newPerson(browser, consoleScreen);
    await enrolByKeyboard(second, await addModerator('moderator'));
    await second.goto(address);
    await second.getByRole('button', { name: 'Take this case' }).press('Enter');
    await expect(second.getByRole('heading', { name: 'The text' })).toBeFocused();
    await expect(second.getByRole('heading', { name: 'First decision' })).toBeVisible();
    const hidden = second.getByRole('button', { name: 'Reveal' });
    for (let left = await hidden.count(); left > 0; left -= 1) {
      await second.keyboard.press('r');
      await expect(hidden).toHaveCount(left - 1);
    }
    await expect(second.getByText('I only described how I felt.')).toBeVisible();
    await expectAccessible(second, 'appeal');
    await second.keyboard.press('2');
    await expect(second.getByText("We looked again, and we were wrong. It's back.")).toBeVisible();
    await second.keyboard.press('Control+Enter');
    await expect(result(second)).toContainText('Overturned. The item is back.');
    expect((await tryVent(reporter, id)).status()).toBe(200);
    for (const one of [author, reporter, second]) await one.context().close();
  },
);

test(
  'a session that ends asks for the passkey and returns to the case',
  fullTier('A moderator loses the place after eight hours, for a day.'),
  async ({ page, browser, context }) => {
    await reportItems(browser, ['spam']);
    await enrolByKeyboard(page, await addModerator('moderator'));
    await page.keyboard.press('n');
    await expect(page.getByText(/You hold this case/u)).toBeVisible();
    const address = page.url();
    await context.clearCookies();
    await page.keyboard.press('r');
    await expect(page.getByText('Your session has ended.')).toBeVisible();
    await signInByKeyboard(page);
    expect(page.url()).toBe(address);
    await expect(page.getByText(/You hold this case/u)).toBeVisible();
    // Nothing that was read is still there.
    await expect(page.getByRole('button', { name: 'Hide again' })).toHaveCount(0);
  },
);

test(
  'single keys can be switched off, and stay off',
  fullTier('shortcuts.test.tsx finds it.'),
  async ({ page, browser }) => {
    await reportItems(browser, ['spam']);
    await enrolByKeyboard(page, await addModerator('moderator'));
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
    await page.getByLabel('Use single keys').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.reload();
    await expect(heading(page, 'Cases')).toBeFocused();
    await page.keyboard.press('n');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(heading(page, 'Cases')).toBeVisible();
    // What the key did, its button does.
    await nextButton(page).press('Enter');
    await expect(page.getByText(/You hold this case/u)).toBeVisible();
  },
);

test(
  'every screen is accessible and fits from 390 to 1280 px',
  fullTier(
    'The keyboard journey runs axe on the list and on a case; the other screens of the staff wait a day.',
  ),
  async ({ page, browser }) => {
    await reportItems(browser, ['harassment', 'private_info', 'worried']);
    const check = async (name: string) => {
      for (const width of [390, 768, 1280]) {
        await page.setViewportSize({ width, height: 860 });
        await expectToFit(page, `${name} at ${width}`);
      }
      await expectAccessible(page, name);
    };
    await page.goto('/enrol');
    await expect(page.getByText('This page needs the whole link')).toBeVisible();
    await check('enrolment without a token');
    await page.goto('/');
    await check('sign-in');
    await enrolByKeyboard(page, await addModerator('lead'));
    await expect(page.getByRole('table')).toBeVisible();
    await check('cases');
    await takeNext(page);
    await page.keyboard.press('4');
    await chooseRule(page);
    await page.getByRole('radio', { name: /^Limit/u }).check();
    await expect(page.getByText(/^You can read, but not post, until/u)).toBeVisible();
    await check('case');
    await page.keyboard.press('p');
    await check('rules');
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await check('escalation');
    await page.keyboard.press('Escape');
    await confirm(page, 'removed');
    await check('decided case');
    await page.keyboard.press('?');
    await check('keys');
    await page.keyboard.press('Escape');
    for (const [path, name] of [
      ['/open', 'Open a case'],
      ['/figures', 'Figures'],
      ['/audit', 'Audit log'],
    ] as const) {
      await page.goto(path);
      await expect(heading(page, name)).toBeVisible();
      await check(name);
    }
  },
);
