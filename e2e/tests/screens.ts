import type { Browser, Page } from '@playwright/test';
import {
  acceptSuggestion,
  holdBack,
  postComment,
  postVent,
  reactTo,
  report,
  saveRecoveryCode,
  setUsername,
  signUp,
  signUpAlike,
} from './api.ts';
import { decide, newLead } from './console.ts';
import {
  answerMatch,
  codeBoxes,
  codeFor,
  expect,
  expectToast,
  newPerson,
  newPhone,
  newWord,
  openComposer,
  openGroups,
  openSettings,
  typeCode,
  typeCodeAgain,
  wrongCode,
} from './fixtures.ts';
import { ageFeelings } from './seed.ts';
import type { Translate } from './translate.ts';

/**
 * Every screen of the product, in either language. A walk opens one screen after the other and yields its name each
 * time, so that the caller can look at it.
 */
export interface Walk {
  readonly page: Page;
  readonly browser: Browser;
  readonly t: Translate;
}

type Screens = AsyncGenerator<string, void>;

const heading = (page: Page) => page.getByRole('heading', { level: 1 });

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(heading(page)).toBeVisible();
}

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
}

/** The bar at the bottom is away while somebody types, and a moment longer. */
const expectBar = (page: Page, t: Translate) =>
  expect(page.getByRole('navigation', { name: t('Quick links') })).toBeVisible();

/** Narrows the list of all vents to those with a word: what other journeys posted is not shown. */
export async function listOnly(page: Page, word: string, hasMore = false): Promise<void> {
  await page.route(
    (url) => url.pathname === '/api/vent/all' && !url.searchParams.has('mine'),
    async (route) => {
      const url = new URL(route.request().url());
      const { page: number = '1', limit = '5' } = Object.fromEntries(url.searchParams);
      url.pathname = '/api/vent/search';
      url.search = String(new URLSearchParams({ query: word, page: number, limit }));
      if (!hasMore) return route.continue({ url: url.href });
      const response = await route.fetch({ url: url.href });
      const list = (await response.json()) as { vents: unknown[] };
      return route.fulfill({ response, json: { ...list, pageCount: list.vents.length > 0 ? 2 : 0 } });
    },
  );
}

async function* publicScreens({ page, t }: Walk): Screens {
  for (const [name, path] of [
    ['login', '/login'],
    ['terms', '/terms'],
    ['privacy', '/privacy'],
    ['faq', '/faq'],
    ['support', '/support'],
    ['ledger', '/ledger'],
    ['heard', '/heard'],
    ['grievance', '/grievance'],
    ['not-found', '/nowhere'],
  ] as const) {
    await open(page, path);
    yield name;
  }
  await open(page, '/support');
  await page.getByRole('button', { name: t('Start two minutes') }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('Start'), exact: true })
    .click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('Next'), exact: true })
    .click();
  yield 'grounding';
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.getByRole('button', { name: t('Menu') }).click();
  await expect(page.getByRole('link', { name: t('FAQ'), exact: true }).last()).toBeVisible();
  yield 'menu';
}

async function* signUpScreens({ page, t }: Walk): Screens {
  await listOnly(page, newWord('nothing'));
  const phone = newPhone();
  await open(page, '/signup');
  yield 'signup-phone';
  await page.getByLabel(t('Phone number')).fill(phone.slice(3));
  await page.getByRole('button', { name: t('Send OTP') }).click();
  const code = await codeFor(phone);
  await typeCode(page, wrongCode(code));
  await expect(page.getByText(t('Invalid OTP'))).toBeVisible();
  yield 'signup-code';
  await typeCodeAgain(page, code);
  const picker = page.getByRole('group', { name: t('How have you been feeling lately?') });
  for (const name of ['Sad', 'Anxious', 'Burnout'])
    await picker.getByRole('button', { name: t(name) }).click();
  await picker.getByRole('button', { name: t('Neutral') }).click({ force: true });
  await expect(picker.getByText(t("That's three already. Tap one to take it back."))).toBeVisible();
  yield 'signup-profile';
  await page.getByText(t('More about you (optional)')).click();
  await page
    .getByLabel(t('Bio'))
    .fill('कभी-कभी बस किसी को सुनना होता है। Some nights are long, and then it is morning.');
  await page.getByLabel(t('Interests')).fill('poetry, old Hindi songs, cricket,');
  await page.getByLabel(t('Likes'), { exact: true }).fill('rain, चाय,');
  await page.getByRole('button', { name: t('Complete Profile') }).click();
  await expect(page.getByRole('heading', { name: t('Latest Vents') })).toBeVisible();
  yield 'home';
}

