import type { Page } from '@playwright/test';
import { reports } from '../stage.ts';
import { codeFor, expect, newPhone, newUsername, test, typeCode, visit } from './fixtures.ts';
import { expectAccessible, expectToFit, settle } from './look.ts';

// Without the service worker: it keeps the words, and what is kept cannot fail to arrive.
test.use({ locale: 'hi-IN', serviceWorkers: 'block' });

const root = (page: Page) => page.locator('html');
const switchIn = (page: Page) => page.getByRole('contentinfo');

async function signUpInHindi(page: Page, phone = newPhone()): Promise<string> {
  await visit(page, '/signup');
  await page.getByLabel('फ़ोन नंबर').fill(phone.slice(3));
  await page.getByRole('button', { name: 'OTP भेजें' }).click();
  await typeCode(page, await codeFor(phone));
  await page.getByRole('button', { name: 'अभी नहीं' }).click();
  await expect(page).toHaveURL('/');
  return phone;
}

async function writeInHindi(page: Page, title: string, text: string): Promise<void> {
  await page.getByLabel('शीर्षक').fill(title);
  await page.getByLabel('आपकी बात', { exact: true }).fill(text);
  await page.getByText('बेचैनी', { exact: true }).first().click();
  await page.getByRole('button', { name: 'पोस्ट करें' }).click();
}

/** Where the words of Hindi are, as the page itself was told. */
const hindiWords = async (page: Page) =>
  new URL((await page.locator('script[data-hi]').getAttribute('data-hi')) ?? '', page.url()).href;

test('a browser that speaks Hindi is answered in Hindi from the first frame', async ({
  page,
  complaints,
}) => {
  // With the application held back: language and splash are decided before it.
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto('/login');
  await expect(root(page)).toHaveAttribute('lang', 'hi');
  await expect(page.getByText('खुलकर कहें, मन हल्का करें')).toBeVisible();
  await expect(page.getByText('Speak Freely, Heal Faster')).toBeHidden();
  await expect(page.getByText('कहीं भी छुएँ')).toBeVisible();
  await page.unroute('**/assets/*.js');
  complaints.length = 0;

  await visit(page, '/login');
  await expect(page.getByRole('heading', { name: 'फिर से स्वागत है' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'OTP भेजें' })).toBeVisible();
  await expect(root(page)).toHaveAttribute('lang', 'hi');
  await expect(page).toHaveTitle('लॉग इन · Unsaid');
});

test('Hindi is fetched once, and its long texts alone', async ({ page, requests }) => {
  await visit(page, '/faq');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('सवाल जो आपके मन में हो सकते हैं');
  const words = await hindiWords(page);
  expect(requests.filter((url) => url === words)).toHaveLength(1);
  expect(requests.filter((url) => /\/assets\/info-[^/]+\.js$/u.test(url))).toHaveLength(1);
});

