import type { Page } from '@playwright/test';
import { acceptSuggestion, editProfile, setUsername, signUp, signUpAlike } from './api.ts';
import { answerMatch, expect, expectToast, feelingsPicker, settle, tabTo, test } from './fixtures.ts';
import { ageFeelings } from './seed.ts';
import { createTranslate } from './translate.ts';
import { fullTier } from './tiers.ts';

/** By name: the people of earlier journeys may be in the same lists. */
const card = (page: Page, name: string) => page.getByRole('article').filter({ hasText: name });

const tab = (page: Page, name: 'Suggestions' | 'Pending' | 'History') => page.getByRole('tab', { name });

const part = (page: Page, name: 'Received' | 'Sent') => page.getByRole('region', { name });

test('two people who accept each other both read that both said yes (S0.4, S1.1, S1.9, S2.47 to S2.49, S4.8, S4.10, S8.18)', async ({
  page,
  browser,
}) => {
  const { other, mine, theirs, word } = await signUpAlike(page, browser, 'Anxious');
  await page.goto('/');
  await page.getByRole('link', { name: 'Find Matches' }).click();
  await expect(page).toHaveURL('/matches');
  const suggestion = card(page, theirs);
  await expect(suggestion.getByRole('meter', { name: 'Match score' })).toBeVisible();
  await expect(suggestion.getByText(/^[01]\.\d\d$/u)).toBeVisible();
  await expect(suggestion.getByRole('list', { name: 'You both:' }).getByRole('listitem')).toHaveText(
    ['a', 'b', 'c'].map((letter) => word + letter),
  );
  // The feeling that both named.
  await expect(suggestion.getByText('Anxious')).toBeVisible();
  await expect(suggestion.getByText('Said yes to you.')).toHaveCount(0);
  await answerMatch(suggestion.getByRole('button', { name: `Accept ${theirs}` }));
  await expectToast(page, 'Match accepted!');
  await expect(suggestion).toHaveCount(0);
  await tab(page, 'Pending').click();
  await expect(page).toHaveURL('/matches?tab=pending');
  await expect(part(page, 'Sent').getByRole('article').filter({ hasText: theirs })).toContainText('Pending');

  await other.goto('/matches');
  await expect(card(other, mine).getByText('Said yes to you.')).toBeVisible();
  await tab(other, 'Pending').click();
  const received = part(other, 'Received').getByRole('article').filter({ hasText: mine });
  await expect(received).toContainText('Pending');
  await expect(received).toContainText(/Match score [01]\.\d\d/u);
  await answerMatch(received.getByRole('button', { name: `Accept ${mine}` }));
  await expectToast(other, 'Match accepted!');
  await expect(received.getByText('You both said yes.')).toBeVisible();
  await expect(received.getByText("Chat isn't ready yet. We'll show it here when it is.")).toBeVisible();
  await tab(other, 'Suggestions').click();
  await expect(other.getByRole('tabpanel')).toBeVisible();
  await expect(card(other, mine)).toHaveCount(0);

  for (const [one, name] of [
    [page, theirs],
    [other, mine],
  ] as const) {
    await tab(one, 'History').click();
    const past = card(one, name);
    await expect(past.getByRole('heading')).toHaveText(`You and ${name}`);
    await expect(past.getByText('Accepted')).toBeVisible();
    await expect(past.getByText(/Match score [01]\.\d\d/u)).toBeVisible();
    await expect(past.getByText('today')).toBeVisible();
    await expect(past.getByText('You both said yes.')).toBeVisible();
  }
  await tab(page, 'Pending').click();
  await expect(page.getByText('No pending sent matches.')).toBeVisible();
  await other.context().close();
});

test(
  'the second yes on a suggestion leaves the card in place with a message',
  fullTier('The first journey answers the second yes in Pending; on the card it is found at night.'),
  async ({ page, browser }) => {
    const { other, mine, theirs } = await signUpAlike(page, browser);
    await acceptSuggestion(page, theirs);
    await other.goto('/matches');
    await answerMatch(card(other, mine).getByRole('button', { name: 'Accept' }));
    await expect(card(other, mine).getByText('You both said yes.')).toBeVisible();
    await expect(card(other, mine).getByRole('button', { name: /Accept|Reject/u })).toHaveCount(0);
    await expect(card(other, mine)).toBeFocused();
    await card(other, mine).getByRole('button', { name: mine, exact: true }).click();
    await expect(other.getByRole('dialog', { name: mine })).toBeVisible();
    await other.context().close();
  },
);

