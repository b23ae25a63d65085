import type { Browser, Page } from '@playwright/test';
import type { ReportReasonCode } from '@unsaid/contract';
import { expectAccessible } from './a11y.ts';
import { postComment, postVent, report, signUp, tryVent } from './api.ts';
import {
  addModerator,
  asUser,
  confirm,
  consoleScreen,
  enrolByKeyboard,
  heading,
  nextButton,
  reportItems,
  result,
  takeNext,
} from './console.ts';
import { expect, newPerson, newWord, test } from './fixtures.ts';
import { ageProofs, emptyQueue, endLease, limitSevereTexts } from './seed.ts';
import { fullTier } from './tiers.ts';

/** What does not go the usual way: reversals, cases by hand, limits, and work that crosses somebody else's. */
test.use(consoleScreen);
test.beforeEach(emptyQueue);

const held = (page: Page) => page.getByText(/You hold this case/u);
const note = (page: Page) => page.getByLabel('Note (optional)');
const caseIdOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? '';

/** Two new people: an author with a vent, and a reader. */
async function ventOf(browser: Browser, title: string) {
  const [author, reader] = [await newPerson(browser, asUser), await newPerson(browser, asUser)];
  await Promise.all([signUp(author), signUp(reader)]);
  const { _id: id } = await postVent(author, { title });
  return {
    author,
    reader,
    id,
    close: () => Promise.all([author.context().close(), reader.context().close()]),
  };
}

async function reportedVent(browser: Browser, title: string, reason: ReportReasonCode) {
  const people = await ventOf(browser, title);
  await report(people.reader, { about: { kind: 'vent', id: people.id }, reason });
  return people;
}

async function newModerator(browser: Browser, role: 'moderator' | 'lead'): Promise<Page> {
  const page = await newPerson(browser, consoleScreen);
  await enrolByKeyboard(page, await addModerator(role));
  return page;
}

test(
  'a lead reads what a colleague removed, and reverses it with a fresh passkey proof',
  fullTier('cases.test.ts of the server reverses a decision; a fault of the dialog is found at night.'),
  async ({ page, browser }) => {
    const title = newWord('harmless ');
    const { author, reader, id, close } = await reportedVent(browser, title, 'private_info');
    const first = await newModerator(browser, 'moderator');
    await takeNext(first);
    await first.keyboard.press('4');
    await confirm(first, 'removed. Thank you.');
    const address = first.url();
    expect((await tryVent(reader, id)).status()).toBe(404);
    // Nobody else may read or undo it.
    await first.goto(address);
    await expect(heading(first, 'Vent, private details')).toBeFocused();
    await expect(first.getByRole('heading', { name: 'Decided' })).toBeVisible();
    await expect(first.getByRole('button', { name: /Reveal|Reverse/u })).toHaveCount(0);

    await enrolByKeyboard(page, await addModerator('lead'));
    await page.getByRole('link', { name: 'Closed' }).click();
    await page.getByRole('link', { name: `Vent #${caseIdOf(first)}` }).click();
    await expect(page.getByRole('heading', { name: 'Decided' })).toBeVisible();
    await expect(page.getByText(title)).toHaveCount(0);
    await page.keyboard.press('r');
    await expect(page.getByText(title)).toBeVisible();
    await expectAccessible(page, 'a decided case that a lead reads');
    await page.getByRole('button', { name: 'Reverse the decision' }).press('Enter');
    await expect(page.getByRole('dialog', { name: 'Reverse this decision?' })).toBeVisible();
    await expectAccessible(page, 'reversal');
    ageProofs();
    await page.keyboard.press('Control+Enter');
    await expect(result(page)).toHaveText('Reversed. The item is back, and the author is told.');
    await expect(nextButton(page)).toBeFocused();
    await expect(page.getByText('Overturned: the item is back')).toBeVisible();
    await expect(page.getByText(title)).toHaveCount(0);
    expect((await tryVent(reader, id)).status()).toBe(200);
    await author.goto('/notices');
    await expect(author.getByRole('article').filter({ hasText: title })).toContainText(
      "We looked again, and we were wrong. It's back.",
    );

    await page.goto(`/audit?case=${caseIdOf(first)}`);
    // Both have read it, and one has reversed it.
    await expect(page.getByRole('cell', { name: 'reversed', exact: true })).toHaveCount(1);
    await expect(page.getByRole('cell', { name: 'revealed', exact: true })).toHaveCount(2);
    await Promise.all([first.context().close(), close()]);
  },
);

