import { randomBytes } from 'node:crypto';
import {
  test as base,
  expect,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
} from '@playwright/test';
import type { Emotion } from '@unsaid/contract';
import { codesSentTo } from '../outbox.ts';
import { origin } from '../stage.ts';

export { expect };

interface Fixtures {
  /** Every request any page of the test made. */
  requests: string[];
  /** What the browser complained about: policy violations, script errors, failed loads. */
  complaints: string[];
}

/** Every journey is also a proof: no request leaves our origin, and the browser has nothing to complain about. */
export const test = base.extend<Fixtures & { watch: void }>({
  // oxlint-disable-next-line no-empty-pattern
  requests: async ({}, use) => use([]),
  // oxlint-disable-next-line no-empty-pattern
  complaints: async ({}, use) => use([]),
  watch: [
    async ({ context, requests, complaints }, use) => {
      watchContext(context, requests, complaints);
      await use();
      expect(requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('blob:'))).toEqual([]);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

function watchContext(context: BrowserContext, requests: string[], complaints: string[]): void {
  context.on('request', (request) => requests.push(request.url()));
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    // An answer such as 401 is logged by the browser itself; what it means is for the test to say.
    if (
      message.type() === 'error' &&
      !/the server responded with a status of (?:4\d\d|503)/u.test(message.text())
    ) {
      complaints.push(message.text());
    }
  });
}

let count = 0;

/** A mobile number that nobody else in this run has. */
export function newPhone(): string {
  count += 1;
  return `+9197${String(Date.now() % 1_000_000).padStart(6, '0')}${String((process.pid * 7 + count) % 100).padStart(2, '0')}`;
}

/** The newest code a number was sent, after at least `sent` messages. */
export async function codeFor(phone: string, sent = 1): Promise<string> {
  let code = '';
  await expect
    .poll(async () => {
      const mine = await codesSentTo(phone);
      code = mine.at(-1) ?? '';
      return mine.length;
    })
    .toBeGreaterThanOrEqual(sent);
  return code;
}

/** Opens a page as somebody who has seen the splash. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.addInitScript(() => {
    if (location.protocol.startsWith('http')) sessionStorage.setItem('unsaid.splash', 'seen');
  });
  await page.goto(path);
}

export async function enterPhone(page: Page, phone: string): Promise<void> {
  await page.getByLabel('Phone number').fill(phone.slice(3));
  await page.getByRole('button', { name: 'Send OTP' }).click();
}

/** The first of the six boxes; typing goes on from there. */
export function codeBoxes(page: Page): Locator {
  return page.locator('input[autocomplete="one-time-code"]').first();
}

export async function typeCode(page: Page, code: string): Promise<void> {
  await codeBoxes(page).click();
  await page.keyboard.type(code);
}

export async function signUp(page: Page, phone = newPhone()): Promise<string> {
  await visit(page, '/signup');
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone));
  await page.getByRole('button', { name: 'Skip' }).click();
  await expect(page).toHaveURL('/');
  return phone;
}

/** Somebody else, in a browser of their own. */
export async function somebodyElse(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-IN' });
  return context.newPage();
}

/** Two people who have just joined, each in their own browser, and whom four rare interests make each other's best. */
export async function twoAlike(page: Page, browser: Browser, feeling?: Emotion) {
  const other = await somebodyElse(browser);
  const word = newUsername();
  const interests = `${word}a, ${word}b, ${word}c, ${word}d`;
  const [mine, theirs] = [newUsername(), newUsername()];
  for (const [one, name] of [
    [page, mine],
    [other, theirs],
  ] as const) {
    await signUp(one);
    await one.getByRole('button', { name: 'Update Profile' }).click();
    const dialog = one.getByRole('dialog');
    await dialog.getByLabel('Username').fill(name);
    await dialog.getByLabel('Interests').fill(`${interests},`);
    if (feeling) await feelingsPicker(dialog).getByRole('button', { name: feeling }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
  }
  return { other, mine, theirs, word };
}

/** The six toggle buttons, wherever they stand. */
export function feelingsPicker(at: Page | Locator): Locator {
  return at.getByRole('group', { name: 'How have you been feeling lately?' });
}

export async function signIn(page: Page, phone: string, sent = 2): Promise<void> {
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone, sent));
}

/** In an open dialog that wants a fresh code. */
export async function confirmByCode(page: Page, phone: string, sent = 2): Promise<string> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Phone number').fill(phone.slice(3));
  await dialog.getByRole('button', { name: 'Send OTP' }).click();
  const code = await codeFor(phone, sent);
  await dialog.locator('input[autocomplete="one-time-code"]').first().click();
  await page.keyboard.type(code);
  return code;
}

/** Gives the file as text. */
export async function exportData(page: Page, phone: string): Promise<{ text: string; code: string }> {
  await page.getByRole('button', { name: 'Export my data' }).click();
  const [download, code] = await Promise.all([page.waitForEvent('download'), confirmByCode(page, phone)]);
  expect(download.suggestedFilename()).toMatch(/\.json$/u);
  const stream = await download.createReadStream();
  return { text: Buffer.concat(await stream.toArray()).toString('utf8'), code };
}

export async function openAccountMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account menu' }).click();
}

export async function logOut(page: Page): Promise<void> {
  await openAccountMenu(page);
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await expect(page).toHaveURL('/login');
}

/** Letters alone: seven digits in a row would be refused as somebody's number. */
export const newUsername = () =>
  `calm_${Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;

/** Goes on with the Tab key until focus is there, as somebody without a mouse does. */
export async function tabTo(target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  const page = target.page();
  for (let presses = 0; presses < 120; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the Tab key never reaches ${String(target)}`);
}
