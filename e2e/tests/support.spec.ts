import type { Page } from '@playwright/test';
import { expectAccessible } from './a11y.ts';
import { expect, settle, tabTo, test } from './fixtures.ts';
import { waitUntilCached } from './service-worker-cache.ts';
import { fullTier } from './tiers.ts';

/** Opens the page at a moment. Its timers go on; only the date stands still. */
async function openAt(page: Page, moment: string): Promise<void> {
  await page.clock.setFixedTime(new Date(moment));
  await page.goto('/support');
  await expect(page.getByRole('heading', { name: 'Support', level: 1 })).toBeVisible();
}

const line = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

const stored = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));

test.describe('in India', () => {
  test.use({ timezoneId: 'Asia/Kolkata' });

  test('Support begins with one free line to call, has 112 once, and says at its end that nobody has called them', async ({
    page,
  }) => {
    await openAt(page, '2026-11-16T06:30:00Z'); // Monday noon.
    const first = page.getByRole('region', { name: 'Tele-MANAS' });
    await expect(first).toContainText('Day and night · Free · 20 languages');
    await expect(first.getByRole('link', { name: 'Call 14416' })).toBeInViewport();
    await expect(page.getByRole('link', { name: 'Call 112' })).toBeInViewport();
    await expect(first).toContainText('If nobody picks up, try the next one.');
    await expect(first).not.toContainText("haven't called");
    // One quiet line, after everything that one can call.
    const source = page.getByText("The numbers come from public sources. We haven't called them yet.");
    await expect(source).toHaveCount(1);
    expect((await source.boundingBox())?.y).toBeGreaterThan(
      (await page.getByRole('heading', { name: 'Before you call' }).boundingBox())?.y ?? Infinity,
    );
    // The other countries are one tap away.
    const others = page.locator('details', { has: page.getByRole('heading', { name: 'Other countries' }) });
    await expect(others.getByText('Singapore', { exact: true })).toBeHidden();
    await others.getByRole('heading', { name: 'Other countries' }).click();
    await expect(others.locator('details')).toHaveCount(14);
    await expect(others.getByText('Singapore', { exact: true })).toBeVisible();
    await others.getByRole('heading', { name: 'Other countries' }).click();
    expect((await page.getByRole('main').innerText()).match(/\b112\b/gu)).toHaveLength(1);
    await expect(page.locator('a[href="tel:112"]')).toHaveCount(1);
    await expect(page.getByLabel('Your country')).toHaveValue('IN');
    // Every link leads to a phone or to a chat, and the last ones to our other pages.
    const hrefs = await page
      .getByRole('main')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const pages = page.getByRole('navigation', { name: 'More about Unsaid' }).getByRole('link');
    const numbers = hrefs.slice(0, hrefs.length - (await pages.count()));
    expect(numbers.length).toBeGreaterThan(5);
    for (const href of numbers) expect(href).toMatch(/^(?:tel:|sms:|whatsapp:)/u);
    await expectAccessible(page, 'support');
  });

  test(
    'a closed line says when it opens, and texts come first at night',
    fullTier('helplines.test.ts finds wrong hours; texts that come second at night are found a day later.'),
    async ({ page }) => {
      const contacts = () => line(page, 'Vandrevala Foundation').getByRole('link').allInnerTexts();
      const names = () => page.getByRole('main').getByRole('heading', { level: 3 }).allInnerTexts();
      for (const [moment, words] of [
        ['2026-11-16T05:30:00Z', 'Open now'], // Monday 11:00.
        ['2026-11-16T03:00:00Z', 'Opens at 10 am'], // Monday 8:30.
        ['2026-11-15T06:00:00Z', 'Opens tomorrow at 10 am'], // Sunday.
        ['2026-11-14T15:00:00Z', 'Opens on Monday at 10 am'], // Saturday evening.
      ] as const) {
        await openAt(page, moment);
        await expect(line(page, 'iCALL')).toContainText(words);
      }
      expect(await contacts()).toEqual(['Call 9999 666 555', 'WhatsApp 9999 666 555']);
      await openAt(page, '2026-11-16T16:30:00Z'); // Monday 22:00.
      expect(await contacts()).toEqual(['WhatsApp 9999 666 555', 'Call 9999 666 555']);
      expect((await names())[0]).toBe('Vandrevala Foundation');
      await expect(line(page, 'iCALL')).toContainText('Opens tomorrow at 10 am');
    },
  );
});

/** The files of the live connection load a second after any page. */
const isOfThePage = (url: string) => !/\/assets\/(?:live|inbox-cursor)/u.test(url);