async function* newcomerScreens({ page, t }: Walk): Screens {
  await signUp(page);
  await listOnly(page, newWord('nothing'));
  await open(page, '/');
  await page.getByRole('button', { name: t('Menu') }).click();
  await expect(page.getByRole('button', { name: t('Log out') })).toBeVisible();
  yield 'account-menu';
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: t('Update Profile') }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  yield 'update-profile';
  await page.getByRole('button', { name: t('Close comments on all my vents now') }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  yield 'close-all';
  await page.keyboard.press('Escape');
  await expect(page.getByRole('alertdialog')).toBeHidden();

  await open(page, '/myvents');
  await expect(page.getByText(t("You haven't created any vents yet."))).toBeVisible();
  yield 'my-vents-empty';
  await open(page, '/vents');
  await openComposer(page, t("What's on your mind?"));
  await page.getByRole('button', { name: t('Post vent') }).click();
  await expect(page.getByText(t('Please fill in all required fields.'))).toBeVisible();
  yield 'composer';
  for (const [name, path] of [
    ['vent', '/vent'],
    ['vent-create', '/vent/create'],
    ['vent-search', '/vent/search'],
    ['vent-not-found', '/vent/nowhere'],
    ['inbox-empty', '/inbox'],
    ['settings', '/settings'],
  ] as const) {
    await open(page, path);
    yield name;
  }
  await openGroups(page);
  yield 'settings-open';
  await page.getByRole('button', { name: t('Delete account') }).click();
  await expect(page.getByRole('dialog').getByLabel(t('Phone number'))).toBeVisible();
  yield 'delete-account';
  await closeDialog(page);
  for (const [name, button] of [
    ['recovery-code', 'Make a recovery code'],
    ['bring-back', 'Get an old account back'],
    ['change-number', 'Change your number'],
  ] as const) {
    await page.getByRole('button', { name: t(button) }).click();
    await expect(page.getByRole('dialog').getByRole('button').nth(1)).toBeVisible();
    yield name;
    if (name === 'recovery-code') {
      await page.getByRole('button', { name: t("I've written it down") }).click();
      yield 'recovery-code-check';
    }
    await closeDialog(page);
  }
}