test('a rejected person is not told, still sees the suggestion, accepts and waits (S1.9, S8.18)', async ({
  page,
  browser,
}) => {
  const { other, mine, theirs } = await signUpAlike(page, browser);
  await page.goto('/matches');
  await answerMatch(card(page, theirs).getByRole('button', { name: 'Reject' }));
  await expectToast(page, 'Match rejected');
  await expect(card(page, theirs)).toHaveCount(0);
  await tab(page, 'History').click();
  await expect(card(page, theirs).getByText('Rejected')).toBeVisible();
  await card(page, theirs).getByRole('button', { name: theirs, exact: true }).click();
  // A rejection closes the profile to the person who rejected.
  await expect(page.getByRole('dialog').getByText('No user details available.')).toBeVisible();
  await expect(page.getByRole('dialog').getByText(/while you two are still deciding/u)).toBeVisible();
  await page.keyboard.press('Escape');

  await other.goto('/matches');
  await expect(card(other, mine)).toBeVisible();
  await expect(card(other, mine)).not.toContainText(/rejected|said/iu);
  await answerMatch(card(other, mine).getByRole('button', { name: 'Accept' }));
  await expectToast(other, 'Match accepted!');
  await expect(card(other, mine)).toHaveCount(0);
  await tab(other, 'Pending').click();
  await expect(part(other, 'Sent').getByRole('article').filter({ hasText: mine })).toContainText('Pending');
  await tab(other, 'History').click();
  await expect(other.getByText('No match history available.')).toBeVisible();

  await page.goto('/matches?tab=pending');
  await expect(page.getByText('No pending received matches.')).toBeVisible();
  await other.context().close();
});

test('empty lists say the words of the specification and offer one action (S8.22 to S8.24)', async ({
  page,
}) => {
  await signUp(page);
  // The people of earlier journeys would be suggested.
  await page.route('**/api/match/suggestions', (route) =>
    route.fulfill({ json: { success: true, matches: [] } }),
  );
  await page.goto('/matches');
  await expect(page.getByText('No match suggestions available.')).toBeVisible();
  await page.unroute('**/api/match/suggestions');
  const asked = page.waitForResponse('**/api/match/suggestions');
  await page.getByRole('button', { name: 'Look again' }).click();
  expect((await asked).ok()).toBe(true);
  await tab(page, 'Pending').click();
  await expect(page.getByText('No pending received matches.')).toBeVisible();
  await expect(page.getByText('No pending sent matches.')).toBeVisible();
  await tab(page, 'History').click();
  await expect(page.getByText('No match history available.')).toBeVisible();
  await page.getByRole('link', { name: 'See suggestions' }).click();
  await expect(tab(page, 'Suggestions')).toHaveAttribute('aria-selected', 'true');
});

test('the address holds the open tab through reload, back and forward (S2.12, S2.48)', async ({ page }) => {
  await signUp(page);
  await page.goto('/matches');
  await tab(page, 'Pending').click();
  await tab(page, 'History').click();
  await expect(page).toHaveURL('/matches?tab=history');
  await page.reload();
  await expect(tab(page, 'History')).toHaveAttribute('aria-selected', 'true');
  await page.goBack();
  await expect(tab(page, 'Pending')).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('heading', { name: 'Received' })).toBeVisible();
  await page.goBack();
  await expect(tab(page, 'Suggestions')).toHaveAttribute('aria-selected', 'true');
  await page.goForward();
  await expect(tab(page, 'Pending')).toHaveAttribute('aria-selected', 'true');
  await page.goto('/matches?tab=nowhere');
  await expect(tab(page, 'Suggestions')).toHaveAttribute('aria-selected', 'true');
});

test('a name opens the profile, with details, without details, and when it cannot be loaded (S2.50, S6.7, S8.26, S8.27)', async ({
  page,
  browser,
}) => {
  const { other, mine, theirs, word } = await signUpAlike(page, browser);
  await editProfile(other, {
    bio: 'नमस्ते, I listen.',
    likes: ['rain'],
    dislikes: ['noise'],
    preferences: { matchPreference: 'Balanced' },
  });

  await page.goto('/matches');
  await page.getByRole('button', { name: theirs, exact: true }).click();
  const profile = page.getByRole('dialog', { name: theirs });
  for (const text of ['नमस्ते, I listen.', `${word}a`, `${word}d`, 'rain', 'noise', 'Balanced']) {
    await expect(profile.getByText(text, { exact: true })).toBeVisible();
  }
  await page.keyboard.press('Escape');
  await expect(profile).toBeHidden();
  await expect(page.getByRole('button', { name: theirs, exact: true })).toBeFocused();

  await other.goto('/matches');
  await other.getByRole('button', { name: mine, exact: true }).click();
  const bare = other.getByRole('dialog', { name: mine });
  await expect(bare.getByText('No bio provided.')).toBeVisible();
  await expect(bare.getByText('Not specified.')).toHaveCount(1);
  await other.keyboard.press('Escape');
  await expect(bare).toBeHidden();

  // As for a person who has left since.
  await other.route('**/api/auth/user/*', (route) =>
    route.fulfill({ status: 404, json: { success: false, message: '', code: 'NOT_FOUND', requestId: 'x' } }),
  );
  await other.goto('/matches');
  await other.getByRole('button', { name: mine, exact: true }).click();
  await expect(other.getByRole('dialog').getByText('No user details available.')).toBeVisible();
  await expect(
    other
      .getByRole('dialog')
      .getByText(
        "You can see a profile only while you two are still deciding, or after you've both said yes.",
      ),
  ).toBeVisible();
  await other.context().close();
});

