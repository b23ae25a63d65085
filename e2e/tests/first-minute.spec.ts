import type { Locator, Page } from '@playwright/test';
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
  const tag = size.width === 360 ? [] : ['@full'];
  test(
    `the menu is at least 12 px from Leave, and both are 44 px high, at ${size.width} px`,
    { tag },
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

test('one menu has every link on a phone, and is closed by Back, Escape, a press outside and a link', async ({
  page,
}) => {
  await signUp(page);
  await page.goto('/support');
  await page.goto('/faq');
  await expect(page.getByRole('banner').getByRole('button')).toHaveCount(1);
  await openAccountMenu(page);
  const panel = page.getByRole('banner');
  for (const name of ['Home', 'Vents', 'Matches', 'Terms', 'Privacy', 'FAQ', 'My Vents', 'Settings'])
    await expect(panel.getByRole('link', { name, exact: true })).toBeVisible();
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

test('a visitor finds Login and Sign Up in the menu', async ({ page }) => {
  await page.goto('/faq');
  await openAccountMenu(page);
  for (const name of ['Home', 'Vents', 'Matches', 'Login', 'Sign Up', 'Terms', 'Privacy', 'FAQ'])
    await expect(page.getByRole('banner').getByRole('link', { name, exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Log out' })).toHaveCount(0);
});

test('a menu that is opened while the page loads stays open when the page is there', async ({ page }) => {
  await signUp(page);
  const opened = Promise.withResolvers<void>();
  await page.route(/matches\.page/u, async (route) => {
    await opened.promise;
    await route.continue();
  });
  await page.goto('/faq');
  await page.getByRole('navigation', { name: 'Quick links' }).getByRole('link', { name: 'Matches' }).click();
  await expect(page).toHaveURL('/matches');
  await openAccountMenu(page);
  opened.resolve();
  await expect(page.getByRole('heading', { name: 'Matches' })).toBeVisible();
  await settle(page);
  await expect(page.getByRole('banner').getByRole('button', { name: 'Log out' })).toBeVisible();
});

for (const size of [...phones, { width: 1280, height: 800 }]) {
  const tag = size.width === 360 ? [] : ['@full'];
  test(
    `the languages are on the first screen of login and sign-up at ${size.width} px`,
    { tag },
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

test('a page shorter than the screen does not scroll', async ({ page }) => {
  // B12. Signed in: the search page is short, and has the bottom bar.
  await signUp(page);
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);
  for (const path of ['/nowhere', '/vent/search']) {
    await page.goto(path);
    await settle(page);
    expect(await overflow(), path).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/vent/search');
  await settle(page);
  expect(await overflow(), 'on a desktop').toBe(0);
});

test('the bars mark the section of every page of vents', async ({ page }) => {
  // B29.
  await signUp(page);
  const { _id } = await postVent(page, { title: newWord('Marked') });
  const bottom = page.getByRole('navigation', { name: 'Quick links' }).locator('[aria-current]');
  const top = page
    .getByRole('navigation', { name: 'Main' })
    .locator('[aria-current]')
    .filter({ visible: true });
  for (const [path, name, wide] of [
    ['/', 'Home', 'Home'],
    ['/vents', 'Vents', 'Vents'],
    ['/myvents', 'Vents', 'Vents'],
    ['/vent/search', 'Vents', 'Vents'],
    [`/vent/${_id}`, 'Vents', 'Vents'],
    ['/vent/create', 'Write', 'Vents'],
    ['/matches', 'Matches', 'Matches'],
  ] as const) {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path);
    await expect(bottom, path).toHaveText([name]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(top, path).toHaveText([wide]);
  }
  await page.goto('/faq');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(bottom).toHaveCount(0);
});

for (const width of [390, 1280]) {
  const tag = width === 390 ? [] : ['@full'];
  test(`the heading of every page is in the same place at ${width} px`, { tag }, async ({ page }) => {
    // B25.
    await page.setViewportSize({ width, height: 844 });
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
  });
}

test('offline, the line says that words are saved here and not sent by themselves', async ({
  page,
  context,
  complaints,
}) => {
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
});

test('the bottom bar gives its room to a form while someone types, and no press is lost', async ({
  page,
}) => {
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
});

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

test('the welcome is dismissed for good', async ({ page }) => {
  await signUpOnScreen(page);
  const welcome = page.getByRole('region', { name: 'Welcome to Unsaid' });
  await welcome.getByRole('button', { name: 'Not now' }).click();
  await expect(welcome).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Latest Vents' })).toBeVisible();
  await expect(welcome).toHaveCount(0);
});

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
    page.getByRole('heading', { name: 'Your emotional weather' }),
    page.getByRole('heading', { name: 'Anonymous', exact: true }),
  ];
  const tops = [];
  for (const part of order) tops.push((await boxOf(part)).y);
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  await expect(order[0] as Locator).toBeInViewport({ ratio: 1 });

  const facts = page.getByText('Match preference');
  await expect(facts).toBeHidden();
  await expect(page.getByText('No bio provided.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Find Matches' })).toBeVisible();
  await page.getByRole('button', { name: 'Show profile' }).click();
  await expect(facts).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByRole('button', { name: /^(?:Show|Hide) profile$/u })).toBeHidden();
  await expect(facts).toBeVisible();

  await page.setViewportSize({ width: 390, height: 844 });
  await (order[0] as Locator).click();
  await expect(page).toHaveURL(`/vent/${vents[0]?._id}`);
  await page.getByRole('link', { name: 'Home', exact: true }).last().click();
  await expect(page.getByRole('link', { name: 'Nothing new since you were here.' })).toBeVisible();
});

test('edits of the profile survive a tap beside the dialog, Escape and Back, until they are discarded', async ({
  page,
}) => {
  // B7.
  await signUp(page);
  await page.goto('/');
  const open = page.getByRole('button', { name: 'Update Profile' });
  const dialog = page.getByRole('dialog');
  const bio = dialog.getByLabel('Bio');
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
});
