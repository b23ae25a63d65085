import { reports } from '../test-env.ts';
import { doubleText, expectAccessible, expectTargetSizes, expectToFit } from './a11y.ts';
import { acceptSuggestion, editProfile, postComment, postVent, signUp, signUpAlike } from './api.ts';
import { expect, newWord, settle, test } from './fixtures.ts';
import { listOnly, walks } from './screens.ts';
import { createTranslate } from './translate.ts';

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

for (const [name, walk] of Object.entries(walks)) {
  test(`${name} pass axe in both schemes, and fit on a phone`, async ({ page, browser }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    for await (const screen of walk({ page, browser, t: createTranslate('en') })) {
      await settle(page);
      await expectToFit(page, `${screen} at 390 px`);
      await expectAccessible(page, screen);
    }
  });

  test(`${name} fit on a desktop, and are photographed`, { tag: '@full' }, async ({ page, browser }) => {
    for await (const screen of walk({ page, browser, t: createTranslate('en') })) {
      await settle(page);
      await page.screenshot({ path: `${reports}/screens/390-${screen}.png` });
      await page.setViewportSize(desktop);
      await settle(page);
      await expectToFit(page, `${screen} at 1280 px`);
      await expectTargetSizes(page, `${screen} at 1280 px`);
      await page.screenshot({ path: `${reports}/screens/1280-${screen}.png` });
      await page.setViewportSize(phone);
    }
  });
}

test('text wraps at 320 px and at twice the size', async ({ page }) => {
  const word = newWord('Wraps');
  await signUp(page);
  await postVent(page, { title: `Nobody at home knows how tired I am ${word}` });
  await listOnly(page, word);
  for (const [width, isDouble] of [
    [320, false],
    [390, true],
  ] as const) {
    await page.setViewportSize({ width, height: 700 });
    for (const path of [
      '/',
      '/settings',
      '/faq',
      '/privacy',
      '/support',
      '/vents',
      '/matches',
      '/matches?tab=pending',
      '/inbox',
    ]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await settle(page);
      if (isDouble) await doubleText(page);
      await expectToFit(page, `${path} at ${width} px${isDouble ? ', twice the size' : ''}`);
    }
  }
});

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
  { tag: '@full' },
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
    const card = page.getByRole('article').first();
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
