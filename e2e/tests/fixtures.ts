import { randomInt } from 'node:crypto';
import {
  test as base,
  expect,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from '@playwright/test';
import { codesSentTo } from '../outbox.ts';

export { expect };

interface Options {
  /** Without it the splash counts as seen, as in a tab that is already open. */
  readonly showsSplash: boolean;
}

/** What the browser logged as an error: policy violations, script errors, failed loads. */
interface Complaints {
  readonly all: readonly string[];
  /** Declares an error that the journey itself provokes, such as a request that it aborts. */
  expect(pattern: RegExp): void;
}

interface Fixtures {
  /** Every request of every page of the test's own context. */
  readonly requests: string[];
  readonly complaints: Complaints;
  readonly watch: void;
}

/** Every journey also proves that no request leaves our origin and that the browser logs no unexpected error. */
export const test = base.extend<Options & Fixtures>({
  showsSplash: [false, { option: true }],
  // oxlint-disable-next-line no-empty-pattern
  requests: async ({}, use) => use([]),
  complaints: [
    async ({ context }, use) => {
      const all: string[] = [];
      const expected: RegExp[] = [];
      context.on('weberror', (error) => all.push(String(error.error())));
      context.on('console', (message) => {
        // Chromium logs every error status. What it means is checked by the test.
        const isStatus = /the server responded with a status of (?:4\d\d|503)/u.test(message.text());
        if (message.type() === 'error' && !isStatus) all.push(message.text());
      });
      await use({ all, expect: (pattern) => expected.push(pattern) });
      expect(all.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
  watch: [
    async ({ context, requests, baseURL, showsSplash }, use) => {
      context.on('request', (request) => requests.push(request.url()));
      await prepareContext(context, showsSplash);
      await use();
      expect(requests.filter((url) => !url.startsWith(`${baseURL}/`) && !url.startsWith('blob:'))).toEqual(
        [],
      );
    },
    { auto: true },
  ],
});

/** Requests without a response yet, for each context. */
const inFlight = new WeakMap<BrowserContext, Set<unknown>>();

async function prepareContext(context: BrowserContext, showsSplash: boolean): Promise<void> {
  const open = new Set<unknown>();
  inFlight.set(context, open);
  context.on('request', (request) => open.add(request));
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
  await context.addInitScript((showsSplash) => {
    if (!location.protocol.startsWith('http')) return;
    if (!showsSplash) sessionStorage.setItem('unsaid.splash', 'seen');
    // A slow machine is not a lost connection.
    AbortSignal.timeout = () => new AbortController().signal;
    // A toast is gone after three seconds. The record lets a test look later.
    const toasts: string[] = [];
    Object.assign(window, { toasts });
    // Screen readers announce what changes in a live region, not one that comes with its words.
    const checkRegion = (region: Element) => {
      const words = document.createTreeWalker(region, NodeFilter.SHOW_TEXT);
      while (words.nextNode()) {
        const { textContent, parentElement } = words.currentNode;
        if (textContent?.trim() && parentElement?.checkVisibility({ visibilityProperty: true }))
          return console.error(`This live region came with its words: ${region.outerHTML}`);
      }
    };
    new MutationObserver((mutations) => {
      for (const { target, addedNodes } of mutations) {
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          if (node.matches('[role=status]')) checkRegion(node);
          for (const region of node.querySelectorAll('[role=status]')) checkRegion(region);
        }
        const isLive = target instanceof Element && target.closest('[role=status]') !== null;
        if (isLive) for (const node of addedNodes) toasts.push(node.textContent ?? '');
      }
    }).observe(document, { childList: true, subtree: true });
  }, showsSplash);
}

/** The toast was shown since the page was loaded. */
export async function expectToast(page: Page, text: string): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { toasts: string[] }).toasts))
    .toContainEqual(expect.stringContaining(text));
}

/**
 * Sends the requests of a path after the page has painted what it shows without them, in this page and the next ones.
 * Not by a route: it would ask a page that is going whether it has painted.
 */
export async function askAfterPaint(page: Page, path: string): Promise<void> {
  const delay = (delayed: string) => {
    const { fetch } = window;
    window.fetch = async (asked, options) => {
      const url = asked instanceof Request ? asked.url : String(asked);
      if (url.includes(delayed)) {
        await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
      }
      return fetch(asked, options);
    };
  };
  await page.addInitScript(delay, path);
  await page.evaluate(delay, path);
}

