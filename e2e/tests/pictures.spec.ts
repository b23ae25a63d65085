import type { Page, Route } from '@playwright/test';
import type { Emotion, MatchSuggestion, PendingMatch, SelfUser } from '@unsaid/contract';
import { expect, feelingsPicker, signUp, test, twoAlike, visit } from './fixtures.ts';
import { pictureTime, pictureWord, seedPictures } from './seed.ts';

/**
 * What people see, kept as pictures beside this file and compared with on every run; README shows some of them.
 * After a change that is meant: `npm run e2e -- pictures --update-snapshots`, and look at each that differs.
 *
 * The server answers as ever. What differs from run to run is set: the browser's clock, the place where it is,
 * which vents there are to be listed, drawn avatars and made-up names.
 */
test.use({ serviceWorkers: 'block', timezoneId: 'Asia/Kolkata' });
// One after the other in one browser: nothing of what is compared then waits for a busy machine.
test.describe.configure({ mode: 'default' });
test.beforeAll(seedPictures);

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
  // The list of all vents, narrowed to those that were sown for this.
  await page.route('**/api/vent/all?*', (route) => {
    const url = new URL(route.request().url());
    const { page: number = '1', limit = '5' } = Object.fromEntries(url.searchParams);
    url.pathname = '/api/vent/search';
    url.search = String(new URLSearchParams({ query: pictureWord, page: number, limit }));
    return route.continue({ url: url.href });
  });
}

/** The server's own answer, with what is drawn anew in every run told the same each time. */
async function retell<T>(page: Page, path: string, tell: (answer: T) => T): Promise<void> {
  await page.route(`**${path}`, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: tell((await response.json()) as T) });
  });
}

async function compare(page: Page, name: string): Promise<void> {
  // Off every button, none of which should look as if it were pointed at.
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForLoadState('networkidle');
  await expect(page).toHaveScreenshot(`${name}.png`);
}

async function toFeed(page: Page, look: Look): Promise<void> {
  await prepare(page, look);
  await signUp(page);
  await page.goto('/vents');
  await expect(page.getByRole('article')).toHaveCount(5);
}

const toFirst = (page: Page) =>
  page
    .getByRole('article')
    .first()
    .evaluate((card) => card.scrollIntoView());

test('signing in, on a phone, light', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'light' });
  await visit(page, '/login');
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
  await compare(page, 'login-390-light');
});

test('the code, on a phone, dark', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'dark' });
  await visit(page, '/login');
  await page.getByLabel('Phone number').fill('98123 45678');
  await page.getByRole('button', { name: 'Send OTP' }).click();
  await page.locator('input[autocomplete="one-time-code"]').first().click();
  await page.keyboard.type('314');
  await compare(page, 'code-390-dark');
});

test('the feed, on a phone, light', async ({ page }) => {
  await toFeed(page, { width: 390, scheme: 'light' });
  await toFirst(page);
  await compare(page, 'feed-390-light');
});

test('the feed with its composer, on a desktop, dark', async ({ page }) => {
  await toFeed(page, { width: 1280, scheme: 'dark' });
  await compare(page, 'feed-1280-dark');
});

test('saying it, with something left out, on a phone, light', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'light' });
  await signUp(page);
  await page.goto('/vent/create');
  await page.getByLabel('Text', { exact: true }).fill('I keep thinking about what I should have said.');
  await page.getByText('Anxious', { exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Hashtags' }).fill('late nights, परिवार,');
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByText('Please fill in all required fields.')).toBeVisible();
  await page.evaluate(() => scrollTo(0, 0));
  await compare(page, 'composer-390-light');
});

test('answering, on a phone, light', async ({ page }) => {
  await toFeed(page, { width: 390, scheme: 'light' });
  await page.getByRole('button', { name: 'Comments, 3' }).click();
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(3);
  await compare(page, 'comments-390-light');
});

