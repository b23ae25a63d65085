import type { Locator, Page } from '@playwright/test';
import {
  acceptSuggestion,
  postComment,
  postVent,
  saveRecoveryCode,
  setUsername,
  signUp,
  signUpAlike,
} from './api.ts';
import { expect, newPerson, newWord, openGroups, settle, test } from './fixtures.ts';
import { fullTier } from './tiers.ts';

/** Every dialog by every way of closing it, with and without unsent words. */
test.use({ contextOptions: { reducedMotion: 'reduce' } });

interface Case {
  readonly name: string;
  readonly path: string;
  readonly open: (page: Page) => Promise<void>;
  readonly isAlert?: boolean;
  /** An alert asks for an answer, and a code that is shown once is not closed by a stray tap. */
  readonly ignoresBackdrop?: boolean;
  /** Above another dialog, which stays open. */
  readonly isNested?: boolean;
  /** Where the other one has the same role. */
  readonly title?: string;
  /** The button that closes it. */
  readonly close: string;
  /** Types words, and returns the field that must still have them. */
  readonly write?: (dialog: Locator) => Promise<{ field: (dialog: Locator) => Locator; words: string }>;
}

const press = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click();

/** In a group of the settings that may be closed. */
const pressInGroups = (name: string) => async (page: Page) => {
  if ((await page.locator('main details[open]').count()) === 0) await openGroups(page);
  await press(name)(page);
};

const type = (label: string) => async (dialog: Locator) => {
  const field = (at: Locator) => at.getByLabel(label, { exact: true });
  await field(dialog).fill('Half a sentence');
  return { field, words: 'Half a sentence' };
};

const ways = ['Back', 'Escape', 'backdrop', 'button'] as const;

async function closeBy(way: (typeof ways)[number], page: Page, dialog: Locator, button: string) {
  if (way === 'Back') await page.evaluate(() => history.back());
  else if (way === 'Escape') await page.keyboard.press('Escape');
  else if (way === 'button') await dialog.getByRole('button', { name: button, exact: true }).click();
  else await page.mouse.click(4, 30);
}

async function walk(page: Page, one: Case): Promise<void> {
  const dialog = page.getByRole(one.isAlert ? 'alertdialog' : 'dialog', one.title ? { name: one.title } : {});
  const row: string[] = [];
  // A page before it, to see where Back leads after the dialogs were closed.
  await page.goto('/faq');
  await page.goto(one.path);
  for (const withWords of one.write ? [false, true] : [false]) {
    for (const way of ways) {
      const reopen = async () => {
        await one.open(page);
        await expect(dialog).toBeVisible();
        await settle(page);
      };
      await reopen();
      const written = withWords ? await one.write?.(dialog) : undefined;
      // A form tells its dialog of unsent words after it has rendered them.
      if (written) await settle(page);
      await closeBy(way, page, dialog, one.close);
      const stays = way === 'backdrop' && (withWords || one.ignoresBackdrop === true);
      if (stays) {
        // A tap that does nothing has no event to wait for: Escape would find a dialog that is closing.
        await settle(page);
        await expect(dialog).toBeVisible();
        await closeBy('Escape', page, dialog, one.close);
      }
      await expect(dialog, `${one.name}: ${way}`).toBeHidden();
      await expect(page).toHaveURL(one.path);
      if (way === 'Back') {
        // Until the page has handled it: it shows the page alone, and closes a dialog below this one.
        await page.evaluate(
          () =>
            new Promise<void>((done) => {
              window.addEventListener('popstate', () => done(), { once: true });
              history.forward();
            }),
        );
        await settle(page);
        expect(await page.evaluate(() => 'layer' in history.state)).toBe(true);
        await expect(dialog).toBeHidden();
      }
      if (written) {
        await settle(page);
        await reopen();
        await expect(written.field(dialog), `${one.name}: words after ${way}`).toHaveValue(written.words);
        await written.field(dialog).fill('');
        await closeBy('button', page, dialog, one.close);
        await expect(dialog).toBeHidden();
      }
      row.push(`${way}${withWords ? ' with words' : ''}: ${stays ? 'stays' : 'closes'}`);
    }
  }
  if (one.isNested) {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }
  // One press leaves the page, however often and by whatever way its dialogs were closed.
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL('/faq');
  console.log(`${one.name} | ${row.join(' | ')}`);
}

async function walkAll(page: Page, cases: readonly Case[]): Promise<void> {
  for (const one of cases) await walk(page, one);
}