/** As behind a proxy that answers every handshake of a WebSocket by itself. */
export async function blockSockets(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const Real = window.WebSocket;
    window.WebSocket = class extends Real {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(String(url).replace('/api/live', '/api/no-such-call'), protocols);
      }
    };
  });
}

/** Nothing more comes by itself: no request is open, nothing is loading or moving, letters and pictures are there. */
export async function settle(page: Page): Promise<void> {
  const open = inFlight.get(page.context());
  await expect(async () => {
    expect(open?.size).toBe(0);
    await page.evaluate(async () => {
      const nextFrame = () => new Promise(requestAnimationFrame);
      await document.fonts.ready;
      await Promise.all([...document.images].map((image) => image.decode()));
      // The end of one transition can begin another: a colour is inherited by a child with a transition of its own.
      for (;;) {
        await nextFrame();
        await nextFrame();
        const moving = document
          .getAnimations()
          .filter(({ playState }) => playState === 'running')
          .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
        if (moving.length === 0) break;
        await Promise.all(moving.map(({ finished }) => finished));
      }
    });
    expect(open?.size).toBe(0);
    // The skeletons, in any language.
    await expect(page.locator('[role=status] > .visually-hidden')).toHaveCount(0);
    // The bar at the bottom comes back a moment after the last field has lost focus.
    await expect(page.locator('body:not(:has(:is(input, textarea):focus)) [data-away]')).toHaveCount(0);
  }).toPass({ intervals: [20, 50, 100] });
}

const pick = (letters: string, length: number) =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

// Without vowels no name happens to be a word, such as a reserved one.
const consonants = 'bcdfghjkmnpqrstvwxz';

let phones = 0;

/** A mobile number that no other journey of the run has. */
export function newPhone(): string {
  phones += 1;
  const { workerIndex } = test.info();
  // The two digits of the worker and the three of the count make it unique, the rest makes it hard to guess.
  return `+9197${String(workerIndex % 100).padStart(2, '0')}${String(phones).padStart(3, '0')}${pick('0123456789', 3)}`;
}

export const newUsername = () => `calm_${pick(consonants, 12)}`;

/** A title or a search word that stands nowhere else. */
export const newWord = (about: string) => `${about}${pick(consonants, 10)}`;

/** The newest code that a number was sent, after at least `sent` messages. */
export async function codeFor(phone: string, sent = 1): Promise<string> {
  let codes: string[] = [];
  await expect
    .poll(async () => (codes = await codesSentTo(phone)).length, { intervals: [10, 20, 50, 100] })
    .toBeGreaterThanOrEqual(sent);
  return codes.at(-1) ?? '';
}

export const wrongCode = (code: string) => (code === '111111' ? '222222' : '111111');

export async function enterPhone(page: Page, phone: string): Promise<void> {
  await page.getByLabel('Phone number').fill(phone.slice(3));
  await page.getByRole('button', { name: 'Send OTP' }).click();
}

/** The first of the six boxes; typing goes on from there. */
export function codeBoxes(at: Page | Locator): Locator {
  return at.locator('input[autocomplete="one-time-code"]').first();
}

export async function typeCode(page: Page, code: string): Promise<void> {
  await codeBoxes(page).click();
  await page.keyboard.type(code);
}

/** After a wrong code: the boxes are emptied and have the focus. */
export async function typeCodeAgain(page: Page, code: string): Promise<void> {
  await expect(codeBoxes(page)).toHaveValue('');
  await expect(codeBoxes(page)).toBeFocused();
  await expect(codeBoxes(page)).toBeEditable();
  await page.keyboard.type(code);
}

/**
 * Stops the page's clock: from here on its timers fire only with `clock.runFor`. Needs `clock.install` before the page
 * is loaded.
 */
export async function pauseClock(page: Page): Promise<void> {
  const now = await page.evaluate(() => Date.now());
  // A time to come, since the clock goes on while this call is on its way.
  await page.clock.pauseAt(now + 3_600_000);
}

/** Presses Accept or Reject, and lets the time for an undo pass. */
export async function answerMatch(button: Locator): Promise<void> {
  const { clock } = button.page();
  await clock.install();
  await button.click();
  await clock.runFor(4000);
}