test(
  'a lead opens a case by hand, and corrects a link and an id that lead nowhere',
  fullTier('cases.test.ts finds a case that cannot be opened; a fault of the form is found at night.'),
  async ({ page, browser }) => {
    const title = newWord('seen ');
    const { author, reader, id, close } = await ventOf(browser, title);
    const words = newWord('cruel ');
    const commentId = await postComment(reader, id, words);
    await enrolByKeyboard(page, await addModerator('lead'));
    await page.getByRole('link', { name: 'Open a case' }).press('Enter');
    await expect(heading(page, 'Open a case')).toBeFocused();
    const link = page.getByLabel('Link or id of the vent');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('That is no link or id of an item.')).toBeVisible();
    await expect(link).toBeFocused();
    await page.keyboard.type(`${asUser.baseURL}/vent/nothing`);
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('There is no such vent, or its author deleted it.')).toBeVisible();

    // A comment needs both.
    await page.getByRole('radio', { name: 'Comment' }).check();
    await link.fill(`${asUser.baseURL}/vent/${id}`);
    await page.keyboard.press('Control+Enter');
    await expect(page.getByLabel('Id of the comment')).toBeFocused();
    await page.keyboard.type(commentId);
    await page.getByLabel('Rule').selectOption('Threat');
    await note(page).fill('Seen while reading the feed.');
    await expectAccessible(page, 'opening a case');
    ageProofs();
    await page.keyboard.press('Control+Enter');
    await expect(heading(page, 'Comment, threat')).toBeFocused();
    await expect(page.getByText('Opened by staff')).toBeVisible();
    // Whoever takes it reads the note before deciding.
    await expect(page.getByText('Seen while reading the feed.')).toBeVisible();
    await page.getByRole('button', { name: 'Take this case' }).press('Enter');
    await expect(held(page)).toBeVisible();
    await page.keyboard.press('r');
    await expect(page.getByText(words)).toBeVisible();
    await page.keyboard.press('4');
    await confirm(page, 'Comment removed. Thank you.');

    // An order: its rule is chosen with it, and three hours run.
    await page.goto('/open');
    await page.getByRole('radio', { name: /^Legal order/u }).check();
    await expect(page.getByLabel('Rule')).toHaveValue('legal_order');
    await link.fill(id);
    await note(page).fill('Order 12/2026');
    await page.keyboard.press('Control+Enter');
    await expect(heading(page, 'Vent, legal order')).toBeFocused();
    await page.goto('/?show=orders');
    const row = page.getByRole('row').filter({ hasText: 'Legal order' });
    await expect(row.first()).toContainText(/in [23] h/u);
    await author.goto(`/vent/${id}`);
    await expect(author.getByRole('heading', { name: title })).toBeVisible();
    await close();
  },
);

test(
  'after the last hard text of the day, the console says so, and offers lighter cases alone',
  fullTier('cases.test.ts finds one text too many; the sentence is found at night.'),
  async ({ page, browser }) => {
    await reportItems(browser, ['harassment', 'harassment', 'spam']);
    await enrolByKeyboard(page, await addModerator('moderator'));
    limitSevereTexts(1);
    await takeNext(page);
    await expect(page.getByText('That was the last severe text for today.')).toBeVisible();
    await page.keyboard.press('1');
    await confirm(page, 'kept. Thank you.');
    // The next one is light, however many hard ones wait.
    await page.keyboard.press('n');
    await expect(held(page)).toBeVisible();
    await expect(page.getByText(/^[12] (?:Usual|Minor)$/u)).toBeVisible();
    await page.keyboard.press('s');
    await expect(nextButton(page)).toBeFocused();

    // One that was taken from the list can be given back, and nothing was shown.
    await page.goto('/');
    const hard = page.getByRole('row').filter({ hasText: 'Serious' });
    await hard.first().getByRole('link').press('Enter');
    await page.getByRole('button', { name: 'Take this case' }).press('Enter');
    await expect(held(page)).toBeVisible();
    await page.keyboard.press('r');
    await expect(page.getByRole('alert')).toContainText("You've read enough hard texts for today.");
    await expect(page.getByRole('button', { name: 'Hide again' })).toHaveCount(0);
    await expectAccessible(page, 'enough for today');
    await page.keyboard.press('s');
    await expect(result(page)).toContainText('Skipped. Somebody else will look at it.');

    // Until only hard ones are left.
    const rest = page.getByText('No lighter case is waiting');
    for (;;) {
      await page.keyboard.press('n');
      await expect(rest.or(held(page))).toBeVisible();
      if (await rest.isVisible()) break;
      await page.keyboard.press('s');
      await expect(nextButton(page)).toBeFocused();
    }
    await expect(result(page)).toContainText("you've read enough hard texts for today");
    await expect(page.getByText(/cases? waits?/u)).toBeVisible();
  },
);

