import type { Locator, Page, Request } from '@playwright/test';
import { postComment, postVent, signUp } from './api.ts';
import { doubleText, expectAccessible, expectToFit } from './a11y.ts';
import {
  expect,
  expectToast,
  newPerson,
  newWord,
  openComposer,
  pauseClock,
  settle,
  test,
} from './fixtures.ts';
import { waitUntilCached } from './service-worker-cache.ts';
import { fullTier } from './tiers.ts';

const urgent = 'I want to die tonight. I have the tablets in front of me.';
const active = 'I want to die.';

// In the language of the text.
const cardOf = (at: Page | Locator) =>
  at.getByRole('group', { name: /^(?:Someone to talk to|किसी से बात करें|Kisi se baat kar lein)$/u });
const adviceOf = (at: Page | Locator) => at.getByRole('group', { name: 'What you can do' });
const textOf = (page: Page) => page.getByLabel('Text', { exact: true });
const post = (page: Page) => page.getByRole('button', { name: 'Post vent' });

async function openForm(page: Page): Promise<void> {
  await page.goto('/vent/create');
  await textOf(page).focus();
}

async function write(page: Page, text: string, title = newWord('night')): Promise<string> {
  await textOf(page).fill(text);
  await page.getByLabel('Title', { exact: true }).fill(title);
  await page.getByText('Sad', { exact: true }).first().click();
  return title;
}

/** What the page sends beside its own files and its live connection, which follows a beat of its own. */
function watchCalls(page: Page): Request[] {
  const calls: Request[] = [];
  page.on('request', (request) => {
    if (/\/api\/(?!live\/)/u.test(request.url())) calls.push(request);
  });
  return calls;
}

const toasts = (page: Page) => page.evaluate(() => (window as unknown as { toasts: string[] }).toasts);

for (const [language, text] of [
  ['English', urgent],
  ['Hinglish', 'aaj raat marna chahta hoon, goliyan saamne rakhi hain'],
  ['Hindi', 'आज रात मर जाना चाहती हूं, गोलियां सामने रखी हैं'],
] as const) {
  const tier =
    language === 'English'
      ? {}
      : fullTier('The guard’s own tests find words that are missed, in each language.');
  test(
    `words of immediate danger in ${language} are answered with 112 while writing, after posting and on the own vent, for their author alone`,
    tier,
    async ({ page, browser }) => {
      await signUp(page);
      await openForm(page);
      await textOf(page).pressSequentially(text, { delay: 5 });
      const card = cardOf(page);
      await expect(card.getByRole('link').first()).toHaveAttribute('href', 'tel:112');
      await expect(card.getByRole('status')).toContainText('112');
      await expect(card.getByRole('link', { name: /14416/u })).toHaveAttribute('href', 'tel:14416');
      await expectAccessible(page, 'the card at level 3');
      // Neither focus nor keys are taken from the writer.
      await expect(textOf(page)).toBeFocused();
      await page.keyboard.type(' ok');
      await expect(textOf(page)).toHaveValue(`${text} ok`);

      const title = await write(page, text);
      await post(page).click();
      await expect(page).toHaveURL('/vents');
      await expect(page.getByText("We're glad you said it.")).toBeVisible();
      await expect(card.getByRole('link').first()).toHaveAttribute('href', 'tel:112');
      await expect(page.getByRole('button', { name: 'Write another' })).toBeHidden();
      expect((await toasts(page)).filter((toast) => toast.includes('successfully'))).toEqual([]);

      const own = page.getByRole('article').filter({ hasText: title });
      await own.getByRole('link', { name: title }).click();
      await expect(card.getByRole('link').first()).toHaveAttribute('href', 'tel:112');
      await page.goto('/myvents');
      await expect(card).toHaveCount(1);

      const reader = await newPerson(browser);
      await signUp(reader);
      await reader.goto('/vents');
      const folded = reader.getByRole('article').filter({ hasText: 'Heavy.' }).first();
      await folded.getByRole('button', { name: 'Read' }).click();
      await reader.getByRole('article').filter({ hasText: title }).getByRole('link', { name: title }).click();
      await expect(reader.getByRole('heading', { level: 1, name: title })).toBeVisible();
      await settle(reader);
      await expect(reader.getByRole('link', { name: /^Call/u })).toHaveCount(0);
      await expect(cardOf(reader)).toHaveCount(0);
    },
  );
}

