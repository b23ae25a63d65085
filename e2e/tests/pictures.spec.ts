import type { Page, Route } from '@playwright/test';
import type { Emotion, MatchSuggestion, PendingMatch, SelfUser, VentView } from '@unsaid/contract';
import { acceptSuggestion, signUp, signUpAlike } from './api.ts';
import { expect, feelingsPicker, openSettings, settle, test } from './fixtures.ts';
import { listOnly } from './screens.ts';
import { pictureTime, pictureWord, seedPictures } from './seed.ts';
import { fullTier } from './tiers.ts';

/**
 * Visual regression tests: screenshots are compared with the pictures beside this file. README shows some of them.
 * After an intended change: `npm run e2e -- pictures --update-snapshots`, then look at each that differs.
 *
 * What would differ between runs is fixed: the browser's clock and time zone, the vents that are listed, avatars and
 * names.
 */
test.use({ timezoneId: 'Asia/Kolkata' });
test.beforeAll(seedPictures);

/** Vents beside the list, in place of those of other journeys. */
const waiting: readonly Partial<VentView>[] = [
  {
    title: 'Second attempt, same result',
    text: "I told everyone the results aren't out yet. They've been out since Monday.",
    emotion: 'Sad',
  },
  {
    title: 'घर में सब हैं, फिर भी',
    text: 'सबके बीच बैठकर भी लगता है जैसे कोई देख ही नहीं रहा।',
    emotion: 'Burnout',
  },
];

interface Look {
  readonly width: 390 | 1280;
  readonly scheme: 'light' | 'dark';
}

async function prepare(page: Page, { width, scheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.clock.setFixedTime(pictureTime);
  await page.route('**/avatars/*', (route) =>
    route.continue({ url: new URL('/avatars/horizon_0001.svg', route.request().url()).href }),
  );
  // The letters of a second visit. A first one has those of the phone.
  await page.addInitScript(() =>
    window.addEventListener('load', () => {
      void document.fonts
        .load("1rem 'Nunito Sans'")
        .then(() => (document.documentElement.dataset['font'] = ''));
    }),
  );
  await listOnly(page, pictureWord, true);
  await page.route('**/api/listen?*', async (route) => {
    const url = new URL('/api/vent/search', route.request().url());
    url.search = String(new URLSearchParams({ query: pictureWord, page: '1', limit: '1' }));
    const response = await route.fetch({ url: url.href });
    const { vents } = (await response.json()) as { vents: VentView[] };
    await route.fulfill({
      json: {
        success: true,
        vents: waiting.map((words, n) => ({ ...vents[0], ...words, _id: `waiting${n}` })),
      },
    });
  });
  // Newer vents of other journeys would be announced above the list, at any moment.
  await page.route('**/api/live/ticket', (route) => route.fulfill({ status: 503 }));
}

/** Replaces what is random in the server's response. */
async function editResponse<T>(page: Page, path: string, edit: (response: T) => T): Promise<void> {
  await page.route(`**${path}`, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: edit((await response.json()) as T) });
  });
}

async function compare(page: Page, name: string): Promise<void> {
  // No button looks as if the mouse were on it.
  await page.mouse.move(0, 0);
  await settle(page);
  await expect(page).toHaveScreenshot(`${name}.png`);
}

async function openFeed(page: Page, look: Look): Promise<void> {
  await prepare(page, look);
  await signUp(page);
  await page.goto('/vents');
  await expect(page.getByRole('article')).toHaveCount(5);
}

const scrollToFirst = (page: Page) =>
  page
    .getByRole('article')
    .first()
    .evaluate((card) => card.scrollIntoView());

test('signing in matches its picture on a phone, light', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'light' });
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
  await compare(page, 'login-390-light');
});

test(
  'the code matches its picture on a phone, dark',
  fullTier('A picture in the dark; the same parts are in the pictures of login and of the walks.'),
  async ({ page }) => {
    await prepare(page, { width: 390, scheme: 'dark' });
    await page.goto('/login');
    await page.getByLabel('Phone number').fill('98123 45678');
    await page.getByRole('button', { name: 'Send OTP' }).click();
    await page.locator('input[autocomplete="one-time-code"]').first().click();
    await page.keyboard.type('314');
    await compare(page, 'code-390-dark');
  },
);

test('the feed and commenting match their pictures on a phone, light', async ({ page }) => {
  await openFeed(page, { width: 390, scheme: 'light' });
  await scrollToFirst(page);
  await compare(page, 'feed-390-light');
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('button', { name: 'Comments, 3' }).click();
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(3);
  await compare(page, 'comments-390-light');
});

test(
  'the feed with its composer matches its picture on a desktop, dark',
  fullTier('A picture of another size and scheme.'),
  async ({ page }) => {
    await openFeed(page, { width: 1280, scheme: 'dark' });
    await compare(page, 'feed-1280-dark');
  },
);

test('writing a vent without a title matches its picture on a phone, light', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'light' });
  await signUp(page);
  await page.goto('/vent/create');
  await page.getByLabel('Text', { exact: true }).fill('I keep thinking about what I should have said.');
  // It follows the first line until it is emptied by hand.
  await page.getByLabel('Title', { exact: true }).click();
  await page.getByLabel('Title', { exact: true }).fill('');
  await page.getByText('Anxious', { exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('late nights, परिवार,');
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByText('Please fill in all required fields.')).toBeVisible();
  await page.evaluate(() => scrollTo(0, 0));
  await compare(page, 'composer-390-light');
});

