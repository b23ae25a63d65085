import type { Browser, Page } from '@playwright/test';
import { acceptSuggestion, postComment, postVent, reactTo, setUsername, signUp, signUpAlike } from './api.ts';
import {
  answerMatch,
  codeFor,
  expect,
  expectToast,
  newPerson,
  newPhone,
  newWord,
  openComposer,
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

/** Narrows the list of all vents to those with a word: what other journeys posted is not shown. */
export async function listOnly(page: Page, word: string): Promise<void> {
  await page.route(
    (url) => url.pathname === '/api/vent/all' && !url.searchParams.has('mine'),
    (route) => {
      const url = new URL(route.request().url());
      const { page: number = '1', limit = '5' } = Object.fromEntries(url.searchParams);
      url.pathname = '/api/vent/search';
      url.search = String(new URLSearchParams({ query: word, page: number, limit }));
      return route.continue({ url: url.href });
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
  await page
    .getByLabel(t('Bio'))
    .fill('कभी-कभी बस किसी को सुनना होता है। Some nights are long, and then it is morning.');
  await page.getByLabel(t('Interests')).fill('poetry, old Hindi songs, cricket,');
  await page.getByLabel(t('Likes'), { exact: true }).fill('rain, चाय,');
  await page.getByRole('button', { name: t('Complete Profile') }).click();
  await expect(page.getByRole('heading', { name: t('Latest Vents') })).toBeVisible();
  await expect(page.getByRole('region', { name: t('Account recovery') })).toBeVisible();
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
    .getByRole('button', { name: t('Report vent') })
    .click();
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

export const walks = {
  'public screens': publicScreens,
  'screens of signing up': signUpScreens,
  'screens of a new account': newcomerScreens,
  'screens of vents and comments': ventScreens,
  'screens of matches': matchScreens,
};
