import type { Page, Route } from '@playwright/test';
import { postVent, signUp } from './api.ts';
import {
  agreeToJoin,
  answerMatch,
  codeBoxes,
  codeFor,
  enterPhone,
  expect,
  expectToast,
  newPhone,
  newUsername,
  newWord,
  openComposer,
  openVentMenu,
  pauseClock,
  settle,
  test,
  typeCode,
} from './fixtures.ts';
import { seedComments, seedVents } from './seed.ts';

/** Words, numbers and places of the specification that no other journey checks. */

const card = (page: Page, title: string) => page.getByRole('article').filter({ hasText: title });

async function writeVent(page: Page, title: string): Promise<void> {
  if (new URL(page.url()).pathname === '/vents') await openComposer(page);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('Said at last.');
  await page.getByText('Anxious', { exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Hashtags' }).fill(' night ,, rain,');
  await page.getByRole('button', { name: 'Post vent' }).click();
}

const sixBoxes = (page: Page) => page.locator('input[inputmode=numeric]:not([aria-hidden=true])');

/** Refuses without a sentence of the server: the page then shows the fallback of the specification. */
const refuse = (route: Route) =>
  route.fulfill({
    status: 418,
    json: { success: false, message: '', code: 'SILENT', requestId: 'x' },
  });

test('the phone step starts with India, adds a plus, and disables Send OTP while empty or busy (S2.4, S2.20, S4.1, S5.2, S5.3, S7.2, S9.10)', async ({
  page,
}) => {
  await page.goto('/login');
  await expect(page.getByLabel('Country')).toHaveValue('IN');
  const send = page.getByRole('button', { name: 'Send OTP' });
  await expect(send).toBeDisabled();
  const phone = newPhone();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/auth/request-otp', async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest('**/api/auth/request-otp');
  await page.getByLabel('Phone number').fill(phone.slice(3));
  await send.click();
  expect((await asked).postDataJSON()).toMatchObject({ phone });
  await expect(send).toBeDisabled();
  release();
  await expect(page.getByRole('button', { name: 'Resend OTP' })).toBeEnabled();
  await expect(sixBoxes(page)).toHaveCount(6);
});

test('the code step has six boxes of one digit each and submits when the last is filled (S2.4, S2.22, S2.23, S4.2, S4.3, S5.4, S9.1)', async ({
  page,
}) => {
  const phone = newPhone();
  await page.goto('/login');
  await enterPhone(page, phone);
  const code = await codeFor(phone);
  const boxes = sixBoxes(page);
  await expect(boxes).toHaveCount(6);
  await codeBoxes(page).click();
  await page.keyboard.type(code.slice(0, 5));
  for (const [at, digit] of [...code.slice(0, 5)].entries()) await expect(boxes.nth(at)).toHaveValue(digit);
  await expect(page).toHaveURL('/login');
  const verified = page.waitForRequest('**/api/auth/verify-otp');
  await page.keyboard.type(code.slice(5));
  expect((await verified).postDataJSON()).toMatchObject({ phone, otp: code });
  await agreeToJoin(page);
  await expect(page).toHaveURL('/');
});

test('the profile step has six fields, cuts the name to 20 letters, digits and underscores, and sends what was chosen (S2.26, S2.27, S3.18, S5.1, S7.21, S9.3)', async ({
  page,
}) => {
  const phone = newPhone();
  await page.goto('/signup');
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone));
  await page.getByText('More about you (optional)').click();
  for (const label of ['Username', 'Bio', 'Interests', 'Likes', 'Dislikes'])
    await expect(page.getByLabel(label, { exact: true })).toBeVisible();
  const preference = page.getByRole('group', { name: 'Match preference' });
  for (const name of ['Similar Emotions', 'Different Emotions', 'Balanced'])
    await expect(preference.getByText(name, { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Skip' })).toBeVisible();
  await page.getByLabel('Username').pressSequentially('a é-b!_1234 abcdefghijklmnop');
  await expect(page.getByLabel('Username')).toHaveValue('ab_1234abcdefghijklm');
  await page.getByLabel('Username').fill(newUsername());
  await preference.getByText('Balanced', { exact: true }).click();
  const sent = page.waitForRequest('**/api/auth/update-details');
  await page.getByRole('button', { name: 'Complete Profile' }).click();
  const details = (await sent).postDataJSON() as Record<string, unknown>;
  expect(details['preferences']).toBe('Balanced');
  expect(details).not.toHaveProperty('allowComments');
  expect(details).not.toHaveProperty('feelings');
  await expect(page).toHaveURL('/');
});

test('home shows picture, switches, the settings button and the five latest vents (S2.14 to S2.16, S2.18, S3.2, S9.7)', async ({
  page,
}) => {
  await signUp(page);
  for (let n = 0; n < 6; n += 1) await postVent(page, { title: newWord('Home'), text: newWord('Said') });
  await page.goto('/');
  const profile = page.getByRole('main');
  await expect(profile.locator('img').first()).toHaveAttribute('src', /^\/avatars\//u);
  // What is empty has one line.
  for (const label of ['Interests, Likes, Dislikes and Match preference', 'Anonymous chat', 'Allow comments'])
    await expect(profile.getByText(label, { exact: true })).toBeVisible();
  await expect(profile.getByText(/^On(?:, for when chat opens)?$/u)).toHaveCount(2);
  await expect(page.getByRole('region', { name: 'Latest Vents' }).getByRole('article')).toHaveCount(5);
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await expect(page.getByRole('dialog', { name: 'Update Profile' })).toBeVisible();
});

test('the vent layout has four buttons on each of its pages, and each leads where it says (S2.7 to S2.9, S2.36)', async ({
  page,
}) => {
  await signUp(page);
  for (const [name, address] of [
    ['Vent Feed', '/vents'],
    ['Create Vent', '/vent/create'],
    ['Search Vents', '/vent/search'],
    ['My Vents', '/myvents'],
  ] as const) {
    await page.goto('/vent');
    const layout = page.getByRole('navigation', { name: 'Vent', exact: true });
    await expect(layout.getByRole('link')).toHaveCount(4);
    await layout.getByRole('link', { name }).click();
    await expect(page).toHaveURL(address);
    if (address.startsWith('/vent/')) await expect(layout.getByRole('link')).toHaveCount(4);
  }
});

test('the feed loads five vents a page, a blank search reloads it, and a button leads to My Vents (S2.31 to S2.34, S5.11, S7.22, S9.4, S9.13)', async ({
  page,
}) => {
  await signUp(page);
  const listed = page.waitForRequest('**/api/vent/all?*');
  await page.goto('/vents');
  const asked = new URL((await listed).url()).searchParams;
  expect([asked.get('sort'), asked.get('page'), asked.get('limit')]).toEqual(['recent', '1', '5']);
  const trending = page.waitForRequest('**/api/vent/all?sort=trending*');
  await page.getByRole('button', { name: 'Trending' }).click();
  await trending;
  await page.getByRole('button', { name: 'Recent' }).click();
  await expect(page).toHaveURL('/vents');
  await settle(page);
  const again = page.waitForRequest('**/api/vent/all?sort=recent*');
  await page.getByRole('searchbox', { name: 'Search vents' }).fill('  ');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await again;
  await expect(page).toHaveURL('/vents');
  await page.getByRole('link', { name: 'My Vents' }).click();
  await expect(page).toHaveURL('/myvents');
});

test('the text box of a vent grows to 150 px and not beyond (S9.11)', async ({ page }) => {
  await signUp(page);
  await page.goto('/vent/create');
  const box = page.getByLabel('Text', { exact: true });
  const height = async () => (await box.boundingBox())?.height;
  await expect.poll(height).toBeLessThan(150);
  await box.fill('one more line\n'.repeat(40));
  await expect.poll(height).toBe(150);
});

test('a vent shows its parts on its page and in search, and offers what its reader may do (S2.10, S2.37 to S2.41, S3.17, S3.19, S5.7, S6.2, S6.3)', async ({
  page,
}) => {
  const mine = newWord('Mine');
  const theirs = newWord('Theirs');
  seedVents(theirs, 1);
  await signUp(page);
  await page.goto('/vent/create');
  await writeVent(page, mine);
  await expect(page).toHaveURL('/vents');
  await expect(card(page, mine)).toBeVisible();
  // Its menu has Delete and no Report.
  await card(page, mine).getByRole('button', { name: 'More about this vent' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Delete vent' })).toBeVisible();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Report vent' })).toHaveCount(0);
  await page.keyboard.press('Escape');

  await page.goto('/vent/search');
  await page.getByRole('searchbox').fill(mine);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const found = card(page, mine);
  await expect(found.getByText('Said at last.')).toBeVisible();
  await expect(found.locator('time')).toContainText(String(new Date().getFullYear()));
  await found.getByRole('link', { name: mine }).click();
  const vent = page.getByRole('article');
  await expect(page.getByRole('heading', { level: 1, name: mine })).toBeVisible();
  await expect(vent.getByText('Said at last.')).toBeVisible();
  await expect(vent.getByText('Anxious', { exact: true })).toBeVisible();
  await expect(vent.getByRole('link', { name: /^#/u })).toHaveText(['#night', '#rain']);
  await expect(vent.locator('time')).toContainText(String(new Date().getFullYear()));
  const reactions = ['Love, shows love, 0', 'Hug, shows support, 0', 'I hear you, shows empathy, 0'];
  for (const name of reactions) await expect(vent.getByText(name)).toBeAttached();
  await expect(page.getByRole('button', { name: 'Delete Vent', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Report Vent' })).toHaveCount(0);

  await page.goto(`/vent/search?query=${theirs}`);
  await page.getByRole('link', { name: theirs }).click();
  await expect(page.getByRole('heading', { level: 1, name: theirs })).toBeVisible();
  for (const [word = ''] of reactions.map((name) => name.split(',')))
    await expect(vent.getByRole('button', { name: new RegExp(`^${word}, shows`, 'u') })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete Vent', exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Report Vent' }).click();
  // The specification's come first, in its order.
  const dialog = page.getByRole('dialog');
  for (const name of ['Inappropriate Content', 'Harassment', 'Spam', 'Other'])
    await expect(dialog.getByRole('radio', { name, exact: true })).toBeVisible();
});

test('My Vents loads fifty at once, shows five a page and ten pages before Older, and can be searched, deleted from and added to (S2.11, S2.42, S2.43, S2.45, S2.46, S7.22, S7.24, S7.25, S8.20, S8.28, S9.5)', async ({
  page,
}) => {
  const word = newWord('Own');
  await signUp(page);
  for (let n = 1; n <= 52; n += 1) await postVent(page, { title: `${word} ${n}`, text: `Said ${n}.` });
  const listed = page.waitForRequest('**/api/vent/all?*mine=true*');
  await page.goto('/myvents');
  expect(new URL((await listed).url()).searchParams.get('limit')).toBe('50');
  const titles = page.getByRole('article').getByRole('heading');
  const named = (...numbers: readonly number[]) => numbers.map((n) => `${word} ${n}`);
  await expect(titles).toHaveText(named(52, 51, 50, 49, 48));
  const pager = page.getByRole('navigation', { name: 'Pages' });
  await expect(pager.getByLabel(/^Page \d+$/u)).toHaveCount(10);
  await pager.getByLabel('Page 2', { exact: true }).click();
  await expect(titles).toHaveText(named(47, 46, 45, 44, 43));
  await pager.getByLabel('Page 10', { exact: true }).click();
  await expect(titles).toHaveText(named(7, 6, 5, 4, 3));
  await pager.getByRole('link', { name: 'Older' }).click();
  await expect(titles).toHaveText(named(2, 1));
  await expect(pager.getByRole('link', { name: 'Older' })).toHaveCount(0);

  const searched = page.waitForRequest('**/api/vent/all?*mine=true*');
  await page.getByRole('searchbox', { name: 'Search your vents' }).fill('13');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  expect(new URL((await searched).url()).searchParams.get('query')).toBe('13');
  await expect(titles).toHaveText(named(13));
  await card(page, `${word} 13`).getByRole('button', { name: 'Delete vent' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Are you sure you want to delete this vent?');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('No vents available.')).toBeVisible();
  await page.getByRole('link', { name: 'Create New Vent' }).click();
  await expect(page).toHaveURL('/vent/create');
});

test('a comment without a name is by Anonymous, and one that cannot be deleted comes back without a message (S3.9, S8.19)', async ({
  page,
}) => {
  const title = newWord('Quiet');
  await signUp(page);
  await postVent(page, { title });
  seedComments(title, 'Kind words.');
  await page.goto('/myvents');
  await card(page, title).getByRole('button', { name: 'Comments, 1' }).click();
  const comment = page.getByRole('dialog').getByRole('listitem');
  await expect(comment).toContainText('Anonymous');
  await page.route('**/api/vent/comment/*/*', refuse);
  const logged = page.waitForEvent('console', (message) => message.text().startsWith('unsaid:'));
  await comment.getByRole('button', { name: 'Delete comment' }).click();
  await logged;
  await expect(comment).toContainText('Kind words.');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByText('Failed')).toHaveCount(0);
});

test('each failure of signing in says the sentence of the specification (S8.2 to S8.5)', async ({ page }) => {
  const phone = newPhone();
  await page.clock.install();
  await page.goto('/signup');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await pauseClock(page);
  await page.route('**/api/auth/request-otp', refuse);
  await enterPhone(page, phone);
  await expect(page.getByRole('alert')).toHaveText('Failed to send OTP');
  await page.unroute('**/api/auth/request-otp');
  await page.getByRole('button', { name: 'Send OTP' }).click();
  const code = await codeFor(phone);
  await expect(page.getByRole('button', { name: 'Resend OTP' })).toBeDisabled();
  await page.clock.runFor(30_000);
  await page.route('**/api/auth/request-otp', refuse);
  await page.getByRole('button', { name: 'Resend OTP' }).click();
  await expect(page.getByRole('alert')).toHaveText('Failed to resend OTP');
  await page.route('**/api/auth/verify-otp', refuse);
  await typeCode(page, code);
  await expect(page.getByRole('alert')).toHaveText('Invalid OTP');
  await page.unroute('**/api/auth/verify-otp');
  await page.clock.resume();
  await typeCode(page, code);
  await page.route('**/api/auth/update-details', refuse);
  await page.getByRole('button', { name: 'Complete Profile' }).click();
  await expect(page.getByRole('alert')).toHaveText('Profile update failed');
});

test('each failure around vents says the sentence of the specification, or the server’s own (S8.1, S8.6 to S8.14, S8.20)', async ({
  page,
}) => {
  const mine = newWord('Fail');
  const theirs = newWord('Other');
  seedVents(theirs, 1);
  await signUp(page);
  const says = (sentence: string) =>
    expect(page.getByRole('alert').getByText(sentence, { exact: true })).toBeVisible();

  await page.goto('/vents');
  await page.route('**/api/vent/create', refuse);
  await writeVent(page, mine);
  await says('Failed to create vent');
  await page.unroute('**/api/vent/create');
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(card(page, mine)).toBeVisible();

  await page.route('**/api/vent/comment', refuse);
  await card(page, mine).getByRole('button', { name: 'Comments, 0' }).click();
  await page.getByRole('dialog').getByLabel('Your comment').fill('Hello.');
  await page.getByRole('dialog').getByRole('button', { name: 'Comment', exact: true }).click();
  await says('Failed to add comment.');
  await page.keyboard.press('Escape');

  await page.route('**/api/vent/search?*', refuse);
  await page.goto(`/vent/search?query=${mine}`);
  await says('Search failed');
  await page.unroute('**/api/vent/search?*');
  await page.goto(`/vents?query=${theirs}`);
  await page.route('**/api/vent/report', refuse);
  await (await openVentMenu(card(page, theirs))).getByRole('button', { name: 'Report vent' }).click();
  await page.getByRole('dialog').getByText('Spam', { exact: true }).click();
  await page.getByRole('button', { name: 'Report', exact: true }).click();
  await says('Failed to report vent.');

  const one = /\/api\/vent\/[\w-]{22}$/u;
  const fails = async (sentence: string) => {
    await page.route(one, refuse);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const alert = page.getByRole('alertdialog');
    await expect(alert.getByRole('button', { name: 'OK' })).toBeVisible();
    await expect(alert.getByRole('heading')).toHaveText(sentence);
    await alert.getByRole('button', { name: 'OK' }).click();
    await page.unroute(one);
  };
  await page.goto('/myvents');
  await card(page, mine).getByRole('button', { name: 'Delete vent' }).click();
  await fails('Failed to delete vent');
  await page.getByRole('link', { name: mine }).click();
  await page.getByRole('button', { name: 'Delete Vent', exact: true }).click();
  await fails('Failed to delete vent.');

  await page.route(one, refuse);
  await page.reload();
  await says('Failed to fetch vent.');
  await page.unroute(one);
  await page.goto('/vent/abcdefghijklmnopqrstuv');
  await expect(page.getByRole('heading', { name: 'Vent not found.' })).toBeVisible();

  await page.route('**/api/vent/all?*', refuse);
  await page.goto('/vents');
  await says('Failed to fetch vents');
  await expect(page.getByRole('navigation', { name: 'Pages' })).toHaveCount(0);
  await page.goto('/myvents');
  await says('Failed to fetch your vents');
  await page.unroute('**/api/vent/all?*');
  await page.route('**/api/vent/all?*', (route) =>
    route.fulfill({
      status: 418,
      json: { success: false, message: 'A sentence of its own.', code: 'LOUD', requestId: 'x' },
    }),
  );
  await page.goto('/vents');
  await says('A sentence of its own.');
  await page.unroute('**/api/vent/all?*');
  await page.route('**/api/vent/all?*', (route) =>
    route.fulfill({ json: { success: true, vents: [], pageCount: 0, hasOlder: false } }),
  );
  await page.goto('/vents');
  await expect(page.getByText('No vents available.')).toBeVisible();
});

test('a suggestion shows picture, name, score, shared emotions, Accept and Reject, and each answer reloads both lists (S2.47, S3.11, S3.12, S4.9, S8.18)', async ({
  page,
}) => {
  await signUp(page);
  await page.goto('/');
  const self = await page.evaluate(async () => {
    const headers = { authorization: `Bearer ${localStorage.getItem('unsaid.token')}` };
    const answer = await fetch('/api/auth/user', { headers });
    return ((await answer.json()) as { user: { _id: string; profilePic: string } }).user;
  });
  const matches = ['one', 'two'].map((username) => ({
    _id: `match-${username}`,
    user1: { _id: self._id, username: null, profilePic: self.profilePic },
    user2: { _id: username, username, profilePic: self.profilePic },
    user1Accepted: false,
    user2Accepted: false,
    matchScore: 0.8,
    commonEmotions: ['Burnout', 'Sad'],
    bio: '',
    commonInterests: [],
    reasons: [],
  }));
  await page.route('**/api/match/suggestions', (route) =>
    route.fulfill({ json: { success: true, matches } }),
  );
  await page.route('**/api/match/{accept,reject}', (route) => {
    const { matchId } = route.request().postDataJSON() as { matchId: string };
    matches.splice(
      matches.findIndex(({ _id }) => _id === matchId),
      1,
    );
    return route.fulfill({ json: { success: true } });
  });
  await page.goto('/matches');
  const first = card(page, 'one');
  await expect(first.locator('img')).toHaveCount(1);
  await expect(first.getByRole('button', { name: 'one', exact: true })).toBeVisible();
  await expect(first.getByText('0.80', { exact: true })).toBeVisible();
  await expect(first.getByRole('meter', { name: 'Match score' })).toHaveAttribute('aria-valuetext', '80%');
  await expect(first.getByRole('list', { name: 'Feelings you share' }).getByRole('listitem')).toHaveText([
    'Burnout',
    'Sad',
  ]);
  for (const [answer, name, sentence] of [
    ['Accept', 'one', 'Match accepted!'],
    ['Reject', 'two', 'Match rejected'],
  ] as const) {
    const lists = ['suggestions', 'pending'].map((list) => page.waitForRequest(`**/api/match/${list}`));
    await answerMatch(page.getByRole('button', { name: `${answer} ${name}` }));
    await expectToast(page, sentence);
    await Promise.all(lists);
    await expect(card(page, name)).toHaveCount(0);
  }
});

test('Terms, Privacy and FAQ are public, with a date and a contact to be filled in (S2.13, S2.51)', async ({
  page,
}) => {
  for (const [address, title] of [
    ['/terms', 'Terms'],
    ['/privacy', 'Privacy'],
    ['/faq', 'Questions you may have'],
  ] as const) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page.locator('mark', { hasText: 'effective date' })).toBeVisible();
    // The grievance officer's contact comes from settings.
    const contact = page.locator('mark', { hasText: 'contact' });
    const officer = page.locator('main a[href="/grievance"]').filter({ visible: true });
    await expect(contact.or(officer).first()).toBeVisible();
  }
});
