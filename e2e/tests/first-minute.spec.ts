import type { Locator, Page } from '@playwright/test';
import { doubleText, expectToFit } from './a11y.ts';
import { postComment, postVent, signUp } from './api.ts';
import {
  expect,
  logOut,
  newPerson,
  newPhone,
  newWord,
  openAccountMenu,
  settle,
  signInOnScreen,
  signUpOnScreen,
  test,
} from './fixtures.ts';
import { listOnly } from './screens.ts';
import { fullTier } from './tiers.ts';

/** What a person meets first: the header, the languages, home. */

const phones = [
  { width: 390, height: 844 },
  { width: 360, height: 640 },
] as const;

const menuButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Menu' });

async function boxOf(at: Locator) {
  const box = await at.boundingBox();
  if (!box) throw new Error(`${String(at)} is not visible`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

for (const size of phones) {
  test(
    `the menu is at least 12 px from Leave, and both are 44 px high, at ${size.width} px`,
    fullTier('measures.spec.ts measures the same gap at 360 px.'),
    async ({ page }) => {
      // B14.
      await page.setViewportSize(size);
      for (const path of ['/login', '/']) {
        if (path === '/') await signUp(page);
        await page.goto(path);
        await settle(page);
        const menu = await boxOf(menuButton(page));
        const leave = await boxOf(page.locator('#leave'));
        expect(leave.x - menu.right, path).toBeGreaterThanOrEqual(12);
        expect(menu.height, path).toBeGreaterThanOrEqual(44);
        expect(leave.height, path).toBeGreaterThanOrEqual(44);
      }
    },
  );
}

test('one menu has every link that the bar has not, and is closed by Back, Escape, a press outside and a link', async ({
  page,
}) => {
  await signUp(page);
  await page.goto('/support');
  await page.goto('/faq');
  await expect(page.getByRole('banner').getByRole('button')).toHaveCount(1);
  await openAccountMenu(page);
  const panel = page.getByRole('banner');
  for (const name of ['Profile', 'My Vents', 'Settings', 'Support', 'Terms', 'Privacy', 'FAQ'])
    await expect(panel.getByRole('link', { name, exact: true }).last()).toBeVisible();
  for (const name of ['English', 'हिन्दी', 'Log out'])
    await expect(panel.getByRole('button', { name })).toBeVisible();
  const terms = panel.getByRole('link', { name: 'Terms' });

  await page.goBack();
  await expect(terms).toBeHidden();
  await expect(page).toHaveURL('/faq');

  await openAccountMenu(page);
  await page.keyboard.press('Escape');
  await expect(terms).toBeHidden();
  await expect(menuButton(page)).toBeFocused();

  await openAccountMenu(page);
  await settle(page);
  await page.mouse.click(200, 600);
  await expect(terms).toBeHidden();

  await openAccountMenu(page);
  await terms.click();
  await expect(page).toHaveURL('/terms');
  await expect(terms).toBeHidden();
  // Back leads to the page before, however often the menu was open on it.
  await page.goBack();
  await expect(page).toHaveURL('/faq');
  await page.goBack();
  await expect(page).toHaveURL('/support');
});

test(
  'a visitor finds Login and Sign Up in the menu',
  fullTier('The navigation journey of journeys.spec.ts names the links of a visitor on a desktop.'),
  async ({ page }) => {
    await page.goto('/faq');
    await openAccountMenu(page);
    for (const name of ['Home', 'Vents', 'Matches', 'Login', 'Sign Up', 'Terms', 'Privacy', 'FAQ'])
      await expect(page.getByRole('banner').getByRole('link', { name, exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Log out' })).toHaveCount(0);
  },
);

test(
  'a menu that is opened while the page loads stays open when the page is there',
  fullTier('A menu that closes by itself once, for a day.'),
  async ({ page }) => {
    await signUp(page);
    const opened = Promise.withResolvers<void>();
    await page.route(/matches\.page/u, async (route) => {
      await opened.promise;
      await route.continue();
    });
    await page.goto('/faq');
    await page
      .getByRole('navigation', { name: 'Quick links' })
      .getByRole('link', { name: 'Matches' })
      .click();
    await expect(page).toHaveURL('/matches');
    await openAccountMenu(page);
    opened.resolve();
    await expect(page.getByRole('heading', { name: 'Matches' })).toBeVisible();
    await settle(page);
    await expect(page.getByRole('banner').getByRole('button', { name: 'Log out' })).toBeVisible();
  },
);

for (const size of [...phones, { width: 1280, height: 800 }]) {
  test(
    `the languages are on the first screen of login and sign-up at ${size.width} px`,
    fullTier('measures.spec.ts finds it on the smaller phone.'),
    async ({ page }) => {
      // B12.
      await page.setViewportSize(size);
      for (const path of ['/login', '/signup']) {
        await page.goto(path);
        await settle(page);
        const languages = page.getByRole('group', { name: 'Language' });
        const box = await boxOf(languages.getByRole('button', { name: 'हिन्दी' }));
        expect(box.bottom, path).toBeLessThanOrEqual(size.height);
        await expect(languages.getByRole('button', { name: 'English' })).toHaveAttribute(
          'aria-pressed',
          'true',
        );
        await expect(languages).toHaveCount(1);
      }
    },
  );
}

/** The words of the last line of each paragraph of a form's intro. */
const lastLines = (page: Page) =>
  page.locator('main p').evaluateAll((paragraphs) =>
    paragraphs.map((paragraph) => {
      const words: { readonly word: string; readonly top: number }[] = [];
      const texts = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode as Text;
        for (const { 0: word, index } of node.data.matchAll(/\S+/gu)) {
          const range = new Range();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          words.push({ word, top: range.getBoundingClientRect().top });
        }
      }
      const tops = words.map(({ top }) => top);
      const last = Math.max(...tops);
      return {
        lines: new Set(tops.map(Math.round)).size,
        words: words.filter(({ top }) => top > last - 4).map(({ word }) => word),
      };
    }),
  );

for (const locale of ['en-IN', 'hi-IN'] as const)
  test.describe(`in ${locale}`, () => {
    test.use({ locale });
    test(
      'the languages keep 16 px from what is below them on login and sign-up, and no paragraph ends in a lonely word',
      fullTier('A tight gap or an orphan on the first screens is found at night.'),
      async ({ page }) => {
        // Row 24 of the third walk.
        for (const size of [...phones, { width: 1280, height: 800 }])
          for (const path of ['/login', '/signup']) {
            await page.setViewportSize(size);
            await page.goto(path);
            await settle(page);
            const where = `${path} at ${size.width} px`;
            const languages = await boxOf(page.locator('#root [role=group]').first());
            // The group is as high as a target; what is seen of it are its buttons.
            const below = await page
              .locator('main :is(h1, p)')
              .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect));
            for (const text of below) {
              const isBeside = text.right + 16 <= languages.x || text.top + text.height < languages.y;
              if (!isBeside) expect(text.top - languages.bottom, where).toBeGreaterThanOrEqual(16);
            }
            for (const { lines, words } of await lastLines(page)) {
              if (lines > 1) expect(words.length, `${where}: ${words.join(' ')}`).toBeGreaterThan(1);
              expect(words.at(-1), where).not.toBe('·');
            }
          }
      },
    );
  });

interface PageToLookAt {
  readonly path: string;
  /** The section that is marked, at the bottom of a phone and at the top of a desktop. */
  readonly section?: string;
  /** Its title is that of another page: the tab does not tell which vent is read. */
  readonly sharesTitle?: boolean;
  /** Its heading is where that of the other pages is. */
  readonly hasUsualHeading?: boolean;
  /** No text is cut off at 320 px, nor at twice the size. */
  readonly fits?: boolean;
  /** It is shorter than the screen, and does not scroll. */
  readonly isShort?: boolean;
}

const pagesOf = (ventId: string): readonly PageToLookAt[] => [
  { path: '/', section: 'Home', fits: true },
  { path: '/vents', section: 'Vents', hasUsualHeading: true, fits: true },
  { path: '/vent' },
  { path: '/vent/create', section: 'Write', hasUsualHeading: true },
  { path: '/vent/search', section: 'Vents', hasUsualHeading: true },
  { path: `/vent/${ventId}`, section: 'Vents', sharesTitle: true },
  { path: '/myvents', section: 'Vents', hasUsualHeading: true },
  { path: '/matches', section: 'Matches', hasUsualHeading: true, fits: true },
  { path: '/inbox', hasUsualHeading: true, fits: true },
  { path: '/settings', hasUsualHeading: true, fits: true },
  { path: '/terms', hasUsualHeading: true },
  { path: '/privacy', fits: true },
  { path: '/faq', hasUsualHeading: true, fits: true },
  { path: '/support', hasUsualHeading: true, fits: true },
  { path: '/nowhere', isShort: true },
];

// B12, B25, B29. One visit of each page for all of it: loading a page is most of the cost.
test('every page has a title of its own, its heading in the same place and its section marked, and fits at 320 px and at twice the size', async ({
  page,
}) => {
  const word = newWord('Wraps');
  await signUp(page);
  const { _id } = await postVent(page, { title: `Nobody at home knows how tired I am ${word}` });
  await listOnly(page, word);
  const bottom = page.getByRole('navigation', { name: 'Quick links' }).locator('[aria-current]');
  const top = page
    .getByRole('navigation', { name: 'Main' })
    .locator('[aria-current]')
    .filter({ visible: true });
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);
  const titles = new Map<string, string>();
  const tops = new Map<number, string[]>();
  for (const { path, section, sharesTitle, hasUsualHeading, fits, isShort } of pagesOf(_id)) {
    await page.goto(path);
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading).toBeVisible();
    await settle(page);
    const title = await page.title();
    expect(title).toMatch(/.+ · Unsaid$/u);
    if (!sharesTitle) {
      expect(titles.get(title), `${path} and another are both "${title}"`).toBeUndefined();
      titles.set(title, path);
    }
    if (isShort) expect(await overflow(), path).toBe(0);
    if (hasUsualHeading) {
      const { y } = await boxOf(heading);
      tops.set(y, [...(tops.get(y) ?? []), path]);
    }
    // The bar makes room while a field has the focus.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    if (section) await expect(bottom, path).toHaveText([section]);
    if (path === '/faq') await expect(bottom).toHaveCount(0);
    if (fits) {
      await doubleText(page);
      await expectToFit(page, `${path}, twice the size`);
      await doubleText(page, false);
      await page.setViewportSize({ width: 320, height: 700 });
      await expectToFit(page, `${path} at 320 px`);
    }
    if (section) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await expect(top, path).toHaveText([section]);
      if (isShort) expect(await overflow(), `${path} on a desktop`).toBe(0);
    }
    await page.setViewportSize({ width: 390, height: 844 });
  }
  expect([...tops.keys()], JSON.stringify([...tops])).toHaveLength(1);
});