test.describe('in a browser that speaks English', () => {
  test.use({ locale: 'en-IN' });

  test('nothing of Hindi is fetched until it is chosen; then it is there at once, and after a reload', async ({
    page,
    requests,
  }) => {
    await visit(page, '/login');
    await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'en');
    const words = await hindiWords(page);
    expect(requests).not.toContain(words);

    // What was typed is still there.
    await page.getByLabel('Phone number').fill('98765');
    await switchIn(page).getByRole('button', { name: 'हिन्दी' }).click();
    await expect(page.getByRole('heading', { name: 'फिर से स्वागत है' })).toBeVisible();
    await expect(page.getByLabel('फ़ोन नंबर')).toHaveValue('98765');
    await expect(root(page)).toHaveAttribute('lang', 'hi');
    await expect(page).toHaveTitle('लॉग इन · Unsaid');
    expect(requests).toContain(words);

    await page.reload();
    await expect(page.getByRole('heading', { name: 'फिर से स्वागत है' })).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'hi');

    // A long text that is open changes along.
    await page.goto('/support');
    await expect(page.getByRole('link', { name: '112 पर फ़ोन करें' }).first()).toBeVisible();
    await switchIn(page).getByRole('button', { name: 'English' }).click();
    await expect(page.getByRole('link', { name: 'Call 112' }).first()).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'en');
    await page.reload();
    await expect(page.getByRole('link', { name: 'Call 112' }).first()).toBeVisible();
  });

  test('it can be chosen in the menu, other tabs follow, and words that do not arrive are said to be missing', async ({
    page,
    context,
    complaints,
  }) => {
    await visit(page, '/login');
    const other = await context.newPage();
    await visit(other, '/terms');
    await page.getByRole('button', { name: 'Menu' }).click();
    const menu = page.getByRole('navigation', { name: 'Main' });
    const words = await hindiWords(page);
    await page.route(words, (route) => route.abort());
    await menu.getByRole('button', { name: 'हिन्दी' }).click();
    await expect(menu.getByText('The words did not arrive.')).toBeVisible();
    await expect(root(page)).toHaveAttribute('lang', 'en');
    complaints.length = 0;

    await page.unroute(words);
    await page.reload();
    await page.getByRole('button', { name: 'Menu' }).click();
    await menu.getByRole('button', { name: 'हिन्दी' }).click();
    await expect(page.getByRole('link', { name: 'सवाल-जवाब' })).toBeVisible();
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('शर्तें');
  });
});

test('without the words of Hindi the page comes in English', async ({ page, complaints }) => {
  await visit(page, '/nowhere');
  const words = await hindiWords(page);
  await page.route(words, (route) => route.abort());
  await page.goto('/login');
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
  await expect(root(page)).toHaveAttribute('lang', 'en');
  complaints.length = 0;
});

test('sign up, say it, and answer in Hindi; the choice outlives the session', async ({ page }) => {
  test.setTimeout(90_000);
  const phone = newPhone();
  await visit(page, '/signup');
  await page.getByLabel('फ़ोन नंबर').fill('12345');
  await page.getByRole('button', { name: 'OTP भेजें' }).click();
  // The server says it in English.
  await expect(page.getByText('यह मोबाइल नंबर जैसा नहीं लगता।')).toBeVisible();
  await page.getByLabel('फ़ोन नंबर').fill(phone.slice(3));
  await page.getByRole('button', { name: 'OTP भेजें' }).click();
  const code = await codeFor(phone);
  await typeCode(page, code === '111111' ? '222222' : '111111');
  await expect(page.getByText('OTP सही नहीं है।')).toBeVisible();
  await page.keyboard.type(code);
  await page.getByRole('button', { name: 'अभी नहीं' }).click();
  await expect(page.getByRole('heading', { name: 'गुमनाम' })).toBeVisible();

  const title = `रात बहुत लंबी है ${Date.now().toString(36)}`;
  await page.goto('/vents');
  await page.getByRole('button', { name: 'पोस्ट करें' }).click();
  await expect(page.getByText('कृपया सभी ज़रूरी जगहें भरें।')).toBeVisible();
  await writeInHindi(page, title, 'आज फिर नींद नहीं आई।\nजो कहना था, वह अनकहा रह गया।');
  await expect(page.getByText('आपका वेंट पोस्ट हो गया।')).toBeVisible();
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

  // Chosen under Settings, where it also says how far the translation is.
  await page.goto('/settings');
  await expect(page.getByText('हिन्दी अनुवाद की समीक्षा अभी बाकी है।')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'English' }).click();
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'हिन्दी' }).click();
  await expect(page.getByRole('heading', { name: 'सेटिंग' })).toBeVisible();
  await page.getByRole('button', { name: 'खाते का मेन्यू' }).click();
  await page.getByRole('menuitem', { name: 'लॉग आउट करें' }).click();
  await expect(page.getByText('लॉग आउट हो गया।')).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('unsaid.locale'))).toBe('hi');
});

