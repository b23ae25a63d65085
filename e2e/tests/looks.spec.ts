import type { Page } from '@playwright/test';
import { reports } from '../stage.ts';
import {
  codeFor,
  enterPhone,
  expect,
  feelingsPicker,
  newPhone,
  newUsername,
  openAccountMenu,
  signUp,
  test,
  twoAlike,
  typeCode,
  visit,
} from './fixtures.ts';
import { doubleText, expectAccessible, expectToFit, settle } from './look.ts';
import { ageFeelings, seedComments, seedVents } from './seed.ts';

/** Every screen, two widths, two schemes: axe finds nothing, nothing sticks out, and a picture is kept to be looked at. */
for (const width of [390, 1280]) {
  for (const scheme of ['light', 'dark'] as const) {
    test(`every screen is accessible and whole at ${width} px, ${scheme}`, async ({ page }) => {
      test.setTimeout(240_000);
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      const look = (name: string) => lookAt(page, `${width}-${scheme}-${name}`);

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
      if (width === 390) {
        await page.getByRole('button', { name: /menu/iu }).click();
        await expect(page.getByRole('link', { name: 'FAQ', exact: true }).last()).toBeVisible();
        await look('menu');
      }

      const phone = newPhone();
      await visit(page, '/signup');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await look('signup-phone');
      await enterPhone(page, phone);
      const code = await codeFor(phone);
      await typeCode(page, code === '111111' ? '222222' : '111111');
      await expect(page.getByText('Invalid OTP')).toBeVisible();
      await look('signup-code');
      await page.keyboard.type(code);
      await expect(page.getByRole('button', { name: 'Complete Profile' })).toBeVisible();
      const picker = feelingsPicker(page);
      for (const name of ['Sad', 'Anxious', 'Burnout']) await picker.getByRole('button', { name }).click();
      await picker.getByRole('button', { name: 'Neutral' }).click({ force: true });
      await look('signup-profile');
      await page
        .getByLabel('Bio')
        .fill('कभी-कभी बस किसी को सुनना होता है। Some nights are long, and then it is morning.');
      await page.getByLabel('Interests').fill('poetry, old Hindi songs, cricket,');
      await page.getByLabel('Likes', { exact: true }).fill('rain, चाय,');
      await page.getByRole('button', { name: 'Complete Profile' }).click();
      await expect(page).toHaveURL('/');
      await expect(page.getByRole('heading', { name: 'Latest Vents' })).toBeVisible();
      await look('home');
      await openAccountMenu(page);
      await expect(page.getByRole('menuitem', { name: 'Log out' })).toBeVisible();
      await look('account-menu');
      await page.keyboard.press('Escape');
      await page
        .getByRole('button', { name: /settings|update profile/iu })
        .first()
        .click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await look('update-profile');
      await page.getByRole('button', { name: 'Close comments on all my vents now' }).click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
      await look('close-all');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('alertdialog')).toBeHidden();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
      await page.goto('/myvents');
      await expect(page.getByText("You haven't created any vents yet.")).toBeVisible();
      await look('my-vents-empty');
      await page.goto('/vents');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await look('composer');
      await page.getByLabel('Title').fill('रात बहुत लंबी है');
      await page
        .getByLabel('Text', { exact: true })
        .fill('आज फिर नींद नहीं आई। I keep thinking about what I should have said.\n\n'.repeat(8));
      await page.getByText('Anxious', { exact: true }).first().click();
      await page.getByRole('textbox', { name: 'Hashtags' }).fill('नींद, late nights, family,');
      await page.getByRole('button', { name: 'Post vent' }).click();
      const vent = page.getByRole('article').filter({ hasText: 'रात बहुत लंबी है' }).first();
      await expect(vent).toBeVisible();
      await vent.scrollIntoViewIfNeeded();
      await look('feed');
      await vent.getByRole('button', { name: /^Comments/u }).click();
      await page.getByRole('dialog').getByLabel('Your comment').fill('और फिर सुबह हो गई।');
      await page.getByRole('dialog').getByRole('button', { name: 'Comment', exact: true }).click();
      await expect(page.getByRole('dialog').getByText('Author', { exact: true })).toBeVisible();
      await look('comments');
      await page.keyboard.press('Escape');
      await vent.getByRole('link', { name: 'रात बहुत लंबी है' }).click();
      await expect(page).toHaveURL(/\/vent\/[A-Za-z0-9_-]{22}$/u);
      await expect(page.getByRole('button', { name: 'Delete Vent', exact: true })).toBeVisible();
      await look('vent-detail');
      await page.getByRole('button', { name: 'Delete Vent', exact: true }).click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
      await look('delete-vent');
      await page.keyboard.press('Escape');
      await page.goto('/');
      await expect(page.getByRole('article').first()).toBeVisible();
      await look('home-with-vents');
      for (const [path, name] of [
        ['/vent', 'vent'],
        ['/vent/create', 'vent-create'],
        ['/vent/search', 'vent-search'],
        ['/vent/nowhere', 'vent-not-found'],
        ['/myvents', 'my-vents'],
        ['/settings', 'settings'],
      ] as const) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await look(name);
      }
      await expect(page.getByText('This device', { exact: true })).toBeVisible();
      await page.getByRole('button', { name: 'Delete account' }).click();
      await expect(page.getByRole('radio', { name: 'Remove them over 30 days' })).toBeChecked();
      await expect(page.getByRole('dialog').getByLabel('Phone number')).toBeVisible();
      await look('delete-account');
    });
  }
}