test(
  'the heading of every page is in the same place at 1280 px',
  fullTier('A heading that moved on a desktop is found at night.'),
  async ({ page }) => {
    // B25.
    await page.setViewportSize({ width: 1280, height: 844 });
    await signUp(page);
    const tops = new Map<number, string[]>();
    for (const path of [
      '/vents',
      '/vent/create',
      '/vent/search',
      '/matches',
      '/inbox',
      '/settings',
      '/support',
      '/faq',
      '/terms',
      '/myvents',
    ]) {
      await page.goto(path);
      await settle(page);
      const { y } = await boxOf(page.getByRole('heading', { level: 1 }));
      tops.set(y, [...(tops.get(y) ?? []), path]);
    }
    expect([...tops.keys()], JSON.stringify([...tops])).toHaveLength(1);
  },
);

test(
  'offline, the line says that words are saved here and not sent by themselves',
  fullTier('offline.spec.ts finds a missing line; its words are found at night.'),
  async ({ page, context, complaints }) => {
    // B16.
    // What loads a second after the page may find no network.
    complaints.expect(/ERR_INTERNET_DISCONNECTED/u);
    await signUp(page);
    await page.goto('/vents');
    await settle(page);
    await context.setOffline(true);
    await expect(
      page.getByText("You're offline. What you write is saved on this phone. Post it when you're back."),
    ).toBeVisible();
    await context.setOffline(false);
  },
);

