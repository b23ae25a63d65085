import type { Locator, Page } from '@playwright/test';
import { acceptSuggestion, editProfile, readHistory, signUp, signUpAlike } from './api.ts';
import { answerMatch, expect, expectToast, newPerson, pauseClock, settle, test } from './fixtures.ts';
import { fullTier } from './tiers.ts';

const card = (page: Page, name: string) => page.getByRole('article').filter({ hasText: name });
const button = (page: Page, name: string) => page.getByRole('button', { name });

/** The answers that the page sent. */
function watchAnswers(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const call = /\/api\/match\/(accept|reject|withdraw|part)$/u.exec(request.url())?.[1];
    if (call) sent.push(call);
  });
  return sent;
}

/** The line with Undo lies on no other text of its card: row 12 of the third walk. */
async function expectUncovered(at: Locator): Promise<void> {
  const covered = await at.evaluate((element) => {
    const line = [...element.querySelectorAll('button')].find(({ textContent }) => textContent === 'Undo');
    const place = line?.parentElement;
    if (!place) return ['there is no Undo'];
    const undo = place.getBoundingClientRect();
    return [...element.querySelectorAll('p, h2, h3, dt, dd, time')]
      .filter((other) => !place.contains(other) && !other.closest('[inert]'))
      .filter((other) => {
        const { left, right, top, bottom } = other.getBoundingClientRect();
        return left < undo.right && right > undo.left && top < undo.bottom && bottom > undo.top;
      })
      .map(({ textContent }) => textContent);
  });
  expect(covered).toEqual([]);
}

test('an answered card stays in its place for four seconds, and Undo sends nothing', async ({
  page,
  browser,
}) => {
  const { other, mine, theirs } = await signUpAlike(page, browser);
  await other.context().close();
  const sent = watchAnswers(page);
  await page.clock.install();
  await page.goto('/matches');
  const people = page.getByRole('article').getByRole('heading');
  await expect(card(page, theirs)).toBeVisible();
  await pauseClock(page);
  const before = await people.allTextContents();
  for (const [answer, sentence] of [
    ['Reject', `You passed on ${theirs}.`],
    ['Accept', 'You said yes.'],
  ] as const) {
    await button(page, `${answer} ${theirs}`).click();
    await expect(card(page, theirs).getByText(sentence)).toBeFocused();
    expect(await people.allTextContents()).toEqual(before);
    await page.clock.runFor(3000);
    await card(page, theirs).getByRole('button', { name: 'Undo' }).click();
    await expect(button(page, `${answer} ${theirs}`)).toBeFocused();
    await page.clock.runFor(10_000);
    await expect(card(page, theirs).getByText(sentence)).toHaveCount(0);
  }
  expect(sent).toEqual([]);
  expect(await readHistory(page, mine)).toEqual({});

  await button(page, `Reject ${theirs}`).click();
  await page.clock.runFor(4000);
  await page.clock.resume();
  await expectToast(page, 'Match rejected');
  await expect(card(page, theirs)).toHaveCount(0);
  expect(sent).toEqual(['reject']);
  expect(await readHistory(page, mine)).toEqual({ [theirs]: 'rejected' });
});

// B8.
test(
  'two quick taps at one place answer one person only',
  fullTier(
    'suggestions.test.tsx finds a second answer; that the next card does not move up is found at night.',
  ),
  async ({ page, browser }) => {
    const { other, mine, word } = await signUpAlike(page, browser);
    await other.context().close();
    // One more, so that there is a next card.
    const third = await newPerson(browser);
    await signUp(third);
    await editProfile(third, { interests: [`${word}a`, `${word}b`, `${word}c`] });
    await third.context().close();
    await page.clock.install();
    await page.goto('/matches');
    await expect(page.getByRole('article').nth(1)).toBeVisible();
    const answered = /^You (?:passed on|said yes)/u;
    for (const answer of ['Reject', 'Accept']) {
      const target = page.getByRole('article').first().getByRole('button', { name: answer });
      // A tap by coordinates reaches nothing below the screen or under the bottom bar.
      await target.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      await settle(page);
      const pressed = await target.boundingBox();
      const [x, y] = [
        (pressed?.x ?? 0) + (pressed?.width ?? 0) / 2,
        (pressed?.y ?? 0) + (pressed?.height ?? 0) / 2,
      ];
      const sent = watchAnswers(page);
      const replied = page.waitForResponse(`**/api/match/${answer.toLowerCase()}`);
      await page.mouse.click(x, y);
      await page.mouse.click(x, y);
      await expect(page.getByText(answered)).toBeVisible();
      await page.clock.runFor(4000);
      await replied;
      await page.clock.runFor(10_000);
      expect(sent).toEqual([answer.toLowerCase()]);
      await expect(page.getByText(answered)).toHaveCount(0);
    }
    expect(Object.keys(await readHistory(page, mine))).toHaveLength(1);
  },
);

