import { limits } from '@unsaid/contract';
import type { Page } from '@playwright/test';
import { signUp } from './api.ts';
import { codesSentTo } from '../outbox.ts';
import {
  agreeToJoin,
  codeBoxes,
  codeFor,
  enterPhone,
  expect,
  logOut,
  newPhone,
  pauseClock,
  test,
  typeCode,
  typeCodeAgain,
  wrongCode,
} from './fixtures.ts';
import { fullTier } from './tiers.ts';

const readable = (phone: string) => `+91 ${phone.slice(3, 8)} ${phone.slice(8)}`;
const resendOf = (page: Page) => page.getByRole('button', { name: 'Resend OTP' });
/** What the tab keeps of a sign-in. */
const keptCode = (page: Page) => page.evaluate(() => sessionStorage.getItem('unsaid.otp'));

// B9
test(
  'after five wrong codes the page says that this OTP is used up, and Resend is the main button',
  fullTier('login.page.test.tsx finds it.'),
  async ({ page }) => {
    const phone = newPhone();
    await page.goto('/login');
    await enterPhone(page, phone);
    const code = await codeFor(phone);
    await typeCode(page, wrongCode(code));
    for (let tries = 1; tries < limits.otpTries; tries += 1) {
      await expect(page.getByText('Invalid OTP')).toBeVisible();
      // A reload in between does not give more tries.
      if (tries === 3) {
        await page.reload();
        await expect(codeBoxes(page)).toBeFocused();
      }
      await typeCodeAgain(page, wrongCode(code));
    }
    await expect(
      page.getByText('Too many wrong tries. This OTP no longer works. Send a new one.'),
    ).toBeVisible();
    await expect(codeBoxes(page)).toBeHidden();
    await expect(page.getByRole('button', { name: 'Continue' })).toBeHidden();
    await page.reload();
    await expect(page.getByText(/Too many wrong tries/u)).toBeVisible();
    await resendOf(page).click();
    const second = await codeFor(phone, 2);
    await expect(codeBoxes(page)).toBeFocused();
    await page.keyboard.type(second);
    await agreeToJoin(page);
    await expect(page).toHaveURL('/');
  },
);

// B9
test(
  'an OTP that is used up is sent again only when the lock of Resend is over',
  fullTier('login.page.test.tsx finds it.'),
  async ({ page }) => {
    const phone = newPhone();
    await page.clock.install();
    await page.goto('/signup');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await pauseClock(page);
    await enterPhone(page, phone);
    const code = await codeFor(phone);
    await typeCode(page, wrongCode(code));
    for (let tries = 1; tries < limits.otpTries; tries += 1) await typeCodeAgain(page, wrongCode(code));
    await expect(page.getByText(/Too many wrong tries/u)).toBeVisible();
    await expect(resendOf(page)).toBeDisabled();
    await expect(page.getByText('in 30 s')).toBeVisible();
    await page.clock.runFor(30_000);
    await expect(resendOf(page)).toBeEnabled();
  },
);

// B10
for (const path of ['/login', '/signup'] as const) {
  test(
    `a reload at ${path} stays at the code step, and nothing of it is kept after signing in`,
    path === '/signup' ? {} : fullTier('The journey at /signup runs the same code.'),
    async ({ page }) => {
      const phone = newPhone();
      await page.goto(path);
      await enterPhone(page, phone);
      await expect(page.getByText(readable(phone))).toBeVisible();
      await page.reload();
      await expect(page.getByText(readable(phone))).toBeVisible();
      await expect(codeBoxes(page)).toBeFocused();
      // Login: Resend is open at once. Sign-up: it is locked, as it was before.
      if (path === '/login') await expect(resendOf(page)).toBeEnabled();
      else await expect(resendOf(page)).toBeDisabled();
      await page.keyboard.type(await codeFor(phone));
      if (path === '/signup') await page.getByRole('button', { name: 'Skip' }).click();
      else await agreeToJoin(page);
      await expect(page).toHaveURL('/');
      expect(await keptCode(page)).toBeNull();
      expect(await codesSentTo(phone)).toHaveLength(1);
    },
  );
}

