import { mkdirSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { reports } from '../test-env.ts';
import { postVent, signUp } from './api.ts';
import { doubleText } from './a11y.ts';
import { expect, newWord, settle, test } from './fixtures.ts';
import { walks } from './screens.ts';
import { fullTier } from './tiers.ts';
import { createTranslate, type Locale } from './translate.ts';

/**
 * While somebody types, nothing of ours lies on the line being typed, on the crisis card or on its buttons. Boxes are
 * measured, not classes: what is the topmost element at the points of a line or a button?
 */

const sizes = [
  { width: 360, height: 640 },
  // With the keyboard of a phone open (`interactive-widget=resizes-content`).
  { width: 360, height: 340 },
  { width: 390, height: 844 },
] as const;

const urgent = 'ab jeene ka mann nahi karta, sab khatam kar dena chahti hoon';

const textFields = 'textarea, input:is(:not([type]), [type=text], [type=search], [type=tel], [type=time])';

interface Measured {
  readonly top: number;
  readonly bottom: number;
  /** What lies on it, or `below the screen`. Empty: it can be read and pressed. */
  readonly coveredBy: string;
}

/** The first line of something that may be longer than the screen. */
async function measureTop(element: Locator): Promise<Measured> {
  const { top, bottom, coveredBy } = await measure(element, false);
  const height = element.page().viewportSize()?.height ?? 0;
  return bottom <= height
    ? { top, bottom, coveredBy }
    : { top, bottom, coveredBy: top < height - 30 ? '' : coveredBy };
}

/** The line being typed in a field (its last one, where the caret is), or the whole of another element. */
const measure = (element: Locator, isLine: boolean): Promise<Measured> =>
  element.evaluate((node: HTMLElement, isLine) => {
    const box = node.getBoundingClientRect();
    const { lineHeight, paddingBottom, paddingTop } = getComputedStyle(node);
    const line = Number.parseFloat(lineHeight) || 24;
    const [top, bottom] =
      isLine && node instanceof HTMLTextAreaElement && node.value !== ''
        ? [
            box.bottom - Number.parseFloat(paddingBottom) - line,
            box.bottom - Number.parseFloat(paddingBottom),
          ]
        : isLine
          ? [box.top + Number.parseFloat(paddingTop), box.bottom - Number.parseFloat(paddingBottom)]
          : [box.top + 2, box.bottom - 2];
    const covering = new Set<string>();
    const middle = (top + bottom) / 2;
    // A cross: the corners of a round button are not part of it.
    for (const [part, y] of [
      [0.5, top + 1],
      [0.1, middle],
      [0.5, middle],
      [0.9, middle],
      [0.5, bottom - 1],
    ] as const) {
      const there = document.elementFromPoint(box.left + box.width * part, y);
      if (there === null) covering.add('the edge of the screen');
      else if (!node.contains(there) && !there.contains(node))
        covering.add(there.id || there.getAttribute('aria-label') || there.textContent.slice(0, 20));
    }
    return { top: Math.round(top), bottom: Math.round(bottom), coveredBy: [...covering].join(', ') };
  }, isLine);

interface Row extends Measured {
  readonly screen: string;
  readonly what: string;
  readonly at: string;
}

const rows: Row[] = [];
const print = () => {
  mkdirSync(`${reports}/typing`, { recursive: true });
  const lines = rows.map(
    ({ screen, what, at, top, bottom, coveredBy }) =>
      `${screen} | ${what} | ${at} | ${top} to ${bottom} | ${coveredBy || 'nothing'}`,
  );
  const name = test.info().title.replaceAll(/\W+/gu, '-').slice(0, 60);
  writeFileSync(
    `${reports}/typing/${name}.txt`,
    `screen | what | at | y | covered by\n${lines.join('\n')}\n`,
  );
};

const settings = sizes.flatMap((size) => [
  { size, isDouble: false },
  { size, isDouble: true },
]);
const nameOf = ({ size: { width, height }, isDouble }: (typeof settings)[number]) =>
  `${width}x${height}${isDouble ? ', 200 %' : ''}`;

async function toSetting(page: Page, { size, isDouble }: (typeof settings)[number]): Promise<void> {
  await page.setViewportSize(size);
  await doubleText(page, isDouble);
  // The browser lays out in its next frame. A field that gets the focus before would be brought into view of the old size.
  await page.waitForFunction(({ height }) => window.innerHeight === height, size);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Every text field on the screen as it is, at every size; what was in them is put back. */
async function measureFields(page: Page, screen: string, at: typeof settings): Promise<void> {
  const before = page.viewportSize() ?? sizes[0];
  // What lies below a dialog cannot be typed in.
  const dialogs = page.locator(':is([role=dialog], [role=alertdialog]):visible');
  const fields = ((await dialogs.count()) > 0 ? dialogs.last() : page.locator('body'))
    .locator(textFields)
    .and(page.locator(':visible:enabled:not([aria-hidden=true])'));
  const count = await fields.count();
  for (let n = 0; n < count; n += 1) {
    const field = fields.nth(n);
    // One box of the six stands for all.
    if ((await field.getAttribute('autocomplete')) === 'one-time-code' && n > 0) continue;
    const what = await field.evaluate(
      (node: HTMLInputElement) => node.ariaLabel ?? node.labels?.[0]?.textContent ?? node.name,
    );
    const isArea = await field.evaluate((node) => node instanceof HTMLTextAreaElement);
    const value = isArea ? await field.inputValue() : '';
    for (const setting of at) {
      await toSetting(page, setting);
      // As a tap: a browser brings a field into view when it gets the focus.
      await field.blur();
      await field.focus();
      if (isArea) {
        await field.fill('');
        await page.keyboard.insertText('One more thing that I never said to anybody.\n'.repeat(6));
        await page.keyboard.type('and');
      }
      await settle(page);
      rows.push({ screen, what, at: nameOf(setting), ...(await measure(field, true)) });
    }
    if (isArea) await field.fill(value);
    await doubleText(page, false);
  }
  await page.setViewportSize(before);
}

/** The crisis card that words in this field bring, at every size: in view, and nothing lies on any of its buttons. */
async function measureCard(page: Page, screen: string, field: Locator, at: typeof settings): Promise<void> {
  for (const setting of at) {
    await toSetting(page, setting);
    await field.fill('');
    const card = page.locator('form [role=group]:has(a[href^="tel:"])');
    await expect(card).toHaveCount(0);
    await field.focus();
    await page.keyboard.insertText(`${'It was a long day.\n'.repeat(5)}${urgent}`);
    await expect(card).toBeVisible();
    await settle(page);
    const where = nameOf(setting);
    rows.push({ screen, what: 'the line, with the card', at: where, ...(await measure(field, true)) });
    const buttons = card.locator('a, button');
    // In view when the card comes. With text of double size a small phone has room for its words only.
    const first = setting.isDouble ? card.locator('p, a').first() : buttons.first();
    rows.push({ screen, what: 'the card', at: where, ...(await measureTop(first)) });
    for (let n = 0; n < (await buttons.count()); n += 1) {
      const button = buttons.nth(n);
      await button.evaluate((node) => node.scrollIntoView({ block: 'nearest' }));
      const what = (await button.textContent()) || (await button.getAttribute('aria-label')) || '';
      rows.push({ screen, what, at: where, ...(await measure(button, false)) });
    }
  }
  await field.fill('');
  await doubleText(page, false);
}

const expectNothingCovered = () => {
  print();
  expect(rows.filter(({ coveredBy }) => coveredBy !== '')).toEqual([]);
  expect(rows.length).toBeGreaterThan(8);
};

test.beforeEach(() => void (rows.length = 0));

test('while somebody types, nothing covers the line, the crisis card or its buttons', async ({ page }) => {
  await page.setViewportSize(sizes[0]);
  await signUp(page);
  await page.goto('/vent/create');
  await expect(page.getByLabel('Text', { exact: true })).toBeFocused();
  const small = settings.filter(({ size, isDouble }) => size.width === 360 && !isDouble);
  await measureFields(page, 'vent-create', small.slice(1));
  await measureCard(page, 'vent-create', page.getByLabel('Text', { exact: true }), small);
  expectNothingCovered();
  // The quick exit has a place in the header, wherever the page is scrolled to: it lies on no other control.
  await page.setViewportSize(sizes[1]);
  for (const y of [0, 60, 140]) {
    await page.evaluate((y) => window.scrollTo(0, y), y);
    const bottom = async (element: Locator) => {
      const box = await element.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    expect(await bottom(page.locator('#leave'))).toBeLessThanOrEqual(
      await bottom(page.getByRole('banner').first()),
    );
  }
});

for (const locale of ['en', 'hi'] satisfies Locale[]) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale: `${locale}-IN` });

    for (const [name, walk] of Object.entries(walks))
      test(
        `on all ${name}, nothing covers the line being typed, in ${locale}`,
        fullTier('The journey on the write page finds what every form has in common.'),
        async ({ page, browser }) => {
          for await (const screen of walk({ page, browser, t: createTranslate(locale) })) {
            await settle(page);
            await measureFields(page, screen, settings);
          }
          print();
          expect(rows.filter(({ coveredBy }) => coveredBy !== '')).toEqual([]);
        },
      );

    test(
      `nothing covers the crisis card where one writes, in ${locale}`,
      fullTier('The journey on the write page finds it.'),
      async ({ page }) => {
        const t = createTranslate(locale);
        await signUp(page);
        const vent = await postVent(page, { title: newWord('Low'), text: 'A long evening.\n'.repeat(30) });
        await page.goto('/vent/create');
        await measureCard(page, 'vent-create', page.locator('form textarea'), settings);
        await page.goto(`/vent/${vent._id}`);
        await measureCard(page, 'vent-detail', page.locator('form textarea'), settings);
        await page.goto('/myvents');
        await page.getByRole('button', { name: t('Comments, {0}', 0) }).click();
        await measureCard(page, 'comments', page.getByRole('dialog').locator('form textarea'), settings);
        expectNothingCovered();
      },
    );
  });
}