test('an answer is sent when its tab, its page or the browser tab is left before the time is over', async ({
  page,
  browser,
}) => {
  const { other, mine, theirs } = await signUpAlike(page, browser);
  await page.clock.install();
  await page.goto('/matches');
  await button(page, `Accept ${theirs}`).click();
  await page.getByRole('tab', { name: 'Pending' }).click();
  await expectToast(page, 'Match accepted!');
  await expect(page.getByRole('region', { name: 'Sent' })).toContainText(theirs);

  // As a closed tab: the request outlives the page.
  await other.clock.install();
  await other.goto('/matches?tab=pending');
  await button(other, `Reject ${mine}`).click();
  await other.goto('/favicon.svg');
  await expect.poll(() => readHistory(other, theirs)).toEqual({ [mine]: 'rejected' });
  await other.context().close();
});

test(
  'Undo is the next stop of the keyboard, and the time waits while it has the focus or the pointer',
  fullTier('suggestions.test.tsx and use-undoable.test.tsx find it.'),
  async ({ page, browser }) => {
    const { other, theirs } = await signUpAlike(page, browser);
    await other.context().close();
    const sent = watchAnswers(page);
    await page.clock.install();
    await page.goto('/matches');
    await expect(card(page, theirs)).toBeVisible();
    await pauseClock(page);
    await button(page, `Reject ${theirs}`).focus();
    await page.keyboard.press('Enter');
    const undo = card(page, theirs).getByRole('button', { name: 'Undo' });
    await expect(card(page, theirs).getByText('You passed on')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(undo).toBeFocused();
    await page.clock.runFor(10_000);
    await page.keyboard.press('Enter');
    await expect(button(page, `Reject ${theirs}`)).toBeFocused();

    await page.keyboard.press('Enter');
    await undo.hover();
    await page.clock.runFor(10_000);
    await expect(undo).toBeVisible();
    expect(sent).toEqual([]);
    await page.mouse.move(0, 0);
    await page.clock.runFor(4000);
    await expectToast(page, 'Match rejected');
    expect(sent).toEqual(['reject']);
  },
);

test(
  'a profile can be accepted or rejected where it is read, with the same Undo',
  fullTier('The answers of the cards run the same queue; a dialog that stays open is found at night.'),
  async ({ page, browser }) => {
    const { other, theirs } = await signUpAlike(page, browser);
    await other.context().close();
    const sent = watchAnswers(page);
    await page.clock.install();
    await page.goto('/matches');
    const name = page.getByRole('button', { name: theirs, exact: true });
    const dialog = page.getByRole('dialog', { name: theirs });
    await name.click();
    await expect(dialog.getByText('No bio provided.')).toBeVisible();
    await pauseClock(page);
    await dialog.getByRole('button', { name: 'Reject' }).click();
    // The dialog closes.
    await page.clock.runFor(1000);
    await expect(dialog).toBeHidden();
    await expect(name).toBeFocused();
    await card(page, theirs).getByRole('button', { name: 'Undo' }).click();
    await page.clock.resume();
    await name.click();
    await answerMatch(dialog.getByRole('button', { name: 'Accept' }));
    await expectToast(page, 'Match accepted!');
    await expect(card(page, theirs)).toHaveCount(0);
    expect(sent).toEqual(['accept']);

    // Nothing is left to answer.
    await page.goto('/matches?tab=pending');
    await name.click();
    await expect(dialog.getByText('No bio provided.')).toBeVisible();
    await expect(dialog.getByRole('button', { name: /Accept|Reject/u })).toHaveCount(0);
  },
);

test('a sent yes can be taken back, and the other person is not told', async ({ page, browser }) => {
  const { other, mine, theirs } = await signUpAlike(page, browser);
  await acceptSuggestion(page, theirs);
  const received = other.getByRole('region', { name: 'Received' });
  const seen = async () => {
    await other.goto('/matches');
    await expect(card(other, mine)).toContainText('Said yes to you.');
    await other.goto('/matches?tab=pending');
    return received.getByRole('article').innerText();
  };
  const before = await seen();

  await page.goto('/matches?tab=pending');
  const sent = page.getByRole('region', { name: 'Sent' }).getByRole('article');
  await expect(sent).toContainText("If they say yes too, it'll show up in History.");
  await page.clock.install();
  const takeBack = button(page, `Take back your yes to ${theirs}`);
  await takeBack.click();
  await expect(sent.getByText('You took your yes back.')).toBeFocused();
  await expectUncovered(sent);
  await sent.getByRole('button', { name: 'Undo' }).click();
  await expect(takeBack).toBeFocused();
  await answerMatch(takeBack);
  await expectToast(page, `You took back your yes to ${theirs}. They aren't told.`);
  await expect(page.getByText('No pending sent matches.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Sent' })).toBeFocused();
  await page.getByRole('tab', { name: 'History' }).click();
  await expect(card(page, theirs)).toContainText('Rejected');
  await expect(card(page, theirs)).toContainText("You took your yes back. They aren't told.");

  expect(await seen()).toBe(before);
  await answerMatch(button(other, `Accept ${mine}`));
  await expectToast(other, 'Match accepted!');
  await expect(other.getByRole('region', { name: 'Sent' })).toContainText(mine);
  await other.getByRole('tab', { name: 'History' }).click();
  await expect(other.getByText('No match history available.')).toBeVisible();
  await other.context().close();
});

