import type { Browser, Page } from '@playwright/test';
import { askForAccount, saveRecoveryCode, setUsername, signUp } from './api.ts';
import {
  codeBoxes,
  codeFor,
  expect,
  expectToast,
  newPerson,
  openGroups,
  openSettings,
  settle,
  test,
} from './fixtures.ts';
import { endRecoveryWaits } from './seed.ts';
import { createTranslate, type Translate } from './translate.ts';
import { fullTier } from './tiers.ts';

const another = fullTier('The first look runs the same journey; sign-up in Hindi is in hindi.spec.ts.');

/** Ways into an account other than its own number on its own device, with Back and a reload at each step. */
const looks = [
  { width: 360, locale: 'en', tier: {} },
  { width: 1280, locale: 'hi', tier: another },
  { width: 1280, locale: 'en', tier: another },
  { width: 360, locale: 'hi', tier: another },
] as const;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A person with a name and a recovery code on paper, logged in on a device of their own. */
async function newOwner(browser: Browser) {
  const page = await newPerson(browser);
  const phone = await signUp(page);
  return { page, phone, name: await setUsername(page), code: await saveRecoveryCode(page) };
}

async function enterNumber(page: Page, t: Translate, phone: string): Promise<void> {
  await page.getByLabel(t('Phone number')).fill(phone.slice(3));
  await button(page, t('Send OTP')).click();
}

async function logIn(page: Page, t: Translate, phone: string): Promise<void> {
  await page.goto('/faq');
  await page.goto('/login');
  await enterNumber(page, t, phone);
  const code = await codeFor(phone, 2);
  await codeBoxes(page).click();
  await page.keyboard.type(code);
}

/** In a dialog, with a number that was sent so many codes. */
async function confirm(page: Page, t: Translate, phone: string, sent: number): Promise<void> {
  await enterNumber(page, t, phone);
  await expect(codeBoxes(page)).toBeVisible();
  const code = await codeFor(phone, sent);
  await codeBoxes(page).click();
  await page.keyboard.type(code);
}

/** A reload closes the groups of the settings. */
async function reload(page: Page): Promise<void> {
  await page.reload();
  if (new URL(page.url()).pathname === '/settings') await openGroups(page);
}

/** Opens a dialog, closes it by Back, and opens it again after a reload. */
async function openTwice(page: Page, name: string): Promise<void> {
  await button(page, name).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('dialog')).toBeHidden();
  await reload(page);
  await button(page, name).click();
  await expect(page.getByRole('dialog')).toBeVisible();
}

