import { editProfile, endSession, setUsername, signUp } from './api.ts';
import {
  agreeToJoin,
  codeBoxes,
  codeFor,
  enterCodeInDialog,
  enterPhone,
  expect,
  expectToast,
  exportData,
  feelingsPicker,
  logOut,
  newPerson,
  newPhone,
  newUsername,
  openAccountMenu,
  openSettings,
  pauseClock,
  signInOnScreen,
  signUpOnScreen,
  tabTo,
  test,
  typeCode,
  typeCodeAgain,
  wrongCode,
} from './fixtures.ts';
import { fullTier } from './tiers.ts';

test('a new person signs up and fills in a profile (R20, S0.1, S1.3, S2.5, S2.14, S2.21, S2.24, S2.26, S4.1, S4.4, S5.1)', async ({
  page,
}) => {
  const phone = newPhone();
  const username = newUsername();
  await page.goto('/login');
  await page.getByRole('link', { name: 'Create account' }).click();
  await expect(page).toHaveURL('/signup');
  await expect(page.getByText(/18 or (?:older|over)|18 and over/iu)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeDisabled();
  await enterPhone(page, phone);
  await expect(page.getByRole('button', { name: /Resend OTP/u })).toBeDisabled();
  await typeCode(page, await codeFor(phone));

  const name = page.getByLabel('Username');
  await name.fill('');
  await name.pressSequentially(`${username} é-!`);
  await expect(name).toHaveValue(username);
  await page.getByText('More about you (optional)').click();
  await page.getByLabel('Bio').fill('नमस्ते, I listen.');
  await page.getByLabel('Interests').fill('music, चाय,');
  await page.getByLabel('Likes', { exact: true }).fill('rain,');
  await page.getByLabel('Dislikes').fill('noise,');
  await page.getByText('Balanced', { exact: true }).click();
  const picker = feelingsPicker(page);
  for (const name of ['Anxious', 'Sad', 'Burnout']) await picker.getByRole('button', { name }).click();
  // Playwright waits for a disabled button; a person presses it.
  await picker.getByRole('button', { name: 'Happy' }).click({ force: true });
  await expect(picker.getByText("That's three already. Tap one to take it back.")).toBeVisible();
  await picker.getByRole('button', { name: 'Burnout' }).click();
  const sent = page.waitForRequest('**/api/auth/update-details');
  await page.getByRole('button', { name: 'Complete Profile' }).click();
  expect((await sent).postDataJSON()).toMatchObject({ feelings: ['Sad', 'Anxious'] });

  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { name: username })).toBeVisible();
  const felt = page.getByRole('list', { name: 'Feeling lately' });
  await expect(felt).toHaveText('SadAnxious');
  for (const text of ['नमस्ते, I listen.', 'music', 'चाय', 'rain', 'noise', 'Balanced']) {
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  }
});

test('a new person skips the profile (SC-34, S2.3, S2.17, S2.19, S2.27, S2.28, S3.9, S4.4, S8.27)', async ({
  page,
}) => {
  await signUpOnScreen(page);
  await expect(page.getByRole('heading', { name: 'Anonymous' })).toBeVisible();
  await expect(page.getByText('No bio provided.')).toBeVisible();
  await expect(page.getByText('Not specified.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Latest Vents' })).toBeVisible();
  await page.getByRole('link', { name: 'Find Matches' }).click();
  await expect(page).toHaveURL('/matches');
  await page.goBack();
  await page.getByRole('link', { name: 'Vent Page' }).click();
  await expect(page).toHaveURL('/vents');
});

test('a person signs in again, and signing up with a known number skips the profile step (S0.1, S1.3, S2.23, S2.28)', async ({
  page,
}) => {
  const phone = await signUpOnScreen(page);
  await logOut(page);
  await signInOnScreen(page, phone);
  await expect(page).toHaveURL('/');
  await logOut(page);
  await page.goto('/signup');
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone, 3));
  await expect(page).toHaveURL('/');
  await page.goto('/login');
  await expect(page).toHaveURL('/');
});