test(
  'dialogs of vents close by Back, Escape and button, and keep unsent words',
  fullTier(
    'The dialogs of the profile are the same component; a form that does not mark unsent words is found at night.',
  ),
  async ({ page, browser }) => {
    const other = await newPerson(browser);
    await signUp(other);
    const theirs = await postVent(other, { title: newWord('Theirs') });
    await signUp(page);
    await setUsername(page);
    const mine = await postVent(page, { title: newWord('Mine') });
    await postComment(other, mine._id, 'And it passed.');
    await other.context().close();
    await walkAll(page, [
      {
        name: 'comments',
        path: `/vents?query=${theirs.title}`,
        open: press('Comments, 0'),
        close: 'Close',
        write: type('Your comment'),
      },
      {
        name: 'report',
        path: `/vent/${theirs._id}`,
        open: press('Report Vent'),
        close: 'Cancel',
        write: async (dialog) => {
          await dialog.getByText('Other', { exact: true }).click();
          return type('Details')(dialog);
        },
      },
      {
        name: 'report a comment',
        path: `/vent/${mine._id}`,
        open: async (at) => {
          await press('More about this comment')(at);
          await press('Report comment')(at);
        },
        title: 'Report comment',
        close: 'Cancel',
        write: async (dialog) => {
          await dialog.getByText('Other', { exact: true }).click();
          return type('Details')(dialog);
        },
      },
      {
        name: 'delete vent',
        path: `/vent/${mine._id}`,
        open: press('Delete Vent'),
        close: 'Cancel',
        isAlert: true,
        ignoresBackdrop: true,
      },
      {
        name: 'vent reported',
        path: `/vent/${theirs._id}`,
        open: async (at) => {
          // Reported once, it is folded.
          const show = at.getByRole('button', { name: 'Show', exact: true });
          const report = at.getByRole('button', { name: 'Report Vent', exact: true });
          await expect(show.or(report)).toBeVisible();
          if (await show.isVisible()) await show.click();
          await report.click();
          const form = at.getByRole('dialog');
          await expect(form).toBeVisible();
          // What moves between press and release swallows the click.
          await settle(at);
          await form.getByText('Spam', { exact: true }).click();
          await expect(form.getByRole('radio', { name: 'Spam' })).toBeChecked();
          await form.getByRole('button', { name: 'Report', exact: true }).click();
        },
        close: 'OK',
        isAlert: true,
        ignoresBackdrop: true,
      },
    ]);
  },
);

test('dialogs of the profile close by Back, Escape and button, and keep unsent words', async ({ page }) => {
  await signUp(page);
  await walkAll(page, [
    {
      name: 'update profile',
      path: '/',
      open: press('Update Profile'),
      close: 'Close',
      write: type('Bio'),
    },
    {
      name: 'close all comments',
      path: '/',
      open: async (at) => {
        if (!(await at.getByRole('dialog').isVisible())) await press('Update Profile')(at);
        await press('Close comments on all my vents now')(at);
      },
      close: 'Cancel',
      isNested: true,
      isAlert: true,
      ignoresBackdrop: true,
    },
  ]);
});

test(
  'dialogs of matches close by Back, Escape and button',
  fullTier('The dialogs of the profile are the same component.'),
  async ({ page, browser }) => {
    const { other, mine, theirs } = await signUpAlike(page, browser);
    await acceptSuggestion(other, mine);
    await other.context().close();
    await walkAll(page, [
      { name: 'profile of a match', path: '/matches', open: press(theirs), close: 'Close' },
      {
        name: 'report of a profile',
        path: '/matches',
        open: async (at) => {
          if (!(await at.getByRole('dialog').isVisible())) await press(theirs)(at);
          await press('Report profile')(at);
        },
        title: 'Report profile',
        close: 'Cancel',
        isNested: true,
      },
    ]);
  },
);

test(
  'dialogs of settings close by Back, Escape and button',
  fullTier('The dialogs of the profile are the same component.'),
  async ({ page }) => {
    await signUp(page);
    await walkAll(page, [
      ...['Export my data', 'Delete account', 'Get an old account back', 'Change your number'].map(
        (name) => ({
          name,
          path: '/settings',
          open: pressInGroups(name),
          close: 'Close',
        }),
      ),
      {
        name: 'Make a recovery code',
        path: '/settings',
        open: pressInGroups('Make a recovery code'),
        close: 'Close',
        ignoresBackdrop: true,
      },
    ]);
    await saveRecoveryCode(page);
    await walkAll(page, [
      { name: 'Cancel the code', path: '/settings', open: pressInGroups('Cancel the code'), close: 'Close' },
    ]);
  },
);

test(
  'the grounding exercise closes by Back, Escape and button',
  fullTier('The dialogs of the profile are the same component.'),
  async ({ page }) => {
    await walk(page, {
      name: 'grounding',
      path: '/support',
      open: press('Start two minutes'),
      close: 'Close',
    });
  },
);
