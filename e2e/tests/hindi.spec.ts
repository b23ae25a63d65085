import type { Page } from '@playwright/test';
import { reports } from '../test-env.ts';
import { expectToFit } from './a11y.ts';
import { postVent, signUp } from './api.ts';
import {
  codeFor,
  expect,
  expectToast,
  newPerson,
  newPhone,
  newWord,
  openComposer,
  openSettings,
  settle,
  test,
  typeCode,
  typeCodeAgain,
  wrongCode,
} from './fixtures.ts';
import { walks } from './screens.ts';
import { readRelease } from './service-worker-cache.ts';
import { stopSplashTime } from './splash-time.ts';
import { createIsForeign, createTranslate, type Locale } from './translate.ts';
import { fullTier } from './tiers.ts';

test.use({ locale: 'hi-IN' });

const root = (page: Page) => page.locator('html');
const footer = (page: Page) => page.getByRole('contentinfo');

/** The address of the Hindi catalogue, which the build puts into the page. */
const hindiCatalogue = async (page: Page) => {
  const delivery = await page.locator('script[data-delivery]').getAttribute('data-delivery');
  const { files, words } = JSON.parse(delivery ?? '') as {
    files: string[];
    words: Record<string, Record<string, number[]>>;
  };
  const path = words['hi']?.['app']?.map((place) => files[place] ?? '').find((file) => /app-/u.test(file));
  return new URL(path ?? '', page.url()).href;
};

test.describe('with the splash', () => {
  test.use({ showsSplash: true });

  test('a browser in Hindi gets Hindi from the first frame', async ({ page, complaints }) => {
    // Without the application: language and splash do not need it.
    complaints.expect(/ERR_FAILED/u);
    await page.route('**/assets/*.js', (route) => route.abort());
    await stopSplashTime(page);
    await page.goto('/login');
    await expect(root(page)).toHaveAttribute('lang', 'hi');
    await expect(page.getByText('खुलकर कहें, मन हल्का करें')).toBeVisible();
    await expect(page.getByText('Speak Freely, Heal Faster')).toBeHidden();
    await expect(page.getByText('कहीं भी टैप करें')).toBeVisible();
  });
});

test(
  'the login page is in Hindi',
  fullTier('The journey in which Hindi is chosen finds it.'),
  async ({ page }) => {
    await page.goto('/login');
    await expect(page.getByRole('heading', { name: 'लॉग इन करें', level: 1 })).toBeVisible();
    await expect(page.getByRole('button', { name: 'OTP भेजें' })).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'hi');
    await expect(page).toHaveTitle('लॉग इन करें · Unsaid');
  },
);

test(
  'the Hindi catalogue and its long texts are each loaded once',
  fullTier('Hindi readers load a file twice for a day.'),
  async ({ page, requests }) => {
    await page.goto('/faq');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('सवाल जो आपके मन में हो सकते हैं');
    const catalogue = await hindiCatalogue(page);
    expect(requests.filter((url) => url === catalogue)).toHaveLength(1);
    expect(requests.filter((url) => /\/assets\/info-[\w-]{8}\.js$/u.test(url))).toHaveLength(1);
  },
);