test('a wrong code says "Invalid OTP", and the right one still works (S8.3)', async ({ page }) => {
  const phone = newPhone();
  await page.goto('/login');
  await enterPhone(page, phone);
  const code = await codeFor(phone);
  await typeCode(page, wrongCode(code));
  await expect(page.getByText('Invalid OTP')).toBeVisible();
  await typeCodeAgain(page, code);
  await agreeToJoin(page);
  await expect(page).toHaveURL('/');
});

test(
  'Resend is open at once at login, then locked with a countdown, and the new code works (S2.22)',
  fullTier('login.page.test.tsx finds it.'),
  async ({ page }) => {
    const phone = newPhone();
    await page.clock.install();
    await page.goto('/login');
    await enterPhone(page, phone);
    await codeFor(phone);
    const resend = page.getByRole('button', { name: /Resend OTP/u });
    await expect(resend).toBeEnabled();
    await pauseClock(page);
    await resend.click();
    const second = await codeFor(phone, 2);
    await expect(page.getByText('in 30 s')).toBeVisible();
    await expect(resend).toBeDisabled();
    await page.clock.runFor(1000);
    await expect(page.getByText('in 29 s')).toBeVisible();
    await page.clock.resume();
    await typeCode(page, second);
    await agreeToJoin(page);
    await expect(page).toHaveURL('/');
  },
);

test(
  'Resend is locked for 30 s after each code at signup (S2.25, S4.13, S9.2)',
  fullTier('login.page.test.tsx finds it.'),
  async ({ page }) => {
    const phone = newPhone();
    await page.clock.install();
    await page.goto('/signup');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await pauseClock(page);
    await enterPhone(page, phone);
    const resend = page.getByRole('button', { name: /Resend OTP/u });
    await expect(resend).toBeDisabled();
    await page.clock.runFor(29_000);
    await expect(page.getByText('in 1 s')).toBeVisible();
    await expect(resend).toBeDisabled();
    await page.clock.runFor(1000);
    await expect(resend).toBeEnabled();
    await resend.click();
    await codeFor(phone, 2);
    await expect(page.getByText('in 30 s')).toBeVisible();
    await expect(resend).toBeDisabled();
  },
);

test(
  'a code can be pasted, taken back with Backspace, and fills from one box to the next (S4.3)',
  fullTier('The typed code in parity.spec.ts runs the same boxes; a paste with spaces is found at night.'),
  async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const phone = newPhone();
    await page.goto('/login');
    await enterPhone(page, phone);
    const code = await codeFor(phone);
    await codeBoxes(page).click();
    await page.keyboard.type(code.slice(0, 3));
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await expect(codeBoxes(page)).toHaveValue('');
    // As a person copies it: with spaces around and in between.
    await page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      ` ${code.slice(0, 3)} ${code.slice(3)} `,
    );
    await codeBoxes(page).click();
    await page.keyboard.press('Control+v');
    await agreeToJoin(page);
    await expect(page).toHaveURL('/');
  },
);

test('a person whose session ends comes back to the same page after signing in', async ({ page }) => {
  const phone = await signUp(page);
  await openSettings(page);
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await endSession(page);
  // A tab that becomes visible again loads its data again.
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(page).toHaveURL('/login');
  await expect(page.getByText(/session ended/iu)).toBeVisible();
  await signInOnScreen(page, phone);
  await expect(page).toHaveURL('/settings');
});

test('a link to one vent survives the sign-in, and other guarded pages lead to login (S2.3, S2.29)', async ({
  page,
}) => {
  const phone = await signUp(page);
  await page.goto('/');
  await logOut(page);
  await page.goto('/vent/abcdefghijklmnopqrstuv');
  await expect(page).toHaveURL('/login');
  await signInOnScreen(page, phone);
  await expect(page).toHaveURL('/vent/abcdefghijklmnopqrstuv');
  await logOut(page);
  for (const path of ['/', '/vents', '/vent', '/vent/create', '/myvents', '/matches', '/settings']) {
    await page.goto(path);
    await expect(page).toHaveURL('/login');
  }
});