test(
  'one vent matches its picture on a phone, dark',
  fullTier('A picture in the dark of the same card as in the feed.'),
  async ({ page }) => {
    await openFeed(page, { width: 390, scheme: 'dark' });
    await page.getByRole('link', { name: 'छोटी सी जीत' }).click();
    await expect(page.getByRole('button', { name: 'Report Vent', exact: true })).toBeVisible();
    await compare(page, 'vent-390-dark');
  },
);

test(
  'suggestions and pending matches match their pictures on a phone',
  fullTier(
    'The walk over the screens of matches finds text that does not fit; a moved line is found at night.',
  ),
  async ({ page, browser }) => {
    await prepare(page, { width: 390, scheme: 'light' });
    const { other, mine, theirs, word } = await signUpAlike(page, browser);
    await acceptSuggestion(other, mine);
    await other.context().close();
    const rename = <T>(answer: T): T =>
      JSON.parse(
        JSON.stringify(answer)
          .replaceAll(mine, 'paper_moon')
          .replaceAll(theirs, 'slow_monsoon')
          .replaceAll(new RegExp(`${word}[abcd]`, 'gu'), 'old Hindi songs'),
      ) as T;
    // The people of earlier journeys may be suggested, too.
    let feelings: Emotion[] = [];
    await editResponse<{ user: SelfUser }>(page, '/api/auth/user', (answer) => ({
      ...answer,
      user: { ...answer.user, feelings },
    }));
    await editResponse<{ matches: MatchSuggestion[] }>(page, '/api/match/suggestions', (answer) =>
      rename({
        ...answer,
        matches: answer.matches
          .filter((match) => [match.user1.username, match.user2.username].includes(theirs))
          .map((match) => ({
            ...match,
            matchScore: 0.85,
            commonEmotions: feelings,
            commonInterests: match.commonInterests.slice(0, 1),
            reasons: [],
          })),
      }),
    );
    await editResponse<{ receivedMatches: PendingMatch[] }>(page, '/api/match/pending', (answer) =>
      rename({
        ...answer,
        receivedMatches: answer.receivedMatches.map((match) => ({ ...match, matchScore: 0.85 })),
      }),
    );
    await page.goto('/matches');
    await expect(page.getByText('Said yes to you.')).toBeVisible();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Name how you feel to see what you share' }).click();
    await feelingsPicker(page).getByRole('button', { name: 'Anxious' }).click();
    // Comes after the page, from the first list of this browser.
    await expect(page.getByRole('link', { name: 'Inbox, 1 unread' })).toBeVisible();
    await compare(page, 'feelings-390-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    feelings = ['Anxious', 'Burnout', 'Neutral'];
    await page.reload();
    await expect(page.getByRole('list', { name: "You're feeling" })).toBeVisible();
    await compare(page, 'matches-390-light');

    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('tab', { name: 'Pending' }).click();
    await expect(page.getByRole('article')).toHaveCount(1);
    await page.locator('body').click({ position: { x: 5, y: 400 } });
    await compare(page, 'pending-390-dark');
  },
);

test(
  'deleting the account matches its picture on a phone, light',
  fullTier('A moved line in one dialog is found at night.'),
  async ({ page }) => {
    await prepare(page, { width: 390, scheme: 'light' });
    await signUp(page);
    await openSettings(page);
    await page.getByRole('button', { name: 'Delete account' }).click();
    await expect(page.getByRole('dialog').getByLabel('Phone number')).toBeVisible();
    await compare(page, 'leaving-390-light');
  },
);

test('home matches its picture on a desktop, light', async ({ page }) => {
  await prepare(page, { width: 1280, scheme: 'light' });
  await editResponse<{ user: SelfUser }>(page, '/api/auth/user', (answer) => ({
    ...answer,
    user: {
      ...answer.user,
      username: 'paper_moon',
      bio: 'कभी-कभी बस किसी को सुनना होता है। Some nights are long, and then it is morning.',
      interests: ['poetry', 'old Hindi songs', 'cricket'],
      likes: ['rain', 'चाय'],
    },
  }));
  await signUp(page);
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'paper_moon' })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(5);
  await compare(page, 'home-1280-light');
});

test.describe('in India', () => {
  test.use({ timezoneId: 'Asia/Kolkata' });

  test('support matches its picture on a phone, light', async ({ page }) => {
    await prepare(page, { width: 390, scheme: 'light' });
    await page.goto('/support');
    await expect(page.getByRole('link', { name: 'Call 112' }).first()).toBeVisible();
    await compare(page, 'support-390-light');
  });
});

test(
  'the empty feed matches its picture on a phone, dark',
  fullTier('A picture in the dark that people see on the first day only.'),
  async ({ page }) => {
    await prepare(page, { width: 390, scheme: 'dark' });
    await signUp(page);
    await page.route('**/api/vent/all?*', (route) => {
      const url = new URL('/api/vent/search?query=nobodyhassaidthis', route.request().url());
      return route.continue({ url: url.href });
    });
    await page.goto('/vents');
    await expect(page.getByText('The Unsaid team')).toBeVisible();
    await page
      .getByText('No vents available.')
      .evaluate((words) => words.scrollIntoView({ block: 'center' }));
    await compare(page, 'empty-390-dark');
  },
);

test(
  'the feed matches its picture on a phone, in Hindi',
  fullTier('The Hindi walk finds text that does not fit.'),
  async ({ page }) => {
    await prepare(page, { width: 390, scheme: 'light' });
    await signUp(page);
    await page.evaluate(() => localStorage.setItem('unsaid.locale', 'hi'));
    await page.goto('/vents');
    await expect(page.getByRole('article')).toHaveCount(5);
    await scrollToFirst(page);
    await compare(page, 'feed-390-hindi');
  },
);