async function* ventScreens({ page, browser, t }: Walk): Screens {
  const word = newWord('seen');
  const other = await newPerson(browser);
  await signUp(other);
  const theirs = await postVent(other, { title: `ज़िंदगी की कुछ बातें किसी से कही नहीं जातीं ${word}` });
  await signUp(page);
  await setUsername(page);
  await postVent(page, { title: `दूसरी बात ${word}` });
  const mine = await postVent(page, {
    title: `रात बहुत लंबी है ${word}`,
    text: 'आज फिर नींद नहीं आई। I keep thinking about what I should have said.\n\n'.repeat(8),
    hashtags: ['नींद', 'late nights', 'a'],
  });
  await postComment(page, theirs._id, 'और फिर सुबह हो गई।');
  await postComment(page, mine._id, 'और फिर सुबह हो गई।');
  await postComment(other, theirs._id, 'शुक्रिया।');
  await reactTo(other, mine._id, 'hug');
  // Somebody waits to be heard, in either language.
  await postVent(other, { title: 'Nobody knows', text: 'I smile the whole day and then I cry at night.' });
  await postVent(other, { title: 'किसी को नहीं पता', text: 'दिन भर हँसता हूँ और रात को रोता हूँ।' });
  await other.context().close();
  await listOnly(page, word);

  await open(page, '/inbox');
  await expect(page.getByRole('heading', { name: t('New') })).toBeVisible();
  yield 'inbox';

  const card = (title: string) => page.getByRole('article').filter({ hasText: title });
  await open(page, '/vents');
  await card(mine.title).scrollIntoViewIfNeeded();
  yield 'feed';
  await card(mine.title)
    .getByRole('button', { name: t('Comments, {0}', 1) })
    .click();
  await expect(page.getByRole('dialog').getByText(t('Author'), { exact: true })).toBeVisible();
  yield 'comments';
  await closeDialog(page);
  await card(theirs.title)
    .getByRole('button', { name: t('More about this vent') })
    .click();
  yield 'vent-menu';
  await page.getByRole('button', { name: t('Report vent') }).click();
  await page.getByRole('dialog').getByText(t('Other'), { exact: true }).click();
  yield 'report';
  await closeDialog(page);
  await card(theirs.title)
    .getByRole('button', { name: t('Comments, {0}', 2) })
    .click();
  await expect(page.getByRole('radio', { name: t('As Anonymous') })).toBeChecked();
  yield 'voice-anonymous';
  await page.getByRole('radio').last().check();
  await expect(page.getByText(t('Everyone who reads this will see your name and picture.'))).toBeVisible();
  yield 'voice-named';

  await open(page, `/vent/${mine._id}`);
  await expect(page.getByRole('button', { name: t('Delete Vent'), exact: true })).toBeVisible();
  yield 'vent-detail';
  await page.getByRole('button', { name: t('Delete Vent'), exact: true }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  yield 'delete-vent';
  for (const [name, path] of [
    ['home-with-vents', '/'],
    ['vent-found', `/vent/search?query=${word}`],
    ['my-vents', '/myvents'],
  ] as const) {
    await open(page, path);
    await expect(card(mine.title)).toBeVisible();
    yield name;
  }
  await holdBack(page, { title: `थोड़ी देर में ${word}` });
  await open(page, '/myvents');
  await expect(page.getByRole('button', { name: t('Post now') })).toBeVisible();
  yield 'my-vents-held';

  await open(page, '/listen');
  await page.getByRole('button', { name: t('Say something') }).click();
  await page.getByText(t("What you'd like to hear")).click();
  yield 'listen';
}

async function* matchScreens({ page, browser, t }: Walk): Screens {
  const { other, mine, theirs } = await signUpAlike(page, browser);
  const card = page.getByRole('article').filter({ hasText: theirs });
  const name = page.getByRole('button', { name: theirs, exact: true });
  const dialog = page.getByRole('dialog');
  await open(page, '/matches?tab=pending');
  await expect(page.getByText(t('No pending sent matches.'))).toBeVisible();
  yield 'matches-pending-empty';
  await acceptSuggestion(other, mine);
  await other.context().close();
  await open(page, '/inbox');
  await expect(page.getByRole('link', { name: theirs })).toBeVisible();
  yield 'inbox-matches';
  await open(page, '/matches');
  await expect(card.getByText(t('Said yes to you.'))).toBeVisible();
  await page.getByRole('button', { name: t('Name how you feel to see what you share') }).click();
  await page
    .getByRole('group', { name: t('How have you been feeling lately?') })
    .getByRole('button', { name: t('Sad') })
    .click();
  yield 'matches-suggestions';
  await page.getByRole('button', { name: t('Save') }).click();
  await expect(page.getByRole('list', { name: t("You're feeling") })).toBeVisible();
  yield 'matches-feelings';
  ageFeelings(mine);
  await page.reload();
  await expect(page.getByRole('heading', { name: t('Still feeling this way?') })).toBeVisible();
  yield 'matches-feelings-old';
  await name.click();
  await expect(dialog.getByText(t('No bio provided.'))).toBeVisible();
  yield 'matches-profile';
  await closeDialog(page);
  await page.route('**/api/auth/user/*', (route) =>
    route.fulfill({ status: 404, json: { success: false, message: '', code: 'NOT_FOUND', requestId: 'x' } }),
  );
  await page.reload();
  await name.click();
  await expect(dialog.getByText(t('No user details available.'))).toBeVisible();
  yield 'matches-no-profile';
  await closeDialog(page);
  await page.getByRole('tab', { name: t('Pending') }).click();
  await expect(card).toBeVisible();
  yield 'matches-pending';
  await card.getByRole('button', { name: t('Reject') }).click();
  // With the focus on it, the time for an undo does not pass.
  await card.getByRole('button', { name: t('Undo') }).focus();
  yield 'matches-undo';
  await card.getByRole('button', { name: t('Undo') }).click();
  await answerMatch(card.getByRole('button', { name: t('Accept') }));
  await expectToast(page, t('Match accepted!'));
  await page.getByRole('tab', { name: t('History') }).click();
  await expect(card.getByText(t('You both said yes.'))).toBeVisible();
  yield 'matches-history';
}

async function* hidingScreens({ page, browser, t }: Walk): Screens {
  const word = newWord('hidden');
  const other = await newPerson(browser);
  await signUp(other);
  const name = await setUsername(other);
  const theirs = await postVent(other, { title: `किसी और की बात ${word}` });
  const muted = await postVent(other, { title: `A loud day ${word}`, hashtags: ['shouting'] });
  await signUp(page);
  const mine = await postVent(page, { title: `मेरी बात ${word}` });
  for (const vent of [theirs, mine]) await postComment(other, vent._id, 'नाम के साथ।');
  await postComment(other, mine._id, 'बिना नाम के।', true);
  await postComment(page, theirs._id, 'सुन रहा हूँ।');
  await postComment(other, theirs._id, 'शुक्रिया।', true);
  await other.context().close();
  await listOnly(page, word);
  const button = (text: string, ...values: readonly string[]) =>
    page.getByRole('button', { name: t(text, ...values), exact: true });
  const alert = page.getByRole('alertdialog');

  await open(page, `/vent/${theirs._id}`);
  await expect(button('Report Vent')).toBeVisible();
  yield 'vent-detail-of-other';
  await button('Hide this vent').click();
  await expect(button('Show')).toBeFocused();
  yield 'vent-detail-hidden';

  await open(page, `/vent/${mine._id}`);
  const more = page.getByRole('listitem').getByRole('button', { name: t('More about this comment') });
  await more.last().click();
  await expect(button('Delete, and stop them commenting here')).toBeVisible();
  yield 'comment-menu-anonymous';
  await button('Delete, and stop them commenting here').click();
  await expect(alert).toBeVisible();
  yield 'close-to-voice';
  await alert.getByRole('button', { name: t('Cancel') }).click();
  await closeDialog(page);
  await more.first().click();
  yield 'comment-menu-named';
  await page.getByRole('button', { name: name }).click();
  await expect(alert).toBeVisible();
  yield 'hide-name';
  await alert.getByRole('button', { name: t('Hide') }).click();
  await expect(page.getByText(t("By someone you've hidden."))).toBeVisible();
  yield 'comments-hidden';

  await openSettings(page);
  const section = page.getByRole('region', { name: t('Hidden and muted') });
  await section.getByLabel(t('Muted hashtags')).fill('shouting,');
  await section.getByRole('button', { name: t('Save') }).click();
  await expect(section.getByText(t('Saved.'))).toBeVisible();
  for (const list of await section.getByRole('group').locator('summary').all()) await list.click();
  await section.getByRole('heading').scrollIntoViewIfNeeded();
  await expectBar(page, t);
  yield 'settings-hidden';

  await open(page, '/vents');
  await expect(page.getByText(t("Has a hashtag you've muted."))).toBeVisible();
  await expect(page.getByRole('link', { name: muted.title })).toHaveCount(0);
  yield 'feed-hidden';
  await open(page, '/inbox');
  await expect(page.getByText(t('a hidden vent'))).toBeVisible();
  yield 'inbox-hidden';
}

async function* noticeScreens({ page, browser, t }: Walk): Screens {
  const other = await newPerson(browser);
  await signUp(other);
  const theirs = await postVent(other, { title: newWord('Heavy') });
  const commentId = await postComment(other, theirs._id, 'Not kind.');
  await other.context().close();
  await signUp(page);
  await report(page, { about: { kind: 'vent', id: theirs._id }, reason: 'worried', details: 'रात की बात' });
  await report(page, {
    about: { kind: 'comment', id: commentId, ventId: theirs._id },
    reason: 'encourages_self_harm',
  });
  await open(page, '/reports');
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);
  yield 'reports';

  const lead = await newLead(browser);
  const vents = [];
  for (const title of ['अब और नहीं', 'उसका नंबर यह है', 'सब झूठ है', 'आख़िरी बात'])
    vents.push(await postVent(page, { title: `${title} ${newWord('told')}` }));
  const [cared, limited, suspended, banned] = vents.map(({ _id }) => ({ kind: 'vent', id: _id }) as const);
  if (!cared || !limited || !suspended || !banned) throw new Error('four were posted');
  await decide(lead, cared, { outcome: 'care', policy: 'worried' });
  await decide(lead, limited, { outcome: 'remove', policy: 'private_info', sanction: 'limit', days: 3 });

  await open(page, '/inbox');
  const line = page.getByRole('link', { name: t("There's a note from us about something you wrote.") });
  await expect(line).toHaveCount(2);
  yield 'inbox-notices';
  await open(page, '/vent/create');
  await expect(page.getByRole('link', { name: t('See why') })).toBeVisible();
  yield 'composer-limited';
  await open(page, `/vent/${theirs._id}`);
  await expect(page.getByRole('link', { name: t('See why') })).toBeVisible();
  yield 'comment-limited';
  await open(page, '/inbox');
  await line.first().click();
  await expect(page).toHaveURL('/notices');
  await expect(page.getByRole('article')).toHaveCount(2);
  yield 'notices';
  await page.getByRole('button', { name: t('Ask for a second look') }).click();
  await page.getByLabel(t('Why should we look again?')).fill('यह मेरा अपना पुराना नंबर है।');
  yield 'notices-appeal';
  await page.getByRole('button', { name: t('Send') }).click();
  await expect(
    page.getByText(t('You asked for a second look. Someone else decides, within 3 days.')),
  ).toBeVisible();
  await expectBar(page, t);
  yield 'notices-waiting';

  await decide(lead, suspended, { outcome: 'remove', policy: 'harassment', sanction: 'suspend', days: 7 });
  await page.goto('/vents');
  await expect(page).toHaveURL('/notices');
  await expect(page.getByRole('article')).toHaveCount(3);
  yield 'notices-suspended';
  await decide(lead, banned, { outcome: 'remove', policy: 'threat', sanction: 'ban' });
  await lead.context().close();
  await open(page, '/notices');
  await expect(page.getByRole('article')).toHaveCount(4);
  yield 'notices-banned';
}

