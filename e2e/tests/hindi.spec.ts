import type { Page } from '@playwright/test';
import { reports } from '../test-env.ts';
import { expectToFit } from './a11y.ts';
import {
  codeFor,
  expect,
  expectToast,
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
import { stopSplashTime } from './splash-time.ts';
import { createTranslate } from './translate.ts';
import { fullTier } from './tiers.ts';

test.use({ locale: 'hi-IN' });

const root = (page: Page) => page.locator('html');
const footer = (page: Page) => page.getByRole('contentinfo');

/** The address of the Hindi catalogue, which the build puts into the page. */
const hindiCatalogue = async (page: Page) =>
  new URL((await page.locator('script[data-hi]').getAttribute('data-hi')) ?? '', page.url()).href;

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
    await expect(page.getByText('कहीं भी छुएँ')).toBeVisible();
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
    await expect(page).toHaveTitle('लॉग इन · Unsaid');
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
    await expect(page).toHaveTitle('लॉग इन · Unsaid');
    expect(requests).toContain(catalogue);

    await page.reload();
    await expect(page.getByRole('heading', { name: 'लॉग इन करें', level: 1 })).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'hi');

    // An open long text changes too.
    await page.goto('/support');
    await expect(page.getByRole('link', { name: '112 पर फ़ोन करें' }).first()).toBeVisible();
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

test('a person signs up, posts and comments in Hindi, and the language outlives the session', async ({
  page,
}) => {
  const phone = newPhone();
  await page.goto('/signup');
  await page.getByLabel('फ़ोन नंबर').fill('12345');
  await page.getByRole('button', { name: 'OTP भेजें' }).click();
  // The server's own sentence is in English.
  await expect(page.getByText('यह मोबाइल नंबर जैसा नहीं लगता।')).toBeVisible();
  await page.getByLabel('फ़ोन नंबर').fill(phone.slice(3));
  await page.getByRole('button', { name: 'OTP भेजें' }).click();
  const code = await codeFor(phone);
  await typeCode(page, wrongCode(code));
  await expect(page.getByText('OTP सही नहीं है।')).toBeVisible();
  await typeCodeAgain(page, code);
  await page.getByRole('button', { name: 'अभी नहीं' }).click();
  await expect(page.getByRole('heading', { name: 'गुमनाम' })).toBeVisible();

  const title = `रात बहुत लंबी है ${newWord('hindi')}`;
  await page.goto('/vents');
  await openComposer(page, 'मन में क्या चल रहा है?');
  await page.getByRole('button', { name: 'पोस्ट करें' }).click();
  await expect(page.getByText('कृपया सभी ज़रूरी जगहें भरें।')).toBeVisible();
  await page.getByLabel('शीर्षक').fill(title);
  await page.getByLabel('आपकी बात', { exact: true }).fill('आज फिर नींद नहीं आई।\nजो कहना था, वह अनकहा रह गया।');
  await page.getByText('बेचैनी', { exact: true }).first().click();
  await page.getByRole('button', { name: 'पोस्ट करें' }).click();
  await expectToast(page, 'आपका वेंट पोस्ट हो गया।');
  const vent = page.getByRole('article').filter({ hasText: title });
  await expect(vent).toContainText('अभी-अभी');
  await vent.getByRole('button', { name: /^झप्पी/u }).click();
  await expect(vent.getByRole('button', { name: 'झप्पी, साथ जताती है, 1' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await vent.getByRole('button', { name: 'कमेंट, 0' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('आपका कमेंट').fill('और फिर सुबह हो गई।');
  await dialog.getByRole('button', { name: 'कमेंट करें' }).click();
  await expect(dialog.getByText('जिनका वेंट है', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');

  // Settings has the choice, and tells the state of the translation.
  await openSettings(page);
  await expect(page.getByText('अनुवाद में गलती दिखे, तो बताएँ।')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'English' }).click();
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'हिन्दी' }).click();
  await expect(page.getByRole('heading', { name: 'सेटिंग' })).toBeVisible();
  await page.getByRole('button', { name: 'मेन्यू', exact: true }).click();
  await page.getByRole('banner').getByRole('button', { name: 'लॉग आउट करें' }).click();
  await expect(page.getByText(/लॉग आउट हो गया।/u)).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('unsaid.locale'))).toBe('hi');
});

for (const [name, walk] of Object.entries(walks)) {
  // One walk for each change: the catalogue check already finds a string without its Hindi.
  const tier =
    name === 'screens of vents and comments'
      ? {}
      : fullTier('catalogues.test.ts finds a missing translation; Hindi that is too wide is found at night.');
  test(`${name} are in Hindi and fit at 320 px`, tier, async ({ page, browser }) => {
    await page.setViewportSize({ width: 320, height: 844 });
    for await (const screen of walk({ page, browser, t: createTranslate('hi') })) {
      await settle(page);
      expect(await readEnglish(page), `${screen}: English is left`).toEqual([]);
      await expectToFit(page, `${screen} in Hindi`);
      // For people to look at.
      await page.screenshot({ path: `${reports}/screens/320-hindi-${screen}.png` });
    }
  });
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
  /^(?:Unsaid|English|Hinglish|IN|Chrome on \w+|Tele-MANAS|Vandrevala Foundation|iCALL|AASRA|Sneha|(?:WhatsApp|SMS) [\d ]+|[a-z]+_[a-z0-9]+|[0-9A-Z]{4})$/u;

/** Every visible text and every accessible name in Latin letters alone. */
async function readEnglish(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const said: string[] = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const around = walker.currentNode.parentElement;
      // What people wrote stays in their language.
      if (!around || around.closest('bdi, textarea, option, noscript, #splash')) continue;
      if (around.checkVisibility()) said.push(walker.currentNode.textContent ?? '');
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      for (const name of ['aria-label', 'placeholder', 'title']) said.push(element.getAttribute(name) ?? '');
    }
    return said.map((text) => text.trim()).filter((text) => /[a-z]{2}/iu.test(text) && !/[ऀ-ॿ]/u.test(text));
  });
  return texts.filter((text) => !namesOnly.test(text));
}