test(
  'taking back a yes that the other has just answered shows that both said yes',
  fullTier('matches.test.ts of the server finds it; the sentence is found at night.'),
  async ({ page, browser }) => {
    const { other, mine, theirs } = await signUpAlike(page, browser);
    await acceptSuggestion(page, theirs);
    await page.goto('/matches?tab=pending');
    await expect(card(page, theirs)).toBeVisible();
    await acceptSuggestion(other, mine);
    await other.context().close();
    await answerMatch(button(page, `Take back your yes to ${theirs}`));
    await expect(card(page, theirs).getByText('You both said yes.')).toBeVisible();
    expect(await readHistory(page, mine)).toEqual({ [theirs]: 'accepted' });
  },
);

test('a match of two yeses can be ended from History or the profile, and the other sees it closed', async ({
  page,
  browser,
}) => {
  const { other, mine, theirs } = await signUpAlike(page, browser);
  await page.goto('/matches');
  await expect(page.getByText("There's no chat yet.")).toBeVisible();
  await acceptSuggestion(other, mine);
  await acceptSuggestion(page, theirs);
  const sent = watchAnswers(page);
  await page.clock.install();
  await page.goto('/matches?tab=history');
  // From the profile, and undone.
  await page.getByRole('button', { name: theirs, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End this match' }).click();
  await expect(card(page, theirs).getByText('You ended it.')).toBeVisible();
  await expectUncovered(card(page, theirs));
  await card(page, theirs).getByRole('button', { name: 'Undo' }).click();
  expect(sent).toEqual([]);
  await answerMatch(button(page, `End this match with ${theirs}`));
  await expectToast(page, `You ended it with ${theirs}.`);
  await expect(card(page, theirs).getByText('Rejected')).toBeVisible();
  await other.goto('/matches?tab=history');
  await expect(card(other, mine)).toContainText('This match has ended.');
  await expect(button(other, 'End this match')).toHaveCount(0);
  await other.context().close();
});