test('one vent, on a phone, dark', async ({ page }) => {
  await toFeed(page, { width: 390, scheme: 'dark' });
  await page.getByRole('link', { name: 'छोटी सी जीत' }).click();
  await expect(page.getByRole('button', { name: 'Report Vent', exact: true })).toBeVisible();
  await compare(page, 'vent-390-dark');
});

test('suggestions, on a phone, light, and what waits, dark', async ({ page, browser }) => {
  test.setTimeout(120_000);
  await prepare(page, { width: 390, scheme: 'light' });
  const { other, mine, theirs, word } = await twoAlike(page, browser);
  await other.goto('/matches');
  await other.getByRole('article').filter({ hasText: mine }).getByRole('button', { name: 'Accept' }).click();
  await expect(other.getByText('Match accepted!')).toBeVisible();
  await other.context().close();
  const same = <T>(answer: T): T =>
    JSON.parse(
      JSON.stringify(answer)
        .replaceAll(mine, 'paper_moon')
        .replaceAll(theirs, 'slow_monsoon')
        .replaceAll(new RegExp(`${word}[abcd]`, 'gu'), 'old Hindi songs'),
    ) as T;
  // Others of this run may be suggested, too.
  let feelings: Emotion[] = [];
  await retell<{ user: SelfUser }>(page, '/api/auth/user', (answer) => ({
    ...answer,
    user: { ...answer.user, feelings },
  }));
  await retell<{ matches: MatchSuggestion[] }>(page, '/api/match/suggestions', (answer) =>
    same({
      ...answer,
      matches: answer.matches
        .filter((match) => [match.user1.username, match.user2.username].includes(theirs))
        .map((match) => ({
          ...match,
          matchScore: 0.85,
          commonEmotions: feelings,
          reasons: match.reasons.slice(0, 1),
        })),
    }),
  );
  await retell<{ receivedMatches: PendingMatch[] }>(page, '/api/match/pending', (answer) =>
    same({
      ...answer,
      receivedMatches: answer.receivedMatches.map((match) => ({ ...match, matchScore: 0.85 })),
    }),
  );
  await page.goto('/matches');
  await expect(page.getByText('Has said yes to you.')).toBeVisible();
  await page.emulateMedia({ colorScheme: 'dark' });
  await feelingsPicker(page).getByRole('button', { name: 'Anxious' }).click();
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
});

test('leaving, on a phone, light', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'light' });
  await signUp(page);
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Delete account' }).click();
  await expect(page.getByRole('dialog').getByLabel('Phone number')).toBeVisible();
  await compare(page, 'leaving-390-light');
});

test('home, on a desktop, light', async ({ page }) => {
  await prepare(page, { width: 1280, scheme: 'light' });
  await retell<{ user: SelfUser }>(page, '/api/auth/user', (answer) => ({
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
  await page.reload();
  await expect(page.getByRole('heading', { name: 'paper_moon' })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(5);
  await compare(page, 'home-1280-light');
});

test('support, on a phone, light', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'light' });
  await visit(page, '/support');
  await expect(page.getByRole('link', { name: 'Call 112' }).first()).toBeVisible();
  await compare(page, 'support-390-light');
});

test('where nobody has spoken yet, on a phone, dark', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'dark' });
  await signUp(page);
  await page.route('**/api/vent/all?*', (route) => {
    const url = new URL('/api/vent/search?query=nobodyhassaidthis', route.request().url());
    return route.continue({ url: url.href });
  });
  await page.goto('/vents');
  await expect(page.getByText('The people who make Unsaid')).toBeVisible();
  await page.getByText('No vents available.').evaluate((words) => words.scrollIntoView({ block: 'center' }));
  await compare(page, 'empty-390-dark');
});

test('the feed, on a phone, in Hindi', async ({ page }) => {
  await prepare(page, { width: 390, scheme: 'light' });
  await signUp(page);
  await page.evaluate(() => localStorage.setItem('unsaid.locale', 'hi'));
  await page.goto('/vents');
  await expect(page.getByRole('article')).toHaveCount(5);
  await toFirst(page);
  await compare(page, 'feed-390-hindi');
});