test('every field of the profile can be edited (S2.15, S2.16, S6.6)', async ({ page }) => {
  await signUp(page);
  await page.goto('/');
  const username = newUsername();
  await page.getByRole('button', { name: 'Update Profile' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading', { name: 'Update Profile' })).toBeVisible();
  const picture = dialog.locator('img').first();
  const before = await picture.getAttribute('src');
  await dialog.getByRole('button', { name: 'Another picture' }).click();
  await expect(picture).not.toHaveAttribute('src', before ?? '');
  await dialog.getByLabel('Username').fill(username);
  await dialog.getByLabel('Bio').fill('Two lines\nof me');
  await dialog.getByLabel('Interests').fill('poetry, old films,');
  await dialog.getByLabel('Likes', { exact: true }).fill('tea,');
  await dialog.getByLabel('Dislikes').fill('crowds,');
  await dialog.getByText('Different Emotions').click();
  await feelingsPicker(dialog).getByRole('button', { name: 'Neutral' }).click();
  await dialog.getByRole('switch', { name: /Anonymous chat/u }).click();
  await dialog.getByRole('switch', { name: /Allow comments/u }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const check = async () => {
    await expect(page.getByRole('heading', { name: username })).toBeVisible();
    for (const text of ['poetry', 'old films', 'tea', 'crowds', 'Different Emotions']) {
      await expect(page.getByText(text, { exact: true })).toBeVisible();
    }
    await expect(page.getByText('Two lines')).toBeVisible();
    await expect(page.getByRole('list', { name: 'Feeling lately' })).toHaveText('Neutral');
    await expect(page.getByText(/^Off(?:, for when chat opens)?$/u)).toHaveCount(2);
  };
  await check();
  await page.reload();
  await check();
});

test(
  'a new name offers a new picture, and unchanged feelings are not sent',
  fullTier('update-profile-dialog.test.tsx finds it.'),
  async ({ page }) => {
    await signUp(page);
    await page.goto('/');
    const dialog = page.getByRole('dialog');
    const offer = dialog.getByRole('switch', { name: 'New name, new picture?' });
    const picture = page.getByRole('main').locator('img').first();
    await expect(picture).toBeVisible();
    const pictures: (string | null)[] = [await picture.getAttribute('src')];
    const saveAs = async (name: string, act: () => Promise<void>) => {
      await page.getByRole('button', { name: 'Update Profile' }).click();
      await expect(offer).toBeHidden();
      await dialog.getByLabel('Username').fill(name);
      await act();
      const sent = page.waitForRequest('**/api/auth/update-details');
      await dialog.getByRole('button', { name: 'Save' }).click();
      expect((await sent).postDataJSON()).not.toHaveProperty('feelings');
      await expect(dialog).toBeHidden();
      await expect(page.getByRole('heading', { name })).toBeVisible();
      pictures.push(await picture.getAttribute('src'));
    };
    // A first name replaces none.
    await saveAs(newUsername(), () => expect(offer).toBeHidden());
    await saveAs(newUsername(), () => expect(offer).toBeChecked());
    await saveAs(newUsername(), () => offer.click());
    const [first, named, renamed, declined] = pictures;
    expect(named).toBe(first);
    expect(renamed).not.toBe(named);
    expect(declined).toBe(renamed);
  },
);

test(
  'a taken name is refused beside the field',
  fullTier('profiles.test.ts of the server refuses it; a sentence in the wrong place is found at night.'),
  async ({ page, browser }) => {
    const other = await newPerson(browser);
    await signUp(other);
    const username = await setUsername(other);
    await other.context().close();
    await signUp(page);
    await page.goto('/');
    await page.getByRole('button', { name: 'Update Profile' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill(username.toUpperCase());
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByText("That name's taken. Try another.")).toBeVisible();
  },
);

test('a person sees both sessions and ends the other one (R27)', async ({ page, browser }) => {
  const phone = await signUp(page);
  const other = await newPerson(browser);
  await other.goto('/login');
  await signInOnScreen(other, phone);
  await expect(other).toHaveURL('/');
  await openSettings(page);
  await expect(page.getByText('This device', { exact: true })).toBeVisible();
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page
    .getByRole('button', { name: /^Log out (?!everywhere)/u })
    .first()
    .click();
  expect((await ended).ok()).toBe(true);
  await expect(page.getByRole('button', { name: /^Log out (?!everywhere)/u })).toHaveCount(0);
  await other.reload();
  await expect(other).toHaveURL('/login');
  await expect(page.getByText('This device', { exact: true })).toBeVisible();
  await other.context().close();
});

test('the export asks for a code and gives a file of the account’s own data', async ({ page }) => {
  const phone = await signUp(page);
  await editProfile(page, { bio: 'I listen.' });
  await openSettings(page);
  const { text } = await exportData(page, phone);
  expect(JSON.parse(text)).toMatchObject({ profile: { bio: 'I listen.' }, signIn: {} });
  await expectToast(page, 'Your data is in your downloads.');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a deleted account is gone, and its number starts a new one (R20, R35)', async ({ page }) => {
  const phone = await signUp(page);
  await openSettings(page);
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete account' });
  await expect(dialog.getByRole('radio', { name: 'Remove them over 30 days' })).toBeChecked();
  await enterCodeInDialog(dialog, phone, 2);
  await dialog.getByRole('button', { name: 'Delete my account forever' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText(/Your account is deleted/u)).toBeVisible();
  await page.goto('/signup');
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone, 3));
  await expect(page.getByRole('button', { name: 'Complete Profile' })).toBeVisible();
});

for (const [choice, span] of [
  [undefined, '30days'],
  ['Remove them within 3 days', '3days'],
  ['Leave them up, with no link to me', 'never'],
] as const) {
  test(
    `a person who leaves chooses what happens to their words, here ${span}`,
    fullTier('delete-account.test.tsx finds a choice that is not sent.'),
    async ({ page }) => {
      const phone = await signUp(page);
      await openSettings(page);
      await page.getByRole('button', { name: 'Delete account' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete account' });
      const choices = dialog.getByRole('group', { name: 'What happens to your vents and comments?' });
      await expect(choices.getByRole('radio')).toHaveCount(3);
      await dialog.getByLabel('Phone number').fill(phone.slice(3));
      await dialog.getByRole('button', { name: 'Send OTP' }).click();
      // The choice stays open until the code is entered.
      const code = await codeFor(phone, 2);
      if (choice) await choices.getByText(choice).first().click();
      await codeBoxes(dialog).click();
      await page.keyboard.type(code);
      const sent = page.waitForRequest((request) => request.method() === 'DELETE');
      await dialog.getByRole('button', { name: 'Delete my account forever' }).click();
      expect(new URL((await sent).url()).search).toBe(`?removeWords=${span}`);
      await expect(page.getByText(/Your account is deleted/u)).toBeVisible();
    },
  );
}

test('a person signs in with the keyboard alone', async ({ page }) => {
  const phone = newPhone();
  await page.goto('/login');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: /skip/iu })).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page.getByLabel('Phone number'));
  await page.keyboard.type(phone.slice(3));
  await page.keyboard.press('Enter');
  const code = await codeFor(phone);
  await expect(codeBoxes(page)).toBeFocused();
  await page.keyboard.type(code);
  await tabTo(page.getByRole('button', { name: 'Create account' }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});

test(
  'the keyboard alone is enough to sign up, edit the profile, use Settings and log out',
  fullTier('The short sign-in by keyboard and the keyboard journey of vents.spec.ts find a lost focus.'),
  async ({ page }) => {
    const { keyboard } = page;
    const [phone, username] = [newPhone(), newUsername()];
    await page.goto('/signup');
    await tabTo(page.getByLabel('Phone number'));
    await keyboard.type(phone.slice(3));
    await keyboard.press('Enter');
    const code = await codeFor(phone);
    await expect(codeBoxes(page)).toBeFocused();
    await keyboard.type(code);
    await tabTo(feelingsPicker(page).getByRole('button', { name: 'Happy' }));
    await keyboard.press('Space');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await tabTo(page.locator('summary'));
    await keyboard.press('Enter');
    await tabTo(page.getByLabel('Bio'));
    await keyboard.type('Keys alone.');
    await tabTo(page.getByLabel('Interests'));
    await keyboard.type('tea,rain,');
    await keyboard.press('Backspace');
    await tabTo(page.getByRole('radio', { checked: true }));
    await keyboard.press('ArrowRight');
    await expect(page.getByRole('radio', { name: 'Similar Emotions' })).toBeChecked();
    await tabTo(page.getByRole('button', { name: 'Complete Profile' }));
    await keyboard.press('Enter');
    await expect(page).toHaveURL('/');
    await expect(page.getByText('tea', { exact: true })).toBeVisible();
    await expect(page.getByText('rain', { exact: true })).toHaveCount(0);
    await expect(page.getByRole('list', { name: 'Feeling lately' })).toHaveText('HappySad');

    const change = page.getByRole('button', { name: 'Update Profile' });
    await tabTo(change);
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await tabTo(dialog.getByLabel('Username'));
    await keyboard.press('Control+a');
    await keyboard.type(username);
    await tabTo(dialog.getByRole('switch', { name: /Allow comments/u }));
    await keyboard.press('Space');
    await tabTo(dialog.getByRole('button', { name: 'Save' }));
    await keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(change).toBeFocused();
    await expect(page.getByRole('heading', { name: username })).toBeVisible();

    const menu = page.getByRole('button', { name: 'Menu', exact: true });
    await tabTo(menu);
    await keyboard.press('Enter');
    await tabTo(page.getByRole('banner').getByRole('link', { name: 'Settings' }));
    await keyboard.press('Enter');
    await expect(page).toHaveURL('/settings');
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    const openGroup = async (title: string) => {
      await tabTo(page.locator('summary').filter({ hasText: title }));
      await keyboard.press('Enter');
    };
    await openGroup('On this phone');
    await tabTo(page.getByRole('switch', { name: 'Neutral tab' }));
    await keyboard.press('Space');
    await expect(page).toHaveTitle('Notes');
    await openGroup('Your data');
    const leave = page.getByRole('button', { name: 'Delete account' });
    await tabTo(leave);
    await keyboard.press('Enter');
    await expect(dialog).toBeVisible();
    await tabTo(dialog.getByRole('radio', { checked: true }));
    await keyboard.press('ArrowDown');
    await expect(dialog.getByRole('radio', { name: 'Remove them within 3 days' })).toBeChecked();
    await keyboard.press('Escape');
    await expect(leave).toBeFocused();

    await tabTo(menu);
    await keyboard.press('Enter');
    await tabTo(page.getByRole('button', { name: 'Log out' }));
    await keyboard.press('Enter');
    await expect(page).toHaveURL('/login');
  },
);

test('the navigation has every link of the specification, and a menu once signed in (S2.2)', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/login');
  const navigation = page.getByRole('navigation').first();
  for (const name of ['Home', 'Vents', 'Matches', 'Login', 'Sign Up', 'Terms', 'Privacy', 'FAQ']) {
    await expect(navigation.getByRole('link', { name, exact: true })).toBeVisible();
  }
  await expect(page.getByRole('link', { name: 'Support' }).first()).toBeVisible();
  await signUp(page);
  await page.goto('/');
  await openAccountMenu(page);
  await expect(page.getByRole('link', { name: 'Login', exact: true })).toHaveCount(0);
  await page.getByRole('banner').getByRole('link', { name: 'Settings' }).click();
  await expect(page).toHaveURL('/settings');
  await page.goto('/no/such/page');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page).toHaveTitle(/Unsaid/u);
});

test('the start check waits for an unreachable server and removes a refused token (S4.5, S4.6)', async ({
  page,
  complaints,
}) => {
  await signUp(page);
  const token = () => page.evaluate(() => localStorage.getItem('unsaid.token'));
  let failures = 0;
  complaints.expect(/ERR_CONNECTION_FAILED/u);
  await page.route('**/api/auth/user', async (route) => {
    await route.abort('connectionfailed');
    failures += 1;
  });
  await page.goto('/');
  await expect.poll(() => failures).toBeGreaterThan(1);
  expect(await token()).toMatch(/^uns_/u);
  await page.unroute('**/api/auth/user');
  await expect(page.getByRole('heading', { name: 'Anonymous' })).toBeVisible();
  await page.evaluate(() => localStorage.setItem('unsaid.token', `uns_${'A'.repeat(43)}`));
  await page.reload();
  await expect(page).toHaveURL('/login');
  expect(await token()).toBeNull();
});