test.describe('in an English browser', () => {
  test.use({ locale: 'en-IN' });

  test('the Hindi catalogue loads when Hindi is chosen, and the choice survives a reload', async ({
    page,
    requests,
  }) => {
    await page.goto('/login');
    await expect(page.getByRole('heading', { name: 'Log in', level: 1 })).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'en');
    const catalogue = await hindiCatalogue(page);
    expect(requests).not.toContain(catalogue);

    await page.getByLabel('Phone number').fill('98765');
    await page.getByRole('button', { name: 'हिन्दी' }).click();
    await expect(page.getByRole('heading', { name: 'लॉग इन करें', level: 1 })).toBeVisible();
    await expect(page.getByLabel('फ़ोन नंबर')).toHaveValue('98765');
    await expect(root(page)).toHaveAttribute('lang', 'hi');
    await expect(page).toHaveTitle('लॉग इन करें · Unsaid');
    expect(requests).toContain(catalogue);

    await page.reload();
    await expect(page.getByRole('heading', { name: 'लॉग इन करें', level: 1 })).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'hi');

    // An open long text changes too.
    await page.goto('/support');
    await expect(page.getByRole('link', { name: '112 पर कॉल करें' }).first()).toBeVisible();
    await footer(page).getByRole('button', { name: 'English' }).click();
    await expect(page.getByRole('link', { name: 'Call 112' }).first()).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'en');
    await page.reload();
    await expect(page.getByRole('link', { name: 'Call 112' }).first()).toBeVisible();
  });

  test(
    'Hindi is chosen in the menu, other tabs follow, and a failed load is shown',
    fullTier('The journey on the login page runs the same switch.'),
    async ({ page, context, complaints }) => {
      await page.goto('/login');
      const other = await context.newPage();
      await other.goto('/terms');
      await page.getByRole('button', { name: 'Menu' }).click();
      const menu = page.getByRole('banner');
      const catalogue = await hindiCatalogue(page);
      complaints.expect(/ERR_FAILED|dynamically imported/u);
      await page.route(catalogue, (route) => route.abort());
      await menu.getByRole('button', { name: 'हिन्दी' }).click();
      await expect(menu.getByText("Couldn't load this language.")).toBeVisible();
      await expect(root(page)).toHaveAttribute('lang', 'en');

      await page.unroute(catalogue);
      await page.reload();
      await page.getByRole('button', { name: 'Menu' }).click();
      await menu.getByRole('button', { name: 'हिन्दी' }).click();
      await expect(page.getByRole('link', { name: 'सवाल-जवाब' })).toBeVisible();
      await expect(other.getByRole('heading', { level: 1 })).toHaveText('शर्तें');
    },
  );
});

test('the page is in English when the Hindi catalogue fails to load', async ({ page, complaints }) => {
  await page.goto('/nowhere');
  const catalogue = await hindiCatalogue(page);
  complaints.expect(/ERR_FAILED|dynamically imported/u);
  await page.route(catalogue, (route) => route.abort());
  await page.goto('/login');
  await expect(page.getByRole('heading', { name: 'Log in', level: 1 })).toBeVisible();
  await expect(root(page)).toHaveAttribute('lang', 'en');
});

const languages = [
  { language: 'Hindi', locale: 'hi', browser: 'hi-IN' },
  { language: 'Hinglish', locale: 'hi-Latn', browser: 'hi-Latn-IN' },
] as const;