async function* waysInScreens({ page, browser, t }: Walk): Screens {
  const owner = await newPerson(browser);
  const phone = await signUp(owner);
  const code = await saveRecoveryCode(owner);
  const button = (name: string) => page.getByRole('button', { name: t(name), exact: true });
  const dialog = page.getByRole('dialog');
  const enterCode = async (sent: number) => {
    await page.getByLabel(t('Phone number')).fill(phone.slice(3));
    await button('Send OTP').click();
    await expect(codeBoxes(page)).toBeVisible();
    await typeCode(page, await codeFor(phone, sent));
  };

  await signUp(page);
  await openSettings(page);
  await button('Get an old account back').click();
  await dialog.getByLabel(t('Recovery code')).fill(code);
  await button('Get it back').click();
  await expect(button('Got it')).toBeVisible();
  yield 'recovery-waits';
  await closeDialog(page);
  await page.evaluate(() => localStorage.clear());

  await open(page, '/login');
  await enterCode(2);
  await expect(button('Start fresh')).toBeVisible();
  await expect(button('Stop it')).toBeVisible();
  yield 'first-visit';
  await button("It's mine, but log out everywhere else and cancel the code").click();
  await expect(dialog.getByLabel(t('Phone number'))).toBeVisible();
  yield 'first-visit-lock-out';
  await closeDialog(page);
  await button("It's mine").click();
  await expect(page.getByRole('heading', { name: t('Latest Vents') })).toBeVisible();
  yield 'recovery-warning';
  await open(page, '/inbox');
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);
  yield 'inbox-account';
  await openSettings(page);
  await button('Cancel the code').click();
  await expect(dialog.getByLabel(t('Phone number'))).toBeVisible();
  yield 'cancel-code';
  await closeDialog(page);
  await button('Stop it').click();
  await expect(dialog.getByLabel(t('Phone number'))).toBeVisible();
  yield 'stop-recovery';
  await enterCode(3);
  await expect(page.getByRole('link', { name: t('Make a new code') })).toBeVisible();
  yield 'recovery-stopped';
  await page.getByRole('link', { name: t('Make a new code') }).click();
  await expect(button('Stop it')).toBeHidden();
  await expectBar(page, t);
  yield 'settings-replaced-code';
  await owner.context().close();
}

export const walks = {
  'public screens': publicScreens,
  'screens of signing up': signUpScreens,
  'screens of a new account': newcomerScreens,
  'screens of vents and comments': ventScreens,
  'screens of matches': matchScreens,
  'screens of hiding': hidingScreens,
  'screens of reports and notices': noticeScreens,
  'screens of ways in': waysInScreens,
};