const feelingsLine = (page: Page) => page.getByRole('list', { name: "You're feeling" });

test(
  'the feelings are one line that opens, and saving them reloads the suggestions',
  fullTier('feelings-card.test.tsx finds it.'),
  async ({ page }) => {
    await signUp(page);
    await page.goto('/matches');
    const picker = feelingsPicker(page);
    const line = page.getByRole('button', { name: 'Name how you feel to see what you share' });
    await line.click();
    await expect(picker.getByText(/may guess the others/u)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
    await picker.getByRole('button', { name: 'Burnout' }).click();
    await picker.getByRole('button', { name: 'Anxious' }).click();
    const again = page.waitForResponse('**/api/match/suggestions');
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await again).ok()).toBe(true);
    await expect(feelingsLine(page)).toHaveText('AnxiousBurnout');
    await expect(picker).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Edit how you feel' })).toBeFocused();
    await page.reload();
    await expect(feelingsLine(page)).toHaveText('AnxiousBurnout');

    // Naming none is an answer too.
    await page.getByRole('button', { name: 'Edit how you feel' }).click();
    await picker.getByRole('button', { name: 'Burnout' }).click();
    await picker.getByRole('button', { name: 'Anxious' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(feelingsLine(page)).toHaveCount(0);
    await line.click();
    await page.getByRole('button', { name: 'Not now' }).click();
    await expect(picker).toHaveCount(0);
    await expect(line).toBeVisible();
  },
);

test(
  'old feelings are asked about, and confirmed in one tap or changed',
  fullTier('feelings-card.test.tsx finds it.'),
  async ({ page }) => {
    await signUp(page);
    const name = await setUsername(page);
    await editProfile(page, { feelings: ['Sad'] });
    const question = page.getByRole('heading', { name: 'Still feeling this way?' });
    await page.goto('/matches');
    await expect(feelingsLine(page)).toHaveText('Sad');
    await expect(question).toHaveCount(0);

    ageFeelings(name);
    await page.reload();
    await expect(question).toBeVisible();
    const sent = page.waitForRequest('**/api/auth/update-details');
    await page.getByRole('button', { name: 'Still true' }).click();
    expect((await sent).postDataJSON()).toEqual({ feelings: ['Sad'] });
    await expect(question).toHaveCount(0);
    await page.reload();
    await expect(feelingsLine(page)).toHaveText('Sad');
    await expect(question).toHaveCount(0);

    ageFeelings(name);
    await page.reload();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await feelingsPicker(page).getByRole('button', { name: 'Happy' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(feelingsLine(page)).toHaveText('HappySad');
    await page.reload();
    await expect(feelingsLine(page)).toHaveText('HappySad');
    await expect(question).toHaveCount(0);
  },
);

test(
  'the first suggestion is on the first screen of a phone, whatever the feelings card shows',
  fullTier('A suggestion below the first screen is found at night.'),
  async ({ page, browser }) => {
    const { other, mine } = await signUpAlike(page, browser);
    await other.context().close();
    const picker = page.getByRole('tabpanel').getByRole('group');
    const bar = page.getByRole('navigation').last();
    const expectInSight = async () => {
      await settle(page);
      const first = await page.getByRole('article').first().boundingBox();
      const bottom = (await bar.boundingBox())?.y ?? 844;
      expect((first?.y ?? 844) + 150).toBeLessThan(bottom);
    };
    for (const locale of ['en', 'hi']) {
      await page.evaluate((locale) => localStorage.setItem('unsaid.locale', locale), locale);
      await page.goto('/matches');
      await expect(page.getByRole('article').first()).toBeVisible();
      await expectInSight();
    }
    await page.getByRole('tabpanel').getByRole('button').last().click();
    await picker.getByRole('button').first().click();
    await page.getByRole('button', { name: 'सेव करें' }).click();
    await expect(picker).toHaveCount(0);
    await expectInSight();
    ageFeelings(mine);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'मन अब भी ऐसा ही है?' })).toBeVisible();
    await expectInSight();
  },
);