test(
  'the bottom bar gives its room to a form while someone types, and no press is lost',
  fullTier('A press beneath the keyboard is lost, for a day.'),
  async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 340 });
    await signUp(page);
    await page.goto('/vent/create');
    await settle(page);
    const bar = page.getByRole('navigation', { name: 'Quick links' });
    const text = page.getByLabel('Text', { exact: true });
    // Writing starts at once.
    await expect(text).toBeFocused();
    await expect(bar).toBeHidden();
    await text.blur();
    await expect(bar).toBeVisible();
    await text.click();
    await expect(bar).toBeHidden();
    const heightOf = () => page.evaluate(() => document.documentElement.scrollHeight);
    const height = await heightOf();
    await page.getByLabel('Title').click();
    await expect(bar).toBeHidden();
    expect(await heightOf()).toBe(height);

    // The press takes the focus from the field, and still counts.
    const button = await boxOf(page.getByRole('button', { name: 'Post vent' }));
    await page.mouse.move(button.x + button.width / 2, button.y + 20);
    await page.mouse.down();
    await expect(bar).toBeHidden();
    await page.mouse.up();
    await expect(page.getByText('Please fill in all required fields.')).toBeVisible();
  },
);

test('a new account is welcomed on Home with three ways to begin, until one is taken', async ({ page }) => {
  const phone = newPhone();
  await signUpOnScreen(page, phone);
  const welcome = page.getByRole('region', { name: 'Welcome to Unsaid' });
  await expect(welcome.getByRole('link')).toHaveCount(3);
  await expect(welcome.getByRole('link', { name: 'Find someone like you' })).toBeInViewport({ ratio: 1 });
  await page.reload();
  await welcome.getByRole('link', { name: 'Write something' }).click();
  await expect(page).toHaveURL('/vent/create');
  await page.goto('/');
  await expect(page.getByRole('link', { name: "What's on your mind?" })).toBeVisible();
  await expect(welcome).toHaveCount(0);

  // Someone who logs in is not new.
  await logOut(page);
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('welcome'))),
  ).toEqual([]);
  await signInOnScreen(page, phone);
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { name: 'Latest Vents' })).toBeVisible();
  await expect(welcome).toHaveCount(0);
});