test('both voices of a comment are accessible and whole, two widths, two schemes', async ({ page }) => {
  test.setTimeout(120_000);
  const word = `Voices${Date.now().toString(36)}`;
  seedVents(word, 1);
  seedComments(`${word} 1`, 'I have been there.', 'और फिर सुबह हो गई।');
  await signUp(page);
  await page.getByRole('button', { name: 'Update Profile' }).click();
  await page.getByRole('dialog').getByLabel('Username').fill(newUsername());
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.goto('/vent/create');
  await page.getByLabel('Title').fill(`${word} of mine`);
  await page.getByLabel('Text', { exact: true }).fill('Said just now.');
  await page.getByText('Sad', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page).toHaveURL('/vents');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(`/vents?query=${word}`);
  await page.getByRole('button', { name: 'Comments, 2' }).click();
  await expect(page.getByText('You speak as Anonymous.')).toBeVisible();
  await inEveryLook(page, 'voice-anonymous');
  await page.getByRole('switch', { name: 'Show my name' }).click();
  await expect(page.getByText(/^You vented .* could be linked to it\.$/u)).toBeVisible();
  await inEveryLook(page, 'voice-named');
});

test('the ways back are accessible and whole: the offer and its dialogs, two widths, two schemes', async ({
  page,
}) => {
  test.setTimeout(180_000);
  await signUp(page);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await inEveryLook(page, 'way-back-offer');
  await page.goto('/settings');
  for (const [button, name] of [
    ['Make a recovery code', 'recovery-code'],
    ['Bring an old account back', 'bring-back'],
    ['Change your number', 'change-number'],
  ] as const) {
    await page.getByRole('button', { name: button }).click();
    await expect(page.getByRole('dialog').getByRole('button').nth(1)).toBeVisible();
    await inEveryLook(page, name);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }
});

async function inEveryLook(page: Page, name: string): Promise<void> {
  for (const width of [390, 1280]) {
    for (const scheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await page.emulateMedia({ colorScheme: scheme });
      await expect(page.locator('html')).toHaveAttribute('data-scheme', scheme);
      await lookAt(page, `${width}-${scheme}-${name}`);
    }
  }
}

test('matches are accessible and whole: every tab, the profile, two widths, two schemes', async ({
  page,
  browser,
}) => {
  test.setTimeout(240_000);
  const { other, mine, theirs } = await twoAlike(page, browser);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const card = (at: Page, name: string) => at.getByRole('article').filter({ hasText: name });

  await page.goto('/matches?tab=pending');
  await expect(page.getByText('No pending sent matches.')).toBeVisible();
  await inEveryLook(page, 'matches-pending-empty');

  await other.goto('/matches');
  await card(other, mine).getByRole('button', { name: 'Accept' }).click();
  await expect(other.getByText('Match accepted!')).toBeVisible();
  await page.goto('/matches');
  await expect(card(page, theirs).getByText('Has said yes to you.')).toBeVisible();
  await feelingsPicker(page).getByRole('button', { name: 'Sad' }).click();
  await inEveryLook(page, 'matches-suggestions');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('list', { name: "You're feeling" })).toBeVisible();
  await inEveryLook(page, 'matches-feelings');
  ageFeelings(mine);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Still feeling this way?' })).toBeVisible();
  await inEveryLook(page, 'matches-feelings-old');
  await page.getByRole('button', { name: theirs, exact: true }).click();
  await expect(page.getByRole('dialog').getByText('No bio provided.')).toBeVisible();
  await inEveryLook(page, 'matches-profile');
  await page.keyboard.press('Escape');
  await page.route('**/api/auth/user/*', (route) =>
    route.fulfill({ status: 404, json: { success: false, message: '', code: 'NOT_FOUND', requestId: 'x' } }),
  );
  await page.reload();
  await page.getByRole('button', { name: theirs, exact: true }).click();
  await expect(page.getByRole('dialog').getByText('No user details available.')).toBeVisible();
  await inEveryLook(page, 'matches-no-profile');
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Pending' }).click();
  await expect(card(page, theirs)).toBeVisible();
  await inEveryLook(page, 'matches-pending');
  await card(page, theirs).getByRole('button', { name: 'Accept' }).click();
  await expect(page.getByText('Match accepted!')).toBeVisible();
  await page.getByRole('tab', { name: 'History' }).click();
  await expect(card(page, theirs).getByText('You both said yes.')).toBeVisible();
  await inEveryLook(page, 'matches-history');
  await other.context().close();
});