// B10
test(
  'a reload keeps the countdown of Resend',
  fullTier('A countdown that starts again after a reload, for a day.'),
  async ({ page }) => {
    const now = Date.now();
    await page.clock.setFixedTime(now);
    await page.goto('/signup');
    await enterPhone(page, newPhone());
    await expect(page.getByText('in 30 s')).toBeVisible();
    await page.clock.setFixedTime(now + 12_000);
    await expect(page.getByText('in 18 s')).toBeVisible();
    await page.reload();
    await expect(page.getByText('in 18 s')).toBeVisible();
    await expect(resendOf(page)).toBeDisabled();
  },
);

// B10
test('Back from the code step leads to the number, filled in, and Forward to the code', async ({ page }) => {
  const phone = newPhone();
  await page.goto('/faq');
  await page.goto('/login');
  await enterPhone(page, phone);
  await expect(codeBoxes(page)).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel('Phone number')).toHaveValue(phone.slice(3));
  // Forward leads to the code that was sent, whatever was typed since.
  await page.getByLabel('Phone number').fill('98');
  await page.goForward();
  await expect(page.getByText(readable(phone))).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Change number' }).click();
  await expect(page.getByLabel('Phone number')).toHaveValue(phone.slice(3));
  // A phone has no Forward.
  await page.getByRole('button', { name: 'I have my OTP' }).click();
  await expect(codeBoxes(page)).toBeFocused();
  await page.goBack();
  await expect(page.getByLabel('Phone number')).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/faq');
  await page.goForward();
  await expect(page.getByLabel('Phone number')).toBeVisible();
  await page.goForward();
  await typeCode(page, await codeFor(phone));
  await agreeToJoin(page);
  await expect(page).toHaveURL('/');
  expect(await codesSentTo(phone)).toHaveLength(1);
});

// B10
test(
  'the number is kept for the life of the OTP, and no longer',
  fullTier('sent-code.test.ts finds a number that is kept longer; login.page.test.tsx the sentence.'),
  async ({ page }) => {
    const phone = newPhone();
    await page.clock.install();
    await page.goto('/login');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await pauseClock(page);
    await enterPhone(page, phone);
    await expect(codeBoxes(page)).toBeVisible();
    await page.clock.runFor((limits.otpLifeSeconds - 1) * 1000);
    expect(await keptCode(page)).toContain(phone.slice(3));
    await page.clock.runFor(1000);
    await expect(page.getByText('This OTP has expired. Send a new one.')).toBeVisible();
    await expect(resendOf(page)).toBeEnabled();
    expect(await keptCode(page)).toBeNull();
    await page.clock.resume();
    await page.reload();
    await expect(page.getByLabel('Phone number')).toHaveValue('');
  },
);

// B10
test(
  'the quick exit forgets the number of a half-finished sign-in',
  fullTier(
    'sent-code.test.ts finds a number that is stored after a quick exit; one that stays is found at night.',
  ),
  async ({ page, requests }) => {
    await page.route('https://www.google.com/**', (route) => route.fulfill({ body: 'weather' }));
    await page.goto('/login');
    await enterPhone(page, newPhone());
    await expect(codeBoxes(page)).toBeVisible();
    expect(await keptCode(page)).not.toBeNull();
    await page.getByRole('link', { name: 'Leave quickly' }).click();
    await expect(page).toHaveURL(/google/u);
    await page.goto('/login');
    await expect(page.getByLabel('Phone number')).toHaveValue('');
    expect(await keptCode(page)).toBeNull();
    requests.splice(0, requests.length, ...requests.filter((url) => !url.includes('www.google.com')));
  },
);

const pitch = (page: Page) => page.getByText("Say what you can't say to anyone you know.");
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

