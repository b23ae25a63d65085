import type { Page } from '@playwright/test';
import { expectAccessible } from './a11y.ts';
import { acceptSuggestion, postComment, postVent, reactTo, signUp, signUpAlike } from './api.ts';
import {
  openGroups,
  blockSockets,
  expect,
  logOut,
  newPerson,
  newWord,
  openAccountMenu,
  settle,
  tabTo,
  test,
} from './fixtures.ts';
import { seedComments } from './seed.ts';
import { fullTier } from './tiers.ts';

const bell = (page: Page, unread?: number) =>
  page.getByRole('link', { name: unread === undefined ? 'Inbox' : `Inbox, ${unread} unread`, exact: true });

const comment = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

/** The browser's keys of the inbox. */
const storedKeys = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => /^unsaid\.(?:inbox|visited)/u.test(key)));

/** Opens a page and waits until the live connection has said what is unread. */
async function openLive(page: Page, path: string): Promise<void> {
  const counted = page.waitForResponse('**/api/live/ticket');
  await page.goto(path);
  await counted;
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
}

/** A vent of the page's person, and another person who can answer. */
async function ventAndOther(page: Page, browser: Parameters<typeof newPerson>[0]) {
  const title = newWord('Awake ');
  await signUp(page);
  const { _id: ventId } = await postVent(page, { title });
  const other = await newPerson(browser);
  await signUp(other);
  return { title, ventId, other };
}

test('a comment and a hug are on the bell of every page, lead to their place, and stay new until opened', async ({
  page,
  browser,
}) => {
  const { title, ventId, other } = await ventAndOther(page, browser);
  await openLive(page, '/faq');
  await expect(bell(page)).toBeVisible();
  await expect(page).toHaveTitle('Questions you may have · Unsaid');
  // From the first cursor on, reactions count.
  await expect.poll(() => storedKeys(page)).toHaveLength(1);

  await postComment(other, ventId, 'Me too, every night.');
  await reactTo(other, ventId, 'hug');
  await expect(bell(page, 2)).toBeVisible();
  await expect(page).toHaveTitle('(2) Questions you may have · Unsaid');
  await openAccountMenu(page);
  await expect(page.getByRole('link', { name: /^My Vents.*new$/u })).toBeVisible();
  await page.keyboard.press('Escape');

  await bell(page, 2).click();
  await expect(page.getByRole('heading', { name: 'New', exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: `Someone sent a hug on “${title}”` })).toBeVisible();
  const line = page.getByRole('link', { name: `1 new comment on “${title}”` });
  await expect(line).toBeVisible();
  // The inbox was visited: the number goes, and stays away after a reload.
  await expect(bell(page)).toBeVisible();
  await expect(page).toHaveTitle('Inbox · Unsaid');
  await openLive(page, '/faq');
  await settle(page);
  await expect(bell(page)).toBeVisible();
  await bell(page).click();
  await expect(line).toBeVisible();
  // Nothing was opened: both are still new when the list is opened again.
  await page.getByRole('link', { name: 'Vents', exact: true }).last().click();
  await bell(page).click();
  await expect(page.getByRole('heading', { name: 'New', exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: `Someone sent a hug on “${title}”` })).toBeVisible();

  await line.click();
  await expect(page).toHaveURL(`/vent/${ventId}`);
  await expect(comment(page, 'Me too, every night.')).toBeFocused();
  await expect(comment(page, 'Me too, every night.')).toBeInViewport({ ratio: 1 });
  const entry = () => page.evaluate(() => window.navigation?.currentEntry?.index);
  const atVent = (await entry()) ?? 0;
  await page.getByRole('link', { name: 'Back to inbox' }).click();
  await expect(page.getByRole('link', { name: `Comments on “${title}”` })).toBeVisible();
  // Back, not on: the inbox is not in the history twice.
  expect(await entry()).toBe(atVent - 1);
  await page.getByRole('link', { name: `Someone sent a hug on “${title}”` }).click();
  await expect(page).toHaveURL(`/vent/${ventId}`);
  await page.getByRole('link', { name: 'Back to inbox' }).click();
  await expect(page.getByText("You're all caught up.")).toBeVisible();

  await openLive(page, '/faq');
  await expect(bell(page)).toBeVisible();
  await postComment(other, ventId, 'Still awake?');
  await expect(bell(page, 1)).toBeVisible();
  await bell(page, 1).click();
  await page.getByRole('link', { name: `1 new comment on “${title}”` }).click();
  await expect(comment(page, 'Still awake?')).toBeFocused();
  await other.context().close();
});