async function lookAt(page: Page, name: string): Promise<void> {
  await settle(page);
  await expectAccessible(page, name);
  await expectToFit(page, name);
  await page.screenshot({ path: `${reports}/screens/${name}.png`, fullPage: false });
}

test('text wraps at 320 px and at twice the size', async ({ page }) => {
  await signUp(page);
  for (const [width, isDouble] of [
    [320, false],
    [640, true],
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
    ]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      if (isDouble) await doubleText(page);
      await expectToFit(page, `${path} at ${width} px${isDouble ? ', twice the size' : ''}`);
    }
  }
});

/** What somebody may well write: no space anywhere, every tag there is room for, right to left, and emoji. */
const ugly = [
  { title: 'W'.repeat(100), text: 'क्षत्रियm'.repeat(220), emotion: 'Burnout', hashtags: tenTags() },
  {
    title: 'لا أحد يسمعني هذه الليلة',
    text: 'أكتب هنا لأنني لا أستطيع أن أقول ذلك (really) لأحد. 🌙',
    emotion: 'Sad',
  },
  { title: '👩🏽‍🦱👨‍👩‍👧‍👦'.repeat(8), text: '🙂'.repeat(300), emotion: 'Happy', hashtags: ['ok'] },
];

function tenTags(): string[] {
  return Array.from({ length: 10 }, (_, n) => `${n}${'wide_tag_without_a_space_at_all'.slice(0, 29)}`);
}

test('ugly words fit: every list, dialog and form, from 320 to 1280 px and at twice the size, in both languages', async ({
  page,
  browser,
}) => {
  test.setTimeout(360_000);
  const { other, mine, theirs } = await twoAlike(page, browser);
  const word = `ugly${Date.now().toString(36)}`;
  const ask = async (at: Page, path: string, method: 'POST' | 'PUT', data: object) => {
    const token = await at.evaluate(() => localStorage.getItem('unsaid.token'));
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': crypto.randomUUID() };
    const answer = await at.request.fetch(path, { method, data, headers });
    expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true);
    return (await answer.json()) as { vent?: { _id: string } };
  };
  let ventId = '';
  for (const vent of ugly) {
    const hashtags = [...(vent.hashtags ?? []).slice(0, 9), word];
    const { vent: made } = await ask(page, '/api/vent/create', 'POST', { ...vent, hashtags });
    ventId ||= made?._id ?? '';
  }
  for (const at of [page, other]) {
    await ask(at, '/api/vent/comment', 'POST', { ventId, text: 'W'.repeat(500) });
    await ask(at, '/api/auth/update-details', 'PUT', {
      bio: 'M'.repeat(300),
      interests: Array.from({ length: 8 }, (_, n) => `${n}${'W'.repeat(39)}`),
    });
  }
  await other.goto('/matches');
  await other.getByRole('article').filter({ hasText: mine }).getByRole('button', { name: 'Accept' }).click();
  await expect(other.getByText('Match accepted!')).toBeVisible();
  await other.context().close();

  await page.emulateMedia({ reducedMotion: 'reduce' });
  const dialog = page.getByRole('dialog');
  const card = page.getByRole('article').first();
  const screens: readonly [name: string, path: string, open?: () => Promise<void>][] = [
    ['feed', `/vents?query=${word}`],
    ['search', `/vent/search?query=${word}`],
    ['mine', '/myvents'],
    ['vent', `/vent/${ventId}`],
    ['home', '/'],
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
    await page.evaluate((tongue) => localStorage.setItem('unsaid.locale', tongue), locale);
    for (const [name, path, open] of screens) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(card).toBeVisible();
      if (open) {
        await open();
        await expect(dialog).toBeVisible();
      }
      await page.waitForLoadState('networkidle');
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
        await page.evaluate(() => new Promise(requestAnimationFrame));
        const full = `ugly-${locale}-${width}-${name}`;
        await expectToFit(page, full);
        await page.screenshot({ path: `${reports}/screens/${full}.png`, fullPage: !open });
      }
    }
  }
});