for (const path of ['/login', '/signup'] as const) {
  const tier = path === '/signup' ? {} : fullTier('The journey at /signup shows the same parts.');
  test(
    `${path} tells a stranger what Unsaid is, with the button on the first screen of a small phone`,
    tier,
    async ({ page }) => {
      await page.setViewportSize({ width: 360, height: 640 });
      await page.goto(path);
      await expect(pitch(page)).toBeInViewport();
      await expect(page.getByRole('button', { name: 'Send OTP' })).toBeInViewport({ ratio: 1 });
      await expect(page.getByText('Welcome back')).toBeHidden();
      await expect(page.getByText("We don't store your phone number.")).toBeVisible();
      await expect(
        page.getByRole('figure', { name: 'Example of a vent' }).getByText('Example'),
      ).toBeVisible();
      // An example, not a number that is filled in.
      const number = page.getByLabel('Phone number');
      await expect(number).toHaveValue('');
      await expect(number).toHaveAttribute('placeholder', /^e\.g\. /u);
      // On a wide screen both are side by side.
      await page.setViewportSize({ width: 1280, height: 800 });
      const [words, form] = [await pitch(page).boundingBox(), await heading(page).boundingBox()];
      expect((words?.x ?? 0) + (words?.width ?? 0)).toBeLessThanOrEqual(form?.x ?? 0);
      await expect(page.getByRole('button', { name: 'Send OTP' })).toBeInViewport({ ratio: 1 });
    },
  );
}

// B17
test('"Welcome back" is for a person who was here, with what stays in the browser', async ({
  page,
  context,
}) => {
  await signUp(page);
  await page.goto('/');
  await logOut(page);
  await expect(heading(page)).toHaveText('Welcome back');
  await expect(pitch(page)).toBeHidden();
  await expect(page.getByText("You're logged out, and your drafts are gone from this phone.")).toBeVisible();
  // As the note says: no token, no account, no draft. One cookie stays.
  const kept = await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }));
  expect(kept.filter((key) => !/^unsaid\.(?:scheme|splash|locale|discreet|first)$/u.test(key))).toEqual([]);
  await expect.poll(async () => (await context.cookies()).map(({ name }) => name)).toEqual(['dev']);
  // The next person on this phone is not told that someone was here.
  await page.reload();
  await expect(heading(page)).toHaveText('Log in');
  await expect(pitch(page)).toBeVisible();
});

test('a number without an account is asked first; Back and a reload keep the question', async ({ page }) => {
  const phone = newPhone();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/faq');
  await page.goto('/login');
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone));
  const question = page.getByRole('heading', { name: "You're new here", level: 1 });
  await expect(question).toBeVisible();
  await expect(page.getByText(readable(phone))).toBeVisible();
  await expect(page.getByText('You must be 18 or older.')).toBeVisible();
  await page.reload();
  await expect(question).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel('Phone number')).toHaveValue(phone.slice(3));
  await page.goForward();
  await expect(question).toBeVisible();
  await page.getByText('I had an account').click();
  await expect(page.getByText(/Then go to Settings/u)).toBeVisible();
  // Terms open, and Back leads to the question again.
  await page.getByRole('main').getByRole('link', { name: 'Terms' }).click();
  await expect(page).toHaveURL('/terms');
  await page.goBack();
  await expect(question).toBeVisible();
  await page.getByRole('button', { name: 'Try another number' }).click();
  // The next person at this tab sees nothing of it, also with Forward.
  await expect(page.getByLabel('Phone number')).toHaveValue('');
  expect(await keptCode(page)).toBeNull();
  await page.goForward();
  await expect(question).toBeHidden();
  await page.goto('/login');
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone, 2));
  await agreeToJoin(page);
  await expect(page).toHaveURL('/');
  expect(await keptCode(page)).toBeNull();
  // Of this number there is an account now.
  await logOut(page);
  await page.goto('/login');
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone, 3));
  await expect(page).toHaveURL('/');
});