test(
  'the welcome is dismissed for good',
  fullTier('The journey with the three ways finds a welcome that stays.'),
  async ({ page }) => {
    await signUpOnScreen(page);
    const welcome = page.getByRole('region', { name: 'Welcome to Unsaid' });
    await welcome.getByRole('button', { name: 'Not now' }).click();
    await expect(welcome).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Latest Vents' })).toBeVisible();
    await expect(welcome).toHaveCount(0);
  },
);

test('Home begins with what came for you, and ends with the folded profile on a phone', async ({
  page,
  browser,
}) => {
  // B1.
  await signUp(page);
  const vents = [];
  for (const word of ['One', 'Two', 'Three']) vents.push(await postVent(page, { title: newWord(word) }));
  await page.goto('/');
  await settle(page);
  const other = await newPerson(browser);
  await signUp(other);
  await postComment(other, vents[0]?._id ?? '', 'I hear you.');
  await other.context().close();

  await page.reload();
  await settle(page);
  const order = [
    page.getByRole('link', { name: `1 new comment on “${vents[0]?.title}”` }),
    page.getByRole('link', { name: "What's on your mind?" }),
    page.getByRole('heading', { name: 'Latest Vents' }),
    page.getByRole('heading', { name: 'Your last 2 weeks' }),
    page.getByRole('heading', { name: 'Anonymous', exact: true }),
  ];
  const tops = [];
  for (const part of order) tops.push((await boxOf(part)).y);
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  await expect(order[0] as Locator).toBeInViewport({ ratio: 1 });

  // All of the profile, without a tap; what is empty is said once.
  const facts = page.getByText('Interests, Likes, Dislikes and Match preference');
  await expect(facts).toBeVisible();
  await expect(page.getByText('Not specified.')).toHaveCount(1);
  await expect(page.getByText('No bio provided.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Find Matches' })).toBeVisible();
  // The menu leads to it.
  await openAccountMenu(page);
  await page.getByRole('link', { name: 'Profile', exact: true }).click();
  await expect(facts).toBeInViewport();

  await page.setViewportSize({ width: 390, height: 844 });
  await (order[0] as Locator).click();
  await expect(page).toHaveURL(`/vent/${vents[0]?._id}`);
  await page.getByRole('link', { name: 'Home', exact: true }).last().click();
  await expect(page.getByRole('link', { name: 'Nothing new since you were here.' })).toBeVisible();
});

test(
  'edits of the profile survive a tap beside the dialog, Escape and Back, until they are discarded',
  fullTier('update-profile-dialog.test.tsx finds lost edits; dialogs.spec.ts a tap that closes.'),
  async ({ page }) => {
    // B7.
    await signUp(page);
    await page.goto('/');
    const open = page.getByRole('button', { name: 'Update Profile' });
    const dialog = page.getByRole('dialog');
    const bio = dialog.getByLabel('Bio');
    // What loads above the button moves it, and a click between two layouts is lost.
    await settle(page);
    await open.click();
    await expect(dialog.getByText("Chat isn't ready yet. We'll show it here when it is.")).toBeVisible();
    await bio.fill('I like quiet evenings');
    await settle(page);
    await page.mouse.click(150, 40);
    await expect(bio).toHaveValue('I like quiet evenings');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await open.click();
    await expect(bio).toHaveValue('I like quiet evenings');
    await page.goBack();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL('/');
    await open.click();
    await expect(bio).toHaveValue('I like quiet evenings');
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await expect(dialog).toBeHidden();
    await open.click();
    await expect(bio).toHaveValue('');
    // Without edits, the tap closes as before.
    await settle(page);
    await page.mouse.click(150, 40);
    await expect(dialog).toBeHidden();
  },
);