test(
  'a moderator whose ten minutes are over reads why, and goes on with what was chosen',
  fullTier('cases.test.ts of the server ends a lease; a lost note is found at night.'),
  async ({ page, browser }) => {
    await reportItems(browser, ['harassment']);
    await enrolByKeyboard(page, await addModerator('moderator'));
    await takeNext(page);
    await page.keyboard.press('3');
    await note(page).fill('An insult, once.');
    endLease(caseIdOf(page));
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('Your ten minutes are over, so the texts are hidden again.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Hide again' })).toHaveCount(0);
    const take = page.getByRole('button', { name: 'Take this case' });
    await expect(take).toBeFocused();
    await expectAccessible(page, 'a lease that is over');
    await page.keyboard.press('Enter');
    await expect(held(page)).toBeVisible();
    await expect(page.getByRole('radio', { name: /^Hide/u })).toBeChecked();
    await expect(note(page)).toHaveValue('An insult, once.');
    // Read anew: what was revealed is not.
    await expect(page.getByRole('button', { name: 'Hide again' })).toHaveCount(0);

    // Then somebody else takes it first.
    endLease(caseIdOf(page));
    const second = await newModerator(browser, 'moderator');
    await second.goto(page.url());
    await second.getByRole('button', { name: 'Take this case' }).press('Enter');
    await expect(held(second)).toBeVisible();
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('You no longer hold this case')).toBeVisible();
    await expect(page.getByText('Somebody else is working on this case.')).toBeVisible();
    await expect(nextButton(page)).toBeFocused();
    await expect(take).toHaveCount(0);
    await second.keyboard.press('1');
    await confirm(second, 'kept. Thank you.');
    await page.getByRole('button', { name: 'Look again' }).press('Enter');
    await expect(page.getByText('This case ended while it was open here.')).toBeVisible();
    await expect(nextButton(page)).toBeFocused();
    await second.context().close();
  },
);

test(
  'a case that changes under a moderator keeps what was chosen, and is confirmed once more',
  fullTier('cases.test.ts refuses a decision on an older case; a lost note is found at night.'),
  async ({ page, browser }) => {
    const title = newWord('changed ');
    const { id, close } = await reportedVent(browser, title, 'encourages_self_harm');
    await enrolByKeyboard(page, await addModerator('moderator'));
    await takeNext(page);
    await page.keyboard.press('4');
    await note(page).fill('Told a reader to give up.');

    // A lead files the same vent under another rule.
    const lead = await newModerator(browser, 'lead');
    await lead.goto('/open');
    await lead.getByLabel('Link or id of the vent').fill(id);
    await lead.getByLabel('Rule').selectOption('Threat');
    await lead.keyboard.press('Control+Enter');
    await expect(heading(lead, 'Vent, threat')).toBeFocused();
    expect(caseIdOf(lead)).toBe(caseIdOf(page));
    await expect(lead.getByText('Somebody else is working on this case.')).toBeVisible();

    const changed = page.getByRole('alert').filter({ hasText: 'Something about this case changed' });
    const sanction = page.getByRole('alert').filter({ hasText: 'Choose a sanction, or none.' });
    await page.keyboard.press('Control+Enter');
    await expect(changed.or(sanction)).toBeVisible();
    if (await sanction.isVisible()) {
      await page.keyboard.press('Space');
      await page.keyboard.press('Control+Enter');
    }
    await expect(changed).toContainText('What you chose is still here');
    await expectAccessible(page, 'a case that changed');
    await expect(heading(page, 'Vent, threat')).toBeVisible();
    await expect(held(page)).toBeVisible();
    await expect(page.getByRole('radio', { name: /^Remove/u })).toBeChecked();
    await expect(note(page)).toHaveValue('Told a reader to give up.');
    // What was read stays: it is the same text.
    await expect(page.getByText(title)).toBeVisible();
    await page.keyboard.press('Control+Enter');
    await expect(result(page)).toContainText('Vent removed. Thank you.');
    await Promise.all([lead.context().close(), close()]);
  },
);

test(
  'a text that comes late does not take the focus from a note',
  fullTier('A key press into the wrong field, for a day.'),
  async ({ page, browser }) => {
    await reportItems(browser, ['spam']);
    await enrolByKeyboard(page, await addModerator('moderator'));
    await page.keyboard.press('n');
    await expect(heading(page, /^(?:Vent|Comment), /u)).toBeFocused();
    const { promise: isTyped, resolve: letCome } = Promise.withResolvers<void>();
    await page.route('**/reveal', async (route) => {
      await isTyped;
      await route.continue();
    });
    await page.keyboard.press('r');
    await page.keyboard.press('2');
    await expect(page.getByRole('radio', { name: /^Care note/u })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.type('One');
    letCome();
    await expect(page.getByRole('button', { name: 'Hide again' })).toHaveCount(1);
    await page.keyboard.type(' sentence.');
    await expect(note(page)).toHaveValue('One sentence.');
    await expect(held(page)).toBeVisible();
  },
);