for (const { width, locale, tier } of looks) {
  const t = createTranslate(locale);

  test.describe(`at ${width} px in ${locale}`, () => {
    test.use({ viewport: { width, height: 740 }, locale: `${locale}-IN` });

    test(
      `a person who lost the SIM waits three days, and the code on paper brings the account back at ${width} px in ${locale} (R31)`,
      tier,
      async ({ page, browser }) => {
        const owner = await newOwner(browser);
        await signUp(page);
        await openSettings(page);
        const dialog = page.getByRole('dialog', { name: t('Get an old account back') });
        const waits = dialog.getByText(t("Enter your code here again, and you're in."));
        const enter = async (code: string) => {
          await dialog.getByLabel(t('Recovery code')).fill(code);
          await button(page, t('Get it back')).click();
        };
        await openTwice(page, t('Get an old account back'));
        await enter('not a code');
        await expect(
          dialog.getByText(t("That recovery code doesn't work. Check it and try again.")),
        ).toBeVisible();
        await enter(owner.code.toLowerCase().replaceAll('-', ' '));
        await expect(waits).toBeVisible();
        const opening = await dialog.locator('strong').textContent();
        await page.goBack();
        await expect(dialog).toBeHidden();
        await expect(page).toHaveURL('/settings');
        // Nothing of it is kept in the browser, and a second try does not make the wait longer.
        await reload(page);
        await button(page, t('Get an old account back')).click();
        await enter(owner.code);
        await expect(waits).toBeVisible();
        await expect(dialog.locator('strong')).toHaveText(opening ?? '');
        await button(page, t('Got it')).click();
        await expect(dialog).toBeHidden();

        endRecoveryWaits();
        await button(page, t('Get an old account back')).click();
        await enter(owner.code);
        await expect(page).toHaveURL('/');
        await expect(page.getByRole('heading', { name: owner.name })).toBeVisible();
        await expectToast(page, t("You're back in your old account."));
        await owner.page.goto('/settings');
        await expect(owner.page).toHaveURL(/\/login/u);

        await page.goto('/inbox');
        await page.getByRole('link', { name: t('This account was opened with a recovery code.') }).click();
        await expect(page).toHaveURL('/settings#recovery');
        await settle(page);
        await expect(page.getByRole('heading', { name: t('Account recovery') })).toBeInViewport();
      },
    );

    test(
      `the owner sees a takeover on every page and stops it with a code at ${width} px in ${locale}`,
      tier,
      async ({ page, browser }) => {
        const phone = await signUp(page);
        await askForAccount(browser, await saveRecoveryCode(page));
        const warning = page.getByText(
          t("Someone is getting this account back with a recovery code. If it isn't you, stop it."),
        );
        for (const path of ['/faq', '/vents', '/']) {
          await page.goto(path);
          await expect(warning).toBeVisible();
        }
        await openTwice(page, t('Stop it'));
        await confirm(page, t, phone, 2);
        await expect(
          page.getByText(t("Stopped. The recovery code they used doesn't work any more.")),
        ).toBeVisible();
        await page.getByRole('link', { name: t('Make a new code') }).click();
        await expect(page).toHaveURL('/settings#recovery');
        await expect(warning).toBeHidden();
        await expect(page.getByText(t("You don't have a recovery code right now."))).toBeVisible();
        await settle(page);
        await expect(page.getByRole('heading', { name: t('Account recovery') })).toBeInViewport();
        await page.goBack();
        await expect(page).toHaveURL('/');
        await settle(page);
        await expect(warning).toBeHidden();
        await page.reload();
        await settle(page);
        await expect(warning).toBeHidden();
      },
    );

    test(
      `a first visit asks whose account it is: mine, at ${width} px in ${locale}`,
      tier,
      async ({ page, browser }) => {
        const owner = await newOwner(browser);
        await askForAccount(browser, owner.code);
        await logIn(page, t, owner.phone);
        const question = page.getByRole('heading', { name: t('Is this account yours?'), level: 1 });
        await expect(page).toHaveURL('/');
        await expect(question).toBeVisible();
        await expect(page.getByText(t('A recovery code was made for it.'))).toBeVisible();
        // The warning comes with the account, so it is there right after logging in.
        await expect(button(page, t('Stop it'))).toBeVisible();
        await page.reload();
        await expect(question).toBeVisible();
        // The login page sends people who are logged in back here.
        await page.goBack();
        await settle(page);
        await expect(page).toHaveURL('/');
        await expect(question).toBeVisible();
        await page.goto('/vents');
        await expect(question).toBeVisible();
        await page.goto('/');
        await button(page, t("It's mine")).click();
        await expect(page.getByRole('heading', { name: owner.name })).toBeVisible();
        for (const again of [() => page.reload(), () => page.goto('/vents')]) {
          await again();
          await settle(page);
          await expect(question).toBeHidden();
        }
        await openSettings(owner.page);
        await expect(owner.page).toHaveURL('/settings');
      },
    );

    test(
      `a first visit can log out everybody else and cancel the code at ${width} px in ${locale}`,
      tier,
      async ({ page, browser }) => {
        const owner = await newOwner(browser);
        await logIn(page, t, owner.phone);
        await openTwice(page, t("It's mine, but log out everywhere else and cancel the code"));
        await confirm(page, t, owner.phone, 3);
        await expect(page.getByRole('heading', { name: owner.name })).toBeVisible();
        await expectToast(page, t('Done. Nobody else is logged in now.'));
        await openSettings(page);
        await expect(page.getByText(t("You don't have a recovery code right now."))).toBeVisible();
        await owner.page.goto('/settings');
        await expect(owner.page).toHaveURL(/\/login/u);
      },
    );

    test(
      `a first visit can start fresh, and the number gets an account of its own at ${width} px in ${locale}`,
      tier,
      async ({ page, browser }) => {
        const owner = await newOwner(browser);
        await logIn(page, t, owner.phone);
        await openTwice(page, t('Start fresh'));
        await confirm(page, t, owner.phone, 3);
        await button(page, t('Delete my account forever')).click();
        await expect(page).toHaveURL('/login');
        await expect(
          page.getByText(
            t(
              'Your account is deleted. Your vents and comments will go or stay, as you chose. You can sign up again any time.',
            ),
          ),
        ).toBeVisible();
        await owner.page.goto('/settings');
        await expect(owner.page).toHaveURL(/\/login/u);

        await page.goto('/signup');
        await enterNumber(page, t, owner.phone);
        await expect(codeBoxes(page)).toBeVisible();
        const code = await codeFor(owner.phone, 4);
        await codeBoxes(page).click();
        await page.keyboard.type(code);
        await button(page, t('Skip')).click();
        await expect(page).toHaveURL('/');
        await expect(page.getByRole('heading', { name: t('Welcome to Unsaid') })).toBeVisible();
        await expect(page.getByRole('heading', { name: owner.name })).toBeHidden();
      },
    );
  });
}