for (const { language, locale, browser: tag } of languages)
  test.describe(`in ${language}`, () => {
    test.use({ locale: tag });
    const t = createTranslate(locale);

    test(`a person signs up, posts, is offered help and comments in ${language}, and the language outlives the session`, async ({
      page,
      browser,
    }) => {
      const phone = newPhone();
      await page.goto('/signup');
      await expect(root(page)).toHaveAttribute('lang', locale);
      await page.getByLabel(t('Phone number')).fill('12345');
      await page.getByRole('button', { name: t('Send OTP') }).click();
      // The server's own sentence is in English.
      await expect(page.getByText(t("That doesn't look like a mobile number."))).toBeVisible();
      await page.getByLabel(t('Phone number')).fill(phone.slice(3));
      await page.getByRole('button', { name: t('Send OTP') }).click();
      const code = await codeFor(phone);
      await typeCode(page, wrongCode(code));
      await expect(page.getByText(t("Invalid OTP. That code didn't match. Try again."))).toBeVisible();
      await typeCodeAgain(page, code);
      await page.getByRole('button', { name: t('Skip'), exact: true }).click();
      await expect(page.getByRole('heading', { name: t('Anonymous') })).toBeVisible();

      const title = `रात बहुत लंबी है ${newWord('hindi')}`;
      await page.goto('/vents');
      await openComposer(page, t("What's on your mind?"));
      const text = page.getByLabel(t('Text'), { exact: true });
      await text.fill(locale === 'hi' ? 'मैं मर जाना चाहती हूँ' : 'bhai marne ka mann karta hai roz');
      const help = page.getByRole('group', { name: t('Someone to talk to') });
      await expect(help).toHaveAttribute('lang', locale);
      await expect(help.getByRole('status')).toContainText(
        t('That sounds heavy. You can post this, and you can also talk to someone.'),
      );
      await expectToFit(page, `the crisis card in ${language}`);
      await help.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${reports}/screens/390-${locale}-crisis.png` });
      await text.fill('');
      await expect(help).toHaveCount(0);
      const post = page.getByRole('button', { name: t('Post vent'), exact: true });
      await post.click();
      await expect(page.getByText(t('Please fill in all required fields.'))).toBeVisible();
      await page.getByLabel(t('Title'), { exact: true }).fill(title);
      await text.fill('आज फिर नींद नहीं आई।\nजो कहना था, वह अनकहा रह गया।');
      await page.getByText(t('Anxious'), { exact: true }).first().click();
      await post.click();
      await expectToast(page, t('Vent created successfully!'));
      const vent = page.getByRole('article').filter({ hasText: title });
      await expect(vent).toContainText(t('just now'));
      await vent.getByRole('button', { name: `${t('Comments')}, 0` }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(t('Your comment')).fill('और फिर सुबह हो गई।');
      await dialog.getByRole('button', { name: t('Comment'), exact: true }).click();
      await expect(dialog.getByText(t('Author'), { exact: true })).toBeVisible();
      await page.keyboard.press('Escape');

      const other = await newPerson(browser);
      await signUp(other);
      const { _id } = await postVent(other, { title: newWord('night') });
      await page.goto(`/vent/${_id}`);
      const hug = `${t('Hug')}, ${t('shows support')}`;
      await page.getByRole('button', { name: `${hug}, 0` }).click();
      await expect(page.getByRole('button', { name: `${hug}, 1` })).toHaveAttribute('aria-pressed', 'true');

      // Settings has the choice, and tells the state of the translation.
      await openSettings(page);
      await expect(page.getByText(t('A native speaker still has to check this translation.'))).toBeVisible();
      const choice = page.getByRole('main').getByRole('group', { name: t('Language') });
      await expect(choice.getByRole('button')).toHaveText(['हिन्दी', 'Hinglish', 'English']);
      await choice.getByRole('button', { name: 'English' }).click();
      await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
      await page
        .getByRole('main')
        .getByRole('button', { name: locale === 'hi' ? 'हिन्दी' : 'Hinglish' })
        .click();
      await expect(page.getByRole('heading', { name: t('Settings'), exact: true })).toBeVisible();
      await page.getByRole('button', { name: t('Menu'), exact: true }).click();
      await page
        .getByRole('banner')
        .getByRole('button', { name: t('Log out') })
        .click();
      await expect(
        page.getByRole('status').filter({
          hasText: t(
            "You're logged out, and your drafts are gone from this phone. Your browser history may still show Unsaid.",
          ),
        }),
      ).toBeVisible();
      expect(await page.evaluate(() => localStorage.getItem('unsaid.locale'))).toBe(locale);
    });

    for (const [name, walk] of Object.entries(walks))
      for (const { width, colorScheme } of [
        { width: 320, colorScheme: 'light' },
        { width: 390, colorScheme: 'dark' },
      ] as const) {
        // One walk for each change: the catalogue check already finds a string without its translation.
        const isOften = locale === 'hi' && width === 320 && name === 'screens of vents and comments';
        const tier = isOften
          ? {}
          : fullTier('check-words.ts finds a missing translation; one that is too wide is found at night.');
        test(
          `${name} are in ${language} and fit at ${width} px, ${colorScheme}`,
          tier,
          async ({ page, browser }) => {
            await page.setViewportSize({ width, height: 844 });
            await page.emulateMedia({ colorScheme });
            for await (const screen of walk({ page, browser, t })) {
              await settle(page);
              expect(await readEnglish(page, locale), `${screen}: another language is left`).toEqual([]);
              await expectToFit(page, `${screen} in ${language}`);
              // For people to look at.
              await page.screenshot({ path: `${reports}/screens/${width}-${locale}-${screen}.png` });
            }
          },
        );
      }
  });

test.describe('before the application', () => {
  for (const { language, locale, browser } of languages)
    test.describe(language, () => {
      test.use({ locale: browser });
      test(`skip link, quick exit and manifest are in ${language} before a script loads`, async ({
        page,
        complaints,
      }) => {
        complaints.expect(/ERR_FAILED/u);
        await page.route('**/assets/*.js', (route) => route.abort());
        await page.goto('/login');
        const t = createTranslate(locale);
        await expect(page.locator('#leave')).toHaveAccessibleName(t('Leave quickly'));
        await expect(page.locator('#leave')).toHaveAccessibleDescription(t('Or press Escape three times.'));
        await expect(page.locator('#skip')).toHaveAccessibleName(t('Skip to the page'));
        await expect(page.locator('#no-start p:visible')).toHaveAttribute('lang', locale);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        await expect(page.locator('#leave-said')).toHaveText(t('Press Escape once more to leave.'));
        const address = await page.locator('link[rel=manifest]').getAttribute('href');
        const manifest = (await (await page.request.get(address ?? '')).json()) as {
          lang: string;
          shortcuts: { name: string }[];
        };
        expect(manifest.lang).toBe(locale);
        expect(manifest.shortcuts.map(({ name }) => name)).toEqual([t('Write'), t('Inbox')]);
      });
    });
});

test.describe('an English reader', () => {
  test.use({ locale: 'en-IN' });
  test('loads no byte of another language, but the words of the crisis card, which all load alike', async ({
    page,
    requests,
  }) => {
    const sources = await readLanguageFiles(page);
    expect(sources.size).toBeGreaterThan(15);
    await signUp(page);
    for (const path of [
      '/login',
      '/',
      '/faq',
      '/privacy',
      '/settings',
      '/reports',
      '/inbox',
      '/matches',
      '/listen',
    ])
      await page.goto(path);
    await page.goto('/vent/create');
    await page
      .getByLabel('Text', { exact: true })
      .fill('aaj kuch bhi theek nahi hai, kya karu samajh nahi aata');
    await expect(page.getByRole('group', { name: 'Hinglish' })).toBeVisible();
    await settle(page);
    const loaded = requests.map((url) => new URL(url).pathname).filter((path) => sources.has(path));
    let bytes = 0;
    for (const path of loaded) bytes += (await (await page.request.get(path)).body()).length;
    console.log(
      `an English reader loads of other languages: ${[...new Set(loaded)].join(', ')}, ${bytes} bytes before compression`,
    );
    expect(loaded.filter((path) => !/\/(?:crisis|language)-[\w-]{8}\.js$/u.test(path))).toEqual([]);
  });
});

/** The files of the languages other than English. */
async function readLanguageFiles(page: Page): Promise<Set<string>> {
  const { languages: files, rest } = await readRelease(page);
  return new Set([
    ...Object.values(files).flat(),
    ...rest.filter((path) => /\/(?:crisis|language)-[\w-]{8}\.js$/u.test(path)),
  ]);
}

test(
  'the links of the header fit from 900 px in Hindi too',
  fullTier('A header of two lines in Hindi is found at night.'),
  async ({ page }) => {
    await page.setViewportSize({ width: 900, height: 700 });
    await page.goto('/login');
    await expect(page.getByRole('link', { name: 'सवाल-जवाब' })).toBeVisible();
    await settle(page);
    const header = await page.getByRole('banner').boundingBox();
    expect(header?.height).toBeLessThan(72);
    await page.screenshot({ path: `${reports}/screens/hi-900-login.png` });
  },
);

/** Names (with a number on a button to write to), and the groups of a recovery code: the same in every language. */
const namesOnly =
  /^(?:Unsaid|English|Hinglish|OTP|IN|Chrome on \w+|Tele-MANAS|Vandrevala Foundation|iCALL|AASRA|Sneha|(?:WhatsApp|SMS) [\d ]+|[a-z]+_[a-z0-9]+|[0-9A-Z]{4})$/u;

/** Every visible text and every accessible name of another language. */
async function readEnglish(page: Page, locale: Exclude<Locale, 'en'>): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const said: string[] = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const around = walker.currentNode.parentElement;
      // What people wrote stays in their language, and so do the names of languages and the texts of the law.
      if (
        !around ||
        around.closest('bdi, textarea, option, noscript, #splash, button[lang], section[lang=en]')
      )
        continue;
      if (around.checkVisibility()) said.push(walker.currentNode.textContent ?? '');
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      if (element.closest('section[lang=en]')) continue;
      for (const name of ['aria-label', 'placeholder', 'title']) said.push(element.getAttribute(name) ?? '');
    }
    return said.map((text) => text.trim()).filter((text) => /[a-z]{2}/iu.test(text) || /[ऀ-ॿ]/u.test(text));
  });
  if (locale === 'hi') return texts.filter((text) => !/[ऀ-ॿ]/u.test(text) && !namesOnly.test(text));
  // In Latin letters too.
  return texts.filter(createIsForeign(locale));
}