test.describe('abroad', () => {
  test.use({ timezoneId: 'America/New_York' });

  test(
    'Support shows the country of the time zone, follows a choice, and neither stores nor sends it',
    fullTier('helplines.test.ts finds a wrong country; a choice that is stored is found at night.'),
    async ({ page, requests }) => {
      await openAt(page, '2026-11-16T17:00:00Z');
      const country = page.getByLabel('Your country');
      await expect(country).toHaveValue('US');
      await expect(page.getByRole('region', { name: '988 Lifeline' })).toContainText('English and Spanish');
      await expect(page.getByRole('link', { name: 'Call 911' })).toBeVisible();
      await expect(page.getByRole('link', { name: 'Text 988' })).toHaveAttribute('href', 'sms:988');
      // India is the first of the folded countries.
      const india = page.locator('details details').first();
      await expect(india.locator('summary')).toHaveText('India');
      await expect(india).toBeHidden();
      await page.getByRole('heading', { name: 'Other countries' }).click();
      await expect(page.getByRole('link', { name: 'Call 14416' })).toBeHidden();
      await india.locator('summary').click();
      await expect(page.getByRole('link', { name: 'Call 14416' })).toBeVisible();
      // 10:30 pm in India, told by the reader's clock.
      await expect(line(page, 'iCALL')).toContainText('Opens at 11:30 pm');

      await settle(page);
      const before = await stored(page);
      const sent = requests.length;
      await country.focus();
      await country.selectOption({ label: 'Singapore' });
      await expect(page.getByRole('region', { name: 'Samaritans of Singapore' })).toBeVisible();
      await expect(page.getByRole('link', { name: 'Call 995' })).toBeVisible();
      await expect(country).toBeFocused();
      expect(await stored(page)).toBe(before);
      expect(requests.slice(sent).filter(isOfThePage)).toEqual([]);

      // Remembered in the tab, forgotten with it.
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('link', { name: 'FAQ', exact: true }).last().click();
      await expect(page).toHaveURL('/faq');
      await expect(country).toBeHidden();
      await page.getByRole('banner').getByRole('link', { name: 'Support' }).click();
      await expect(country).toHaveValue('SG');
      await page.reload();
      await expect(country).toHaveValue('US');
    },
  );
});

test.describe('where we know no helpline', () => {
  test.use({ timezoneId: 'Asia/Qatar' });

  test(
    'Support asks for the country first, and begins with India',
    fullTier('helplines.test.ts finds a wrong default; a choice below the number is found at night.'),
    async ({ page }) => {
      await page.goto('/support');
      await expect(page.getByText("We can't tell where you are, so we begin with India.")).toBeVisible();
      const country = page.getByLabel('Your country');
      const call = page.getByRole('link', { name: 'Call 14416' });
      await expect(call).toBeInViewport();
      const [choice, number] = await Promise.all([country.boundingBox(), call.boundingBox()]);
      expect(choice?.y).toBeLessThan(number?.y ?? 0);
      await country.selectOption('AE');
      await expect(page.getByRole('region', { name: '800 HOPE' })).toBeVisible();
      await expect(country).toHaveCount(1);
      await expect(page.getByText('so we begin with India')).toBeHidden();
    },
  );
});

test(
  'two minutes of grounding go by keyboard, step by step, and leave nothing behind',
  fullTier(
    'The offline journey opens it and the walk over the public screens goes on and closes it; a trace it leaves is found at night.',
  ),
  async ({ page, requests }) => {
    await page.goto('/support');
    const start = page.getByRole('button', { name: 'Start two minutes' });
    await expect(start).toBeVisible();
    await settle(page);
    const before = await stored(page);
    const sent = requests.length;
    await tabTo(start);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Two minutes' });
    const step = dialog.locator('[aria-live=polite]');
    await expect(step).toContainText("Let's slow down for two minutes.");
    await expectAccessible(page, 'grounding');
    await tabTo(dialog.getByRole('button', { name: 'Start' }));
    for (const words of ['holding you up', 'Breathe in slowly', '5 things', '4 things', '3 things']) {
      await page.keyboard.press('Enter');
      await expect(step).toContainText(words);
    }
    await tabTo(dialog.getByRole('button', { name: 'Step back' }));
    await page.keyboard.press('Enter');
    await expect(step).toContainText('4 things');
    await tabTo(dialog.getByRole('button', { name: 'Next' }));
    for (const words of ['3 things', '2 things', '1 thing', 'two minutes for you']) {
      await page.keyboard.press('Enter');
      await expect(step).toContainText(words);
    }
    await expect(step).toContainText('Step 9 of 9');
    await expect(dialog.getByRole('link', { name: 'Call Tele-MANAS, 14416' })).toHaveAttribute(
      'href',
      'tel:14416',
    );
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(start).toBeFocused();

    // Back leaves it in the middle, and the page stays. The next time begins at the first step.
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.goBack();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL('/support');
    await start.click();
    await expect(step).toContainText('Step 1 of 9');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    expect(await stored(page)).toBe(before);
    expect(requests.slice(sent).filter(isOfThePage)).toEqual([]);
  },
);

test.describe('offline', () => {
  test.use({ serviceWorkers: 'allow' });

  test('Support and the grounding exercise open without a connection and without an account', async ({
    page,
    context,
    complaints,
  }) => {
    complaints.expect(/ERR_INTERNET_DISCONNECTED/u);
    await page.goto('/login');
    await waitUntilCached(page);
    await context.setOffline(true);
    await page.goto('/support');
    await expect(page.getByRole('link', { name: 'Call 14416' })).toBeVisible();
    await page.getByRole('button', { name: 'Start two minutes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
    await expect(page.getByRole('dialog')).toContainText("Feel what's holding you up.");
  });
});