/** Through the screens. Journeys that are not about signing in use `signUp` of api.ts. */
export async function signUpOnScreen(page: Page, phone = newPhone()): Promise<string> {
  await page.goto('/signup');
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone));
  await page.getByRole('button', { name: 'Skip' }).click();
  await expect(page).toHaveURL('/');
  return phone;
}

/** On /login, after the right code of a number without an account. */
export const agreeToJoin = (page: Page) => page.getByRole('button', { name: 'Create account' }).click();

export async function signInOnScreen(page: Page, phone: string, sent = 2): Promise<void> {
  await enterPhone(page, phone);
  await typeCode(page, await codeFor(phone, sent));
}

/** Another person, in a browser context of their own. */
export async function newPerson(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  await prepareContext(context, false);
  return context.newPage();
}

/** The form on the feed is one row on a phone, until it is opened. */
export async function openComposer(
  page: Page,
  name: string | RegExp = /^(?:What's on your mind|Finish your draft)/u,
): Promise<void> {
  await page.getByRole('button', { name }).click();
  await expect(page.getByRole('main').getByRole('button', { expanded: true })).toBeVisible();
}

/** In the composer. They stay open for the rest of a visit. */
export async function openMoreChoices(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More choices' });
  await expect(more).toBeVisible();
  if ((await more.getAttribute('aria-expanded')) === 'false') await more.click();
}

/** The six toggle buttons. */
export function feelingsPicker(at: Page | Locator): Locator {
  return at.getByRole('group', { name: 'How have you been feeling lately?' });
}

export async function enterCodeInDialog(dialog: Locator, phone: string, sent: number): Promise<string> {
  await dialog.getByLabel('Phone number').fill(phone.slice(3));
  await dialog.getByRole('button', { name: 'Send OTP' }).click();
  await expect(codeBoxes(dialog)).toBeVisible();
  const code = await codeFor(phone, sent);
  await codeBoxes(dialog).click();
  await dialog.page().keyboard.type(code);
  return code;
}

/** The groups of the recovery code that a dialog shows. */
export async function readRecoveryCode(dialog: Locator): Promise<string[]> {
  const shown = dialog.getByRole('list', { name: 'Recovery code' }).getByRole('listitem');
  await expect(shown).toHaveCount(7);
  return shown.allTextContents();
}

/** Types back the group that the dialog asks for, which makes the code valid. */
export async function typeBackGroup(dialog: Locator, groups: readonly string[]): Promise<void> {
  await dialog.getByRole('button', { name: "I've written it down" }).click();
  const field = dialog.getByRole('textbox', { name: /^Group \d$/u });
  await expect(field).toBeFocused();
  const place = Number(/\d/u.exec((await dialog.locator('label').textContent()) ?? '')?.[0]);
  await field.fill((groups[place - 1] ?? '').toLowerCase());
  await dialog.getByRole('button', { name: 'Save my code' }).click();
  await expect(dialog).toBeHidden();
}

/** Exports the data on the settings page; returns the downloaded file as text. */
export async function exportData(page: Page, phone: string): Promise<{ text: string; code: string }> {
  await page.getByRole('button', { name: 'Export my data' }).click();
  const [download, code] = await Promise.all([
    page.waitForEvent('download'),
    enterCodeInDialog(page.getByRole('dialog'), phone, 2),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.json$/u);
  const stream = await download.createReadStream();
  return { text: Buffer.concat(await stream.toArray()).toString('utf8'), code };
}

/** What can be done about a vent of somebody else is behind one button. */
export async function openVentMenu(card: Locator): Promise<Locator> {
  await card.getByRole('button', { name: 'More about this vent' }).click();
  return card.page().getByRole('dialog', { name: 'This vent' });
}

/** Opens every group of the settings, which are the page. */
export async function openGroups(page: Page): Promise<void> {
  const groups = page.locator('main section > details:not([open]) > summary');
  await expect(groups).toHaveCount(4);
  while ((await groups.count()) > 0) await groups.first().click();
}

export async function openSettings(page: Page): Promise<void> {
  await page.goto('/settings');
  await openGroups(page);
}

export async function openAccountMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
}

export async function logOut(page: Page): Promise<void> {
  await openAccountMenu(page);
  await page.getByRole('banner').getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL('/login');
}

/** Presses Tab until the element has the focus. */
export async function tabTo(target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  const page = target.page();
  for (let presses = 0; presses < 120; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the Tab key never reaches ${String(target)}`);
}