// The schemes are looked at in English too; here it is the words that may not fit.
for (const [width, scheme] of [
  [320, 'light'],
  [390, 'dark'],
  [1280, 'light'],
] as const) {
  const prepare = async (page: Page) => {
    test.setTimeout(240_000);
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    return (name: string) => lookAt(page, `hi-${width}-${scheme}-${name}`);
  };

  test(`what a stranger sees is whole and in Hindi at ${width} px, ${scheme}`, async ({ page }) => {
    const look = await prepare(page);
    for (const [path, name] of [
      ['/login', 'login'],
      ['/terms', 'terms'],
      ['/privacy', 'privacy'],
      ['/faq', 'faq'],
      ['/support', 'support'],
      ['/nowhere', 'not-found'],
    ] as const) {
      await visit(page, path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await look(name);
    }
    if (width === 1280) return;
    await page.getByRole('button', { name: 'मेन्यू' }).click();
    await expect(page.getByRole('link', { name: 'सवाल-जवाब' })).toBeVisible();
    await look('menu');
  });

  test(`what the signed-in see is whole and in Hindi at ${width} px, ${scheme}`, async ({ page }) => {
    const look = await prepare(page);
    const phone = newPhone();
    await visit(page, '/signup');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await look('signup-phone');
    await page.getByLabel('फ़ोन नंबर').fill(phone.slice(3));
    await page.getByRole('button', { name: 'OTP भेजें' }).click();
    const code = await codeFor(phone);
    await typeCode(page, code === '111111' ? '222222' : '111111');
    await expect(page.getByText('OTP सही नहीं है।')).toBeVisible();
    await look('signup-code');
    await page.keyboard.type(code);
    await expect(page.getByRole('button', { name: 'प्रोफ़ाइल पूरी करें' })).toBeVisible();
    await look('signup-profile');
    await page.getByLabel('परिचय').fill('कभी-कभी बस किसी को सुनना होता है।');
    await page.getByLabel('रुचियाँ').fill('कविता, पुराने गाने, क्रिकेट,');
    await page.getByRole('button', { name: 'प्रोफ़ाइल पूरी करें' }).click();
    await expect(page.getByRole('heading', { name: 'सबसे नए वेंट' })).toBeVisible();
    await look('home');
    await page.getByRole('button', { name: 'खाते का मेन्यू' }).click();
    await expect(page.getByRole('menuitem', { name: 'लॉग आउट करें' })).toBeVisible();
    await look('account-menu');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'प्रोफ़ाइल बदलें' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await look('update-profile');
    await page.getByRole('dialog').getByLabel('यूज़रनेम').fill(newUsername());
    await page.getByRole('dialog').getByRole('button', { name: 'सहेजें' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();

    await page.goto('/myvents');
    await expect(page.getByText('आपने अभी तक कोई वेंट नहीं लिखा है।')).toBeVisible();
    await look('my-vents-empty');
    await page.goto('/vents');
    await page.getByRole('button', { name: 'पोस्ट करें' }).click();
    await expect(page.getByText('कृपया सभी ज़रूरी जगहें भरें।')).toBeVisible();
    await look('composer');
    const title = `ज़िंदगी की कुछ बातें किसी से कही नहीं जातीं ${Date.now().toString(36)}`;
    await page.getByRole('textbox', { name: 'हैशटैग' }).fill('नींद, परिवार, परीक्षा,');
    await writeInHindi(page, title, 'आज फिर नींद नहीं आई। जो कहना था, वह अनकहा रह गया।\n\n'.repeat(8));
    const vent = page.getByRole('article').filter({ hasText: title });
    await expect(vent).toBeVisible();
    await vent.scrollIntoViewIfNeeded();
    await look('feed');
    await vent.getByRole('button', { name: /^कमेंट/u }).click();
    await page.getByRole('dialog').getByLabel('आपका कमेंट').fill('और फिर सुबह हो गई।');
    await page.getByRole('dialog').getByRole('button', { name: 'कमेंट करें' }).click();
    await expect(page.getByRole('dialog').getByText('जिनका वेंट है', { exact: true })).toBeVisible();
    await look('comments');
    await page.keyboard.press('Escape');
    for (const more of ['दूसरी बात', 'तीसरी बात']) {
      const another = `${more} ${Date.now().toString(36)}`;
      await writeInHindi(page, another, 'बस इतना ही।');
      await expect(page.getByRole('article').filter({ hasText: another })).toBeVisible();
    }
    await page.goto((await page.getByRole('link', { name: title }).getAttribute('href')) ?? '');
    await expect(page).toHaveURL(/\/vent\/[A-Za-z0-9_-]{22}$/u);
    await page.getByRole('button', { name: 'वेंट हटाएँ' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await look('delete-vent');
    await page.getByRole('button', { name: 'रहने दें' }).click();
    await look('vent-detail');
    await page.goto('/');
    await expect(page.getByText('12 हफ़्तों में 3 वेंट: 3 बेचैनी।')).toBeVisible();
    await look('home-with-vents');
    for (const [path, name] of [
      ['/vent', 'vent'],
      ['/vent/create', 'vent-create'],
      ['/vent/search?query=नींद', 'vent-search'],
      ['/vent/nowhere', 'vent-not-found'],
      ['/myvents', 'my-vents'],
      ['/matches', 'matches'],
      ['/matches?tab=pending', 'matches-pending'],
      ['/matches?tab=history', 'matches-history'],
      ['/settings', 'settings'],
    ] as const) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      await look(name);
    }
    await page.getByRole('button', { name: 'खाता हटाएँ' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await look('delete-account');

    // Somebody else, who may report and answer it.
    await page.evaluate(() => localStorage.removeItem('unsaid.token'));
    await signUpInHindi(page);
    // Others may have written meanwhile; the search finds it on whichever page it is.
    await page.goto(`/vent/search?query=${title.split(' ').at(-1)}`);
    await vent.getByRole('button', { name: 'वेंट की शिकायत करें' }).click();
    await page.getByText('कुछ और', { exact: true }).click();
    await look('report');
    await page.keyboard.press('Escape');
    await vent.getByRole('button', { name: /^कमेंट/u }).click();
    await expect(page.getByRole('button', { name: 'आप कहिए, मैं साथ हूँ।' })).toBeVisible();
    await look('answer');
    await page.goto('/matches');
    await page.getByRole('article').first().getByRole('button').first().click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.waitForLoadState('networkidle');
    await look('profile');
  });
}

test('the links of the header fit from 900 px in Hindi too', async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 700 });
  await visit(page, '/login');
  await expect(page.getByRole('link', { name: 'सवाल-जवाब' })).toBeVisible();
  const header = await page.getByRole('banner').boundingBox();
  expect(header?.height).toBeLessThan(72);
  await page.screenshot({ path: `${reports}/screens/hi-900-login.png` });
});

/** Names that are the same in every language. */
const namesOnly =
  /^(?:Unsaid|English|IN|Chrome on \w+|Tele-MANAS|988 Suicide & Crisis Lifeline|9-8-8 Suicide Crisis Helpline|Samaritans|Lifeline|[a-z]+_[a-z0-9]+)$/u;

/** Every word in sight, and every name a screen reader would say, that is in Latin letters alone. */
function readEnglish(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const said: string[] = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const around = walker.currentNode.parentElement;
      // What people wrote is theirs, in whichever language.
      if (!around || around.closest('bdi, textarea, option, noscript, #splash')) continue;
      if (around.checkVisibility()) said.push(walker.currentNode.textContent ?? '');
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      for (const name of ['aria-label', 'placeholder', 'title']) said.push(element.getAttribute(name) ?? '');
    }
    return said.map((text) => text.trim()).filter((text) => /[a-z]{2}/iu.test(text) && !/[ऀ-ॿ]/u.test(text));
  });
}

async function lookAt(page: Page, name: string): Promise<void> {
  await settle(page);
  expect(
    (await readEnglish(page)).filter((text) => !namesOnly.test(text)),
    `${name}: English is left`,
  ).toEqual([]);
  if (page.viewportSize()?.width !== 320) await expectAccessible(page, name);
  await expectToFit(page, name);
  await page.screenshot({ path: `${reports}/screens/${name}.png`, fullPage: true });
}
