import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Once the letters are there and what moves has moved. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(120);
}

export async function expectAccessible(page: Page, name: string): Promise<void> {
  // As tall as the page, so that no button happens to lie half beneath the bar at the bottom, where its size is misjudged.
  const { width, height } = page.viewportSize() ?? { width: 390, height: 844 };
  const tall = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(2400, tall + 200) });
  const { violations } = await new AxeBuilder({ page })
    .disableRules(['region']) // An open menu lives at the end of the body, outside every landmark.
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  await page.setViewportSize({ width, height });
  expect(
    violations.map(
      ({ id, nodes }) => `${name} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    ),
  ).toEqual([]);
}

/** Neither the page nor the words of a button, a link or a heading are wider than the room they have. */
export async function expectToFit(page: Page, name: string): Promise<void> {
  const tooWide = await page.evaluate(() => [
    ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page'] : []),
    ...[...document.querySelectorAll<HTMLElement>('button:not([aria-label]), a, h1, h2, h3, label, legend')]
      .filter((element) => element.checkVisibility() && element.clientWidth > 1)
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.innerText),
  ]);
  expect(tooWide, `${name}: does not fit`).toEqual([]);
}

/** Text alone at twice its size, as a browser's own setting makes it; our sizes are in px, so the root's would not do. */
export async function doubleText(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = [...document.querySelectorAll<HTMLElement>('body, body *')];
    const sizes = texts.map((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    for (const [at, element] of texts.entries()) element.style.fontSize = `${2 * (sizes[at] ?? 16)}px`;
  });
}
