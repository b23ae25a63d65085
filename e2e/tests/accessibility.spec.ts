import type { Page } from '@playwright/test';
import { reports } from '../test-env.ts';
import { doubleText, expectAccessible, expectColoursInDark, expectTargetSizes, expectToFit } from './a11y.ts';
import { acceptSuggestion, editProfile, postComment, postVent, signUpAlike } from './api.ts';
import { expect, newWord, settle, test } from './fixtures.ts';
import { walks } from './screens.ts';
import { createTranslate } from './translate.ts';
import { fullTier } from './tiers.ts';

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

/** The other walks show the same cards, forms and dialogs, with other words. */
const mainWalks: ReadonlySet<string> = new Set([
  'public screens',
  'screens of signing up',
  'screens of a new account',
  'screens of vents and comments',
  'screens of matches',
]);
/** One walk is seen on a desktop for each change. */
const desktopWalk = 'screens of vents and comments';

async function expectToFitOnDesktop(page: Page, screen: string): Promise<void> {
  await page.setViewportSize(desktop);
  await settle(page);
  await expectToFit(page, `${screen} at 1280 px`);
}

for (const [name, walk] of Object.entries(walks)) {
  const tier = mainWalks.has(name)
    ? {}
    : fullTier(
        'The main walks have the same cards, forms and dialogs; a heading out of order is found at night.',
      );
  const isSeenOnDesktop = name === desktopWalk;
  test(
    `${name} pass axe and fit on a phone${isSeenOnDesktop ? ' and on a desktop' : ''}`,
    tier,
    async ({ page, browser }) => {
      await page.emulateMedia({ colorScheme: 'light' });
      for await (const screen of walk({ page, browser, t: createTranslate('en') })) {
        await settle(page);
        await expectToFit(page, `${screen} at 390 px`);
        await expectAccessible(page, screen);
        if (screen === 'feed') await expectColoursInDark(page, screen);
        if (isSeenOnDesktop) {
          await expectToFitOnDesktop(page, screen);
          await page.setViewportSize(phone);
        }
      }
    },
  );

  test(
    `${name} fit on a desktop, have their contrast in the dark, and are photographed`,
    fullTier('check:contrast proves the colours; a layout that breaks on a desktop alone is found at night.'),
    async ({ page, browser }) => {
      await page.emulateMedia({ colorScheme: 'light' });
      for await (const screen of walk({ page, browser, t: createTranslate('en') })) {
        await settle(page);
        await page.screenshot({ path: `${reports}/screens/390-${screen}.png` });
        await expectColoursInDark(page, screen);
        await expectToFitOnDesktop(page, screen);
        await expectTargetSizes(page, `${screen} at 1280 px`);
        await page.screenshot({ path: `${reports}/screens/1280-${screen}.png` });
        await page.setViewportSize(phone);
      }
    },
  );
}

/** Words without a space, as many tags as fit, right to left, and emoji. */
const extremeVents = [
  {
    title: 'W'.repeat(100),
    text: 'क्षत्रियm'.repeat(220),
    emotion: 'Burnout',
    hashtags: Array.from({ length: 9 }, (_, n) => `${n}${'wide_tag_without_a_space_at_all'.slice(0, 29)}`),
  },
  {
    title: 'لا أحد يسمعني هذه الليلة',
    text: 'أكتب هنا لأنني لا أستطيع أن أقول ذلك (really) لأحد. 🌙',
    emotion: 'Sad',
    hashtags: [],
  },
  { title: '👩🏽‍🦱👨‍👩‍👧‍👦'.repeat(8), text: '🙂'.repeat(300), emotion: 'Happy', hashtags: ['ok'] },
] as const;

test(
  'extreme text fits in every list, dialog and form, from 320 to 1280 px and at twice the size, in both languages',
  fullTier('A word without a space breaks a layout until the next day.'),
  async ({ page, browser }) => {
    const { other, mine, theirs } = await signUpAlike(page, browser);
    const word = newWord('extreme');
    let ventId = '';
    for (const vent of extremeVents) {
      const { _id } = await postVent(page, { ...vent, hashtags: [...vent.hashtags, word] });
      ventId ||= _id;
    }
    for (const person of [page, other]) {
      await postComment(person, ventId, 'W'.repeat(500));
      await editProfile(person, {
        bio: 'M'.repeat(300),
        interests: Array.from({ length: 8 }, (_, n) => `${n}${'W'.repeat(39)}`),
      });
    }
    await acceptSuggestion(other, mine);
    await other.context().close();

    const dialog = page.getByRole('dialog');
    const main = page.getByRole('main');
    // The inbox has lines instead of cards.
    const card = main.getByRole('article').or(main.getByRole('listitem')).first();
    const screens: readonly [name: string, path: string, open?: () => Promise<void>][] = [
      ['feed', `/vents?query=${word}`],
      ['search', `/vent/search?query=${word}`],
      ['mine', '/myvents'],
      ['vent', `/vent/${ventId}`],
      ['home', '/'],
      ['inbox', '/inbox'],
      ['matches', '/matches'],
      ['pending', '/matches?tab=pending'],
      ['profile', '/', () => page.getByRole('button', { name: /^(?:Update Profile|प्रोफ़ाइल बदलें)$/u }).click()],
      [
        'comments',
        '/myvents',
        () =>
          page
            .getByRole('article')
            .last()
            .getByRole('button', { name: /^(?:Comments|कमेंट)/u })
            .click(),
      ],
      ['person', '/matches', () => page.getByRole('button', { name: theirs, exact: true }).click()],
    ];
    for (const locale of ['en', 'hi']) {
      await page.evaluate((locale) => localStorage.setItem('unsaid.locale', locale), locale);
      for (const [name, path, open] of screens) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(card).toBeVisible();
        if (open) {
          await open();
          await expect(dialog).toBeVisible();
        }
        for (const [width, scheme] of [
          [320, 'light'],
          [768, 'dark'],
          [1280, 'light'],
          [640, 'dark'],
        ] as const) {
          // Hindi runs no wider than English; where it does, it does so on the narrowest.
          if (locale === 'hi' && width !== 320) continue;
          await page.setViewportSize({ width, height: 844 });
          await page.emulateMedia({ colorScheme: scheme });
          if (width === 640) await doubleText(page);
          await settle(page);
          const full = `extreme-${locale}-${width}-${name}`;
          await expectToFit(page, full);
          await page.screenshot({ path: `${reports}/screens/${full}.png`, fullPage: !open });
        }
      }
    }
  },
);