test(
  'the keyboard alone reaches tabs, a profile and Reject, and focus moves on to the next card',
  fullTier('suggestions.test.tsx finds a lost focus after an answer.'),
  async ({ page, browser }) => {
    const { other, theirs } = await signUpAlike(page, browser);
    await page.goto('/matches');
    await expect(card(page, theirs)).toBeVisible();
    await tab(page, 'Suggestions').focus();
    await page.keyboard.press('ArrowRight');
    await expect(tab(page, 'Pending')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/matches?tab=pending');
    await page.keyboard.press('End');
    await page.keyboard.press('Space');
    await expect(page).toHaveURL('/matches?tab=history');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/matches');

    const name = page.getByRole('button', { name: theirs, exact: true });
    await tabTo(name);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: theirs })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(name).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: `Accept ${theirs}` })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.clock.install();
    await page.keyboard.press('Enter');
    await page.clock.runFor(4000);
    await expectToast(page, 'Match rejected');
    await expect(card(page, theirs)).toHaveCount(0);
    // The next card, or the heading after the last one.
    await expect(page.locator('article:focus, h1:focus')).toHaveCount(1);
    await other.context().close();
  },
);

test('a failed answer is said in a snackbar and on the card, and failed lists can be loaded again (S8.15)', async ({
  page,
  browser,
}) => {
  const { other, theirs } = await signUpAlike(page, browser);
  const away = { success: false, message: '', code: 'UNAVAILABLE', requestId: 'x' };
  await page.route('**/api/match/{suggestions,accept,reject}', (route) =>
    route.fulfill({ status: 503, json: away }),
  );
  await page.goto('/matches');
  await expect(page.getByRole('alert')).toContainText("Couldn't load suggestions.");
  await page.unroute('**/api/match/{suggestions,accept,reject}');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(card(page, theirs)).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);

  await page.route('**/api/match/{accept,reject}', (route) => route.fulfill({ status: 503, json: away }));
  for (const [answer, sentence] of [
    ['Accept', 'Failed to accept match'],
    ['Reject', 'Failed to reject match'],
  ] as const) {
    await answerMatch(card(page, theirs).getByRole('button', { name: answer }));
    await expectToast(page, sentence);
    await expect(card(page, theirs).getByText(sentence)).toBeVisible();
    await expect(card(page, theirs).getByRole('button', { name: answer })).toBeFocused();
  }
  await page.unroute('**/api/match/{accept,reject}');

  // The server's own sentence is shown on the card, which has no buttons left.
  await page.route('**/api/match/accept', (route) =>
    route.fulfill({
      status: 409,
      json: { ...away, code: 'MATCH_CLOSED', message: 'This match has closed.' },
    }),
  );
  await answerMatch(card(page, theirs).getByRole('button', { name: 'Accept' }));
  await expect(card(page, theirs).getByText('This match has closed.')).toBeVisible();
  await expect(card(page, theirs).getByRole('button', { name: /Accept|Reject/u })).toHaveCount(0);
  await other.context().close();
});

test(
  'a suggestion is seen, opened, accepted and pending in Hindi',
  fullTier('catalogues.test.ts finds a missing translation.'),
  async ({ page, browser }) => {
    const { other, theirs, word } = await signUpAlike(page, browser);
    await page.evaluate(() => localStorage.setItem('unsaid.locale', 'hi'));
    await page.goto('/matches');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('साथी');
    await expect(card(page, theirs)).toContainText(`${word}a`);
    await page.getByRole('button', { name: theirs, exact: true }).click();
    await expect(page.getByRole('dialog').getByText('रुचियाँ', { exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    await answerMatch(card(page, theirs).getByRole('button', { name: `${theirs} को हाँ कहें` }));
    await expectToast(page, createTranslate('hi')('Match accepted!'));
    await expect(card(page, theirs)).toHaveCount(0);
    await page.goto('/matches?tab=pending');
    await expect(card(page, theirs).locator('img')).toBeVisible();
    await other.context().close();
  },
);

test(
  'an answer fails offline, stays on the card, and works once online',
  fullTier('The journey with the failed answers finds it.'),
  async ({ page, context, browser, complaints }) => {
    const { other, theirs } = await signUpAlike(page, browser);
    await page.goto('/matches');
    await expect(card(page, theirs)).toBeVisible();
    complaints.expect(/ERR_INTERNET_DISCONNECTED/u);
    await context.setOffline(true);
    await answerMatch(card(page, theirs).getByRole('button', { name: 'Accept' }));
    await expect(card(page, theirs).getByText(/^Failed to accept match/u)).toBeVisible();
    await context.setOffline(false);
    await answerMatch(card(page, theirs).getByRole('button', { name: 'Accept' }));
    await expectToast(page, 'Match accepted!');
    await expect(card(page, theirs)).toHaveCount(0);
    await other.context().close();
  },
);
