import { expect, type Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';
import { settle } from './fixtures.ts';

async function expectNoViolations(page: Page, name: string, options: RunOptions): Promise<void> {
  const isLoaded = await page.evaluate(() => 'axe' in window);
  if (!isLoaded) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (options) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const results = await axe.run({ ...options, resultTypes: ['violations'] });
    return results.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
  }, options);
  expect(violations, name).toEqual([]);
}

/** Runs axe on the page as it is. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await withWholePageInSight(page, () =>
    expectNoViolations(page, name, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      rules: { region: { enabled: false } }, // An open menu lives at the end of the body, outside every landmark.
    }),
  );
}

/** The schemes differ in colours alone, and `check:contrast` proves the tokens: what is left is a colour out of place. */
export async function expectColoursInDark(page: Page, name: string): Promise<void> {
  await setScheme(page, 'dark');
  await withWholePageInSight(page, () =>
    expectNoViolations(page, `${name}, dark`, { runOnly: ['color-contrast', 'link-in-text-block'] }),
  );
  await setScheme(page, 'light');
}

export async function expectTargetSizes(page: Page, name: string): Promise<void> {
  await withWholePageInSight(page, () => expectNoViolations(page, name, { runOnly: ['target-size'] }));
}

async function setScheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  // The app marks its scheme. The moderation console follows the system without a script.
  const isMarked = await page.locator('html[data-scheme]').count();
  if (isMarked > 0) await expect(page.locator('html')).toHaveAttribute('data-scheme', scheme);
  // Colours change in a transition, however short.
  await settle(page);
}

/** axe misjudges the size of a button that lies half beneath the bar at the bottom. */
async function withWholePageInSight(page: Page, check: () => Promise<void>): Promise<void> {
  const size = page.viewportSize() ?? { width: 390, height: 844 };
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...size, height: Math.max(2400, height + 200) });
  await check();
  await page.setViewportSize(size);
}

/** Neither the page nor the text of a button, a link or a heading is wider than its box. */
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

/** Doubles the text alone, as a browser's own setting does. Sizes of type are in rem. */
export async function doubleText(page: Page, isDouble = true): Promise<void> {
  await page.evaluate((size) => (document.documentElement.style.fontSize = size), isDouble ? '200%' : '');
}