test(
  'the card comes after the field and before the rest, is announced once, and can be left by Escape',
  fullTier('crisis-card.test.tsx finds a wrong order, a second announcement and an Escape that is lost.'),
  async ({ page }) => {
    await page.clock.install();
    await signUp(page);
    await openForm(page);
    const card = cardOf(page);
    // The toasts' observer records every change in a live region.
    const announced = async () => (await toasts(page)).filter((words) => words.includes('112')).length;
    await textOf(page).fill(urgent);
    await expect(card).toBeVisible();
    expect(await announced()).toBe(1);
    await textOf(page).pressSequentially(' It is late. Nobody is here.', { delay: 5 });
    await page.clock.runFor(800);
    expect(await announced()).toBe(1);

    const focused: string[] = [];
    for (let presses = 0; presses < 5; presses += 1) {
      await page.keyboard.press('Tab');
      focused.push(
        await page.evaluate(() => {
          const element = document.activeElement as HTMLInputElement;
          return element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent;
        }),
      );
    }
    expect(focused).toEqual(['Call 112', 'Call 14416', 'Take two minutes', 'Hide this', 'Title']);
    await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - textbox "Text"
    - group "Someone to talk to":
      - link "Call 112"
      - status: If you've hurt yourself or might now, call 112. If you can, move away from anything you could use.
      - paragraph: /You can also talk to someone\\..*is free, day and night\\./
      - link "Call 14416"
      - button "Take two minutes"
      - button "Hide this"
    - textbox "Title"
  `);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Escape');
    await expect(card).toHaveCount(0);
    await expect(textOf(page)).toBeFocused();
    await expect(page.locator('html')).not.toHaveAttribute('data-left');
  },
);

test(
  'a dismissed card stays away from this text, also once it is posted, and a reload forgets the dismissal',
  fullTier('crisis-card.test.tsx finds a card that comes back; only a reload is left for the night.'),
  async ({ page }) => {
    await page.clock.install();
    await signUp(page);
    await openForm(page);
    const card = cardOf(page);
    await textOf(page).fill(urgent);
    await card.getByRole('button', { name: 'Hide this' }).click();
    await expect(card).toHaveCount(0);
    await textOf(page).pressSequentially(' I am so tired.', { delay: 5 });
    await page.clock.runFor(800);
    await expect(card).toHaveCount(0);
    // Away and back in the same visit.
    await page.getByRole('link', { name: 'Unsaid' }).first().click();
    await page.goBack();
    await textOf(page).focus();
    await page.clock.runFor(800);
    await expect(card).toHaveCount(0);
    await page.reload();
    await textOf(page).focus();
    await expect(card).toBeVisible();

    await card.getByRole('button', { name: 'Hide this' }).click();
    await write(page, urgent);
    await post(page).click();
    await expect(page.getByRole('button', { name: 'Write another' })).toBeVisible();
    await expect(card).toHaveCount(0);
  },
);

test(
  'after posting, hiding the card brings back what to do next',
  fullTier('crisis-card.test.tsx hides the card; what comes after it is found at night.'),
  async ({ page }) => {
    await signUp(page);
    await openForm(page);
    await write(page, active);
    await expect(cardOf(page)).toBeVisible();
    await post(page).click();
    await expect(page.getByText("We're glad you said it.")).toBeVisible();
    await cardOf(page).getByRole('button', { name: 'Hide this' }).click();
    await expect(page.getByRole('button', { name: 'Write another' })).toBeVisible();
  },
);

test(
  'Back passes the card by, and closes only the two minutes opened from it, with every word still there',
  fullTier(
    'The dialogs of the profile (dialogs.spec.ts) close by Back in the same way; a press too many at the card is found at night.',
  ),
  async ({ page }) => {
    await signUp(page);
    await page.goto('/faq');
    await openForm(page);
    await textOf(page).fill(urgent);
    await cardOf(page).getByRole('button', { name: 'Take two minutes' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    await settle(page);
    await page.goBack();
    await expect(dialog).toBeHidden();
    await expect(textOf(page)).toHaveValue(urgent);
    await expect(cardOf(page)).toBeVisible();
    // Escape in the dialog closes the dialog, not the card beneath it.
    await cardOf(page).getByRole('button', { name: 'Take two minutes' }).click();
    await expect(dialog).toBeVisible();
    await settle(page);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(cardOf(page)).toBeVisible();
    await page.reload();
    await textOf(page).focus();
    await expect(cardOf(page)).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL('/faq');
  },
);

test('a late guard delays nothing: Post works, and the card comes with the guard', async ({ page }) => {
  await signUp(page);
  const arrival = Promise.withResolvers<void>();
  await page.route('**/assets/crisis-card-*.js', async (route) => {
    await arrival.promise;
    await route.continue();
  });
  await openForm(page);
  await write(page, urgent);
  await post(page).click();
  await expect(page).toHaveURL('/vents');
  await expect(page.getByText("It's out. Only you know it's yours.")).toBeVisible();
  await expect(cardOf(page)).toHaveCount(0);
  arrival.resolve();
  await expect(cardOf(page)).toBeVisible();
});

test(
  'a guard that cannot be loaded changes nothing',
  fullTier('The late guard finds a Post that waits.'),
  async ({ page, complaints }) => {
    complaints.expect(/ERR_FAILED/u);
    await signUp(page);
    await page.route('**/assets/crisis-card-*.js', (route) => route.abort());
    await openForm(page);
    await write(page, urgent);
    await post(page).click();
    await expectToast(page, 'Vent created successfully!');
    await expect(page.getByRole('button', { name: 'Write another' })).toBeVisible();
  },
);

test.describe('offline', () => {
  test.use({ serviceWorkers: 'allow' });

  test('the card and the two minutes work offline, in a tab that never showed them', async ({
    page,
    context,
    complaints,
  }) => {
    complaints.expect(/ERR_INTERNET_DISCONNECTED/u);
    await signUp(page);
    await page.goto('/faq');
    await waitUntilCached(page);
    await context.setOffline(true);
    await openForm(page);
    await write(page, urgent);
    await expect(cardOf(page).getByRole('link', { name: 'Call 112' })).toBeVisible();
    await cardOf(page).getByRole('button', { name: 'Take two minutes' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await settle(page);
    await page.keyboard.press('Escape');
    await post(page).click();
    await expect(page.getByText(/your words are safe here/u)).toBeVisible();
    await expect(cardOf(page)).toBeVisible();
  });
});

const topOf = async (button: Locator) => (await button.boundingBox())?.y ?? 0;

/** Writes, and lets the writer's pause pass. Returns where the button was before the card came. */
async function writeAndPause(box: Locator, text: string, button: Locator): Promise<number> {
  // As typed, but without the scroll to the field that a key press may cause.
  await box.evaluate((element: HTMLTextAreaElement, text) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(element, text);
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);
  const before = await topOf(button);
  await box.page().clock.runFor(600);
  return before;
}

for (const { width, height } of [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]) {
  test(
    `the card comes into sight whole, wherever the form is scrolled, at ${width} by ${height}`,
    fullTier('typing.spec.ts finds a card that is covered on a small phone.'),
    async ({ page }) => {
      await page.clock.install();
      await page.setViewportSize({ width, height });
      await signUp(page);
      const vent = await postVent(page, { title: newWord('still'), text: 'A long evening.\n'.repeat(40) });
      for (const [path, field, name] of [
        ['/vents', 'Text', 'Post vent'],
        [`/vent/${vent._id}`, 'Your comment', 'Comment'],
      ] as const) {
        await page.goto(path);
        if (path === '/vents' && width < 900) await openComposer(page);
        const box = page.getByLabel(field, { exact: true });
        const button = page.getByRole('button', { name, exact: true });
        await box.focus();
        await button.evaluate((element) => element.closest('form')?.scrollIntoView({ block: 'end' }));
        await settle(page);
        await pauseClock(page);
        for (const text of [active, urgent]) {
          await writeAndPause(box, text, button);
          await expect(cardOf(page)).toContainText(text === urgent ? 'call 112' : 'That sounds heavy');
          await expect(cardOf(page), `${path}: ${text}`).toBeInViewport({ ratio: 1 });
        }
        await writeAndPause(box, 'x', button);
        await expect(cardOf(page)).toHaveCount(0);
        await page.clock.resume();
      }
    },
  );
}

test.describe('by touch, on a page too short to scroll', () => {
  test.use({ viewport: { width: 800, height: 1600 }, hasTouch: true });

  test(
    'a tap that was on its way to the button still presses it, and a later one presses what is there',
    fullTier('A tap at the old place of the button presses something else, for a day.'),
    async ({ page }) => {
      await page.clock.install();
      await signUp(page);
      await openForm(page);
      await settle(page);
      await pauseClock(page);
      const before = await writeAndPause(textOf(page), urgent, post(page));
      await expect(cardOf(page)).toBeVisible();
      const { x, y, width, height } = (await post(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      expect(y).toBeGreaterThan(before + 100);
      const tapOldPlace = () => page.touchscreen.tap(x + width / 2, before + height / 2);
      await tapOldPlace();
      // It was pressed: the form asks for what is missing.
      await expect(page.getByRole('alert')).toContainText('Please fill in all required fields.');
      const emotions = page.getByRole('group', { name: 'Emotion' });
      await expect(emotions.getByRole('radio', { checked: true })).toHaveCount(0);
      await page.clock.runFor(500);
      await page.evaluate(() => {
        const pressed: string[] = [];
        Object.assign(window, { pressed });
        addEventListener('click', ({ target }) => pressed.push((target as HTMLElement).outerHTML));
      });
      await tapOldPlace();
      const pressed = () => page.evaluate(() => (window as unknown as { pressed: string[] }).pressed);
      await expect.poll(async () => (await pressed()).length).toBeGreaterThan(0);
      expect((await pressed()).filter((html) => html.includes('type="submit"'))).toEqual([]);
    },
  );
});

test('a search for such words has the card above its results, on both pages', async ({ page }) => {
  await signUp(page);
  await page.goto('/vent/search');
  const search = async (words: string) => {
    await page.getByRole('searchbox').fill(words);
    await page.keyboard.press('Enter');
  };
  await search('exams');
  await settle(page);
  await expect(cardOf(page)).toHaveCount(0);
  await search('want to die');
  await expect(cardOf(page)).toContainText('If things are heavy right now, you can talk to someone.');
  await search('painless way to die');
  await expect(cardOf(page).getByRole('link').first()).toHaveAttribute('href', 'tel:112');
  await expectAccessible(page, 'the card of a search');
  // It belongs to the search: Back shows that of the one before.
  await page.goBack();
  await expect(cardOf(page).getByRole('link')).toHaveText(['Call 14416']);
  await page.goto('/vents');
  await search('आत्महत्या');
  await expect(cardOf(page).getByRole('link', { name: /14416/u })).toBeVisible();
});

test(
  'who answers such a vent is told what they can do, in the page and in the dialog',
  fullTier('crisis-card.test.tsx finds missing advice.'),
  async ({ page, browser }) => {
    const author = await newPerson(browser);
    await signUp(author);
    const vent = await postVent(author, { title: newWord('lost'), text: active });
    await page.clock.install();
    await signUp(page);
    await page.goto(`/vent/${vent._id}`);
    const comment = page.getByLabel('Your comment');
    await comment.focus();
    await page.clock.runFor(800);
    // Nothing before the first word: reading alone changes nothing.
    await expect(adviceOf(page)).toHaveCount(0);
    await comment.fill('I read this.');
    await expect(adviceOf(page)).toContainText("You don't need perfect words.");
    await expectAccessible(page, 'advice to a reader');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await expect(page.getByText('I read this.')).toBeVisible();

    await page.goto('/vents');
    await page
      .getByRole('article')
      .filter({ hasText: vent.title })
      .getByRole('button', { name: /^Comments/u })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your comment').fill('Are you okay?');
    await expect(adviceOf(dialog)).toBeVisible();
    await settle(page);
    // Escape in the card leaves the dialog open.
    await adviceOf(dialog).getByRole('button', { name: 'Hide this' }).focus();
    await page.keyboard.press('Escape');
    await expect(adviceOf(dialog)).toHaveCount(0);
    await expect(dialog.getByLabel('Your comment')).toBeFocused();
    // A comment about oneself gets the writer's own card.
    await dialog.getByLabel('Your comment').fill(urgent);
    await expect(cardOf(dialog).getByRole('link').first()).toHaveAttribute('href', 'tel:112');
  },
);

test('a comment that tells somebody to die is refused without a request, and by the server if the guard is missing', async ({
  page,
  browser,
  complaints,
}) => {
  complaints.expect(/ERR_FAILED/u);
  const author = await newPerson(browser);
  await signUp(author);
  const vent = await postVent(author, { title: newWord('kind') });
  await signUp(page);
  await page.goto(`/vent/${vent._id}`);
  await settle(page);
  const calls = watchCalls(page);
  const comment = page.getByLabel('Your comment');
  const send = page.getByRole('button', { name: 'Comment', exact: true });
  await comment.fill('Go kill yourself.');
  await send.click();
  await expect(page.getByRole('alert')).toContainText('This tells someone to hurt themselves');
  await expect(comment).toHaveValue('Go kill yourself.');
  await send.click();
  expect(calls.filter((call) => call.method() !== 'GET')).toEqual([]);

  await page.route('**/assets/crisis-card-*.js', (route) => route.abort());
  await page.reload();
  await comment.fill('Go kill yourself.');
  const refused = page.waitForResponse((response) => response.status() === 422);
  await send.click();
  expect(((await (await refused).json()) as { code: string }).code).toBe('ENCOURAGES_SELF_HARM');
  await expect(page.getByRole('alert')).toContainText('This tells someone to hurt themselves');
  await expect(comment).toHaveValue('Go kill yourself.');
  await comment.fill('I hope it gets better.');
  await send.click();
  await expect(page.getByText('I hope it gets better.')).toBeVisible();
});

test(
  'the card fits at 320 px, and with text of double size, in both languages',
  fullTier('A card that is too wide on the smallest phones is found at night.'),
  async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 700 });
    await signUp(page);
    const mine = await postVent(page, { title: newWord('small'), text: urgent });
    await postComment(page, mine._id, 'Still here.');
    for (const locale of ['en', 'hi']) {
      await page.goto('/vents');
      await page.evaluate((locale) => localStorage.setItem('unsaid.locale', locale), locale);
      for (const isDouble of [false, true]) {
        // Other parts of a vent's page are too wide for this screen with text of double size.
        for (const path of isDouble ? ['/vent/create'] : ['/vent/create', `/vent/${mine._id}`]) {
          await page.goto(path);
          if (isDouble) await doubleText(page);
          const box = page.getByRole('textbox').first();
          await box.fill(urgent);
          const called = page.locator('form a[href="tel:112"]');
          await expect(called).toBeVisible();
          await settle(page);
          await expectToFit(page, `${path}, ${locale}${isDouble ? ', double' : ''}`);
          // Post can still be reached.
          const button = page.locator('form [type=submit]').last();
          await button.scrollIntoViewIfNeeded();
          await expect(button).toBeInViewport();
          await box.fill('');
        }
      }
    }
  },
);