test('an answer after mine, a yes and both yeses are in the inbox, by keyboard alone', async ({
  page,
  browser,
}) => {
  const { other, mine, theirs } = await signUpAlike(page, browser);
  const title = newWord('Far ');
  const { _id: ventId } = await postVent(other, { title });
  await postComment(page, ventId, 'I hear you.');
  await postComment(other, ventId, 'Thank you.');
  await acceptSuggestion(other, mine);
  await openLive(page, '/faq');
  await tabTo(bell(page, 2));
  await expect(page.getByRole('link', { name: /^Matches.*new$/u }).last()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Inbox', level: 1 })).toBeFocused();
  await expect(page.getByRole('link', { name: `${theirs} said yes to you. Your turn now.` })).toHaveAttribute(
    'href',
    '/matches?tab=pending',
  );
  await tabTo(page.getByRole('link', { name: `The person you wrote to answered on “${title}”` }));
  await page.keyboard.press('Enter');
  await expect(comment(page, 'Thank you.')).toBeFocused();

  await acceptSuggestion(page, theirs);
  await openLive(page, '/inbox');
  await settle(page);
  await expectAccessible(page, 'inbox');
  await expect(page.getByText(`${theirs} said yes to you`)).toHaveCount(0);
  // The one who said yes first hears of the second.
  await other.goto('/inbox');
  await expect(other.getByRole('link', { name: `You and ${mine} both said yes.` })).toHaveAttribute(
    'href',
    '/matches?tab=history',
  );
  await other.context().close();
});

test(
  'a long thread opens at the first comment that is new, and the rest follows',
  fullTier('A reader of more than forty new comments starts at the wrong one for a day.'),
  async ({ page, browser }) => {
    const { title, ventId, other } = await ventAndOther(page, browser);
    const texts = Array.from({ length: 45 }, (_, n) => `Answer ${String(n + 1).padStart(2, '0')}`);
    seedComments(title, ...texts);
    await page.goto('/inbox');
    await page.getByRole('link', { name: `45 new comments on “${title}”` }).click();
    await expect(page).toHaveURL(`/vent/${ventId}`);
    await expect(comment(page, 'Answer 01')).toBeFocused();
    await expect(comment(page, 'Answer 01')).toBeInViewport();
    await page.getByRole('button', { name: 'More comments' }).click();
    await expect(page.getByRole('list', { name: 'Comments' }).getByText(/^Answer/u)).toHaveText(texts);
    await expect(page.getByRole('button', { name: 'More comments' })).toHaveCount(0);
    await other.context().close();
  },
);

test(
  'what is read in one tab goes down in the other, and log-out leaves nothing behind',
  fullTier('inbox-sync.test.tsx finds it.'),
  async ({ page, browser, context }) => {
    const { ventId, other } = await ventAndOther(page, browser);
    await postComment(other, ventId, 'Me too.');
    const second = await context.newPage();
    await openLive(second, '/faq');
    await expect(bell(second, 1)).toBeVisible();
    await page.goto('/inbox');
    await expect(bell(page)).toBeVisible();
    await expect(bell(second)).toBeVisible();
    await expect(second).toHaveTitle('Questions you may have · Unsaid');

    expect(await storedKeys(page)).toHaveLength(2);
    await logOut(page);
    expect(await storedKeys(page)).toEqual([]);
    await expect(bell(page)).toHaveCount(0);
    await expect(bell(second)).toHaveCount(0);
    await other.context().close();
  },
);

test(
  'a comment that was read on the vent itself is no longer new in the inbox',
  fullTier('inbox.api.test.ts finds a mark that is missing.'),
  async ({ page, browser }) => {
    const { title, ventId, other } = await ventAndOther(page, browser);
    await page.goto('/faq');
    await expect.poll(() => storedKeys(page)).toHaveLength(1);
    await postComment(other, ventId, 'Me too.');
    await openLive(page, '/faq');
    await expect(bell(page, 1)).toBeVisible();
    await openAccountMenu(page);
    await page.getByRole('link', { name: /^My Vents/u }).click();
    await page.getByRole('link', { name: title }).click();
    await expect(comment(page, 'Me too.')).toBeVisible();
    await bell(page, 1).click();
    await expect(page.getByText("You're all caught up.")).toBeVisible();
    await expect(bell(page)).toBeVisible();
    await page.reload();
    await expect(page.getByText("You're all caught up.")).toBeVisible();
    await other.context().close();
  },
);

test(
  'where no WebSocket passes, the bell gets its number by polling',
  fullTier('live-connection.test.ts finds a connection that does not poll.'),
  async ({ page, browser, complaints }) => {
    complaints.expect(/WebSocket connection to .* failed/u);
    await blockSockets(page);
    const { ventId, other } = await ventAndOther(page, browser);
    await page.clock.install();
    const polled = page.waitForResponse('**/api/live/now');
    await page.goto('/faq');
    let isPolling = false;
    void polled.then(() => (isPolling = true));
    const passTime = async () => {
      await page.clock.fastForward(5000);
      return isPolling;
    };
    await expect.poll(passTime, { intervals: [200] }).toBe(true);
    await expect(bell(page)).toBeVisible();
    await postComment(other, ventId, 'Me too.');
    await expect
      .poll(async () => (await passTime()) && bell(page, 1).isVisible(), { intervals: [200] })
      .toBe(true);
    await other.context().close();
  },
);

test(
  'the neutral tab shows no number',
  fullTier('inbox-sync.test.tsx and neutral-tab.test.tsx find a number that is shown.'),
  async ({ page, browser }) => {
    const { ventId, other } = await ventAndOther(page, browser);
    await page.goto('/faq');
    await expect.poll(() => storedKeys(page)).toHaveLength(1);
    await postComment(other, ventId, 'Me too.');
    await reactTo(other, ventId, 'heart');
    await openLive(page, '/settings');
    await openGroups(page);
    await expect(bell(page, 2)).toBeVisible();
    await page.getByRole('switch', { name: 'Neutral tab' }).click();
    await expect(page).toHaveTitle('Notes');
    await page.getByRole('switch', { name: 'Neutral tab' }).click();
    await expect(page).toHaveTitle('(2) Settings · Unsaid');
    await other.context().close();
  },
);

test(
  'offline, the inbox shows the last list of this tab and says so; a failure can be tried again',
  fullTier('An inbox that is empty offline, for a day.'),
  async ({ page, browser, context, complaints }) => {
    complaints.expect(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|WebSocket connection/u);
    const { title, ventId, other } = await ventAndOther(page, browser);
    await postComment(other, ventId, 'Me too.');
    await page.route('**/api/inbox?*', (route) => route.abort());
    await page.route('**/api/inbox', (route) => route.abort());
    await page.goto('/inbox');
    await expect(page.getByText(/^Couldn't load your inbox\./u)).toBeVisible();
    const retry = page.getByRole('button', { name: 'Retry' });
    await expect(retry).toBeVisible();
    await page.unrouteAll();
    // It may be gone by the time of the press: the list loads again by itself, too.
    await retry.click({ timeout: 2000 }).catch(() => undefined);
    await expect(page.getByRole('link', { name: `1 new comment on “${title}”` })).toBeVisible();
    await expect(bell(page)).toBeVisible();
    await context.setOffline(true);
    await expect(page.getByText('This is from your last look.')).toBeVisible();
    await expect(page.getByRole('link', { name: title })).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText('This is from your last look.')).toBeHidden();
    await other.context().close();
  },
);

test(
  'the feed says that there are new vents, and shows them when asked',
  fullTier('Readers reload the feed by hand for a day.'),
  async ({ page, browser }) => {
    await signUp(page);
    const other = await newPerson(browser);
    await signUp(other);
    const [old, fresh] = [newWord('Old'), newWord('Fresh')];
    await postVent(other, { title: old });
    // As if the list had come a while ago.
    await page.route('**/api/vent/all?*', async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { vents: { createdAt: string }[] };
      for (const vent of list.vents) vent.createdAt = '2026-01-01T00:00:00Z';
      await route.fulfill({ response, json: list });
    });
    await page.goto('/vents');
    await expect(page.getByRole('article').filter({ hasText: old })).toBeVisible();
    const top = await page.getByRole('article').first().boundingBox();
    await postVent(other, { title: fresh });
    const button = page.getByRole('button', { name: 'New vents' });
    await expect(button).toBeVisible();
    expect(await page.getByRole('article').first().boundingBox()).toEqual(top);
    await expect(page.getByText(fresh)).toHaveCount(0);
    await page.unrouteAll();
    await button.click();
    await expect(page.getByRole('article').filter({ hasText: fresh })).toBeVisible();
    await expect(button).toBeHidden();
    await other.context().close();
  },
);

test(
  'the line of the inbox on the home page has a name while it loads',
  fullTier('A link without a name while it loads is found at night.'),
  async ({ page }) => {
    await signUp(page);
    const { promise: isChecked, resolve: letCome } = Promise.withResolvers<void>();
    await page.route('**/api/inbox*', async (route) => {
      await isChecked;
      await route.continue();
    });
    await page.goto('/');
    await expect(page.getByRole('link', { name: 'Open your inbox', exact: true })).toBeVisible();
    letCome();
    await expect(
      page.getByRole('link', { name: 'Comments and hugs for you will show up here.' }),
    ).toBeVisible();
  },
);
