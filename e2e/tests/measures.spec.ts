import type { Locator, Page } from '@playwright/test';
import { acceptSuggestion, postComment, postVent, signUp, signUpAlike } from './api.ts';
import { expect, newPerson, newWord, settle, test } from './fixtures.ts';
import { seedVents } from './seed.ts';
import { fullTier } from './tiers.ts';

/** Prints how far a person is from what they came for, on two sizes of phone. The bounds are those of the product. */

const sizes = [
  { width: 390, height: 844 },
  { width: 360, height: 640 },
] as const;

const name = ({ width, height }: (typeof sizes)[number]) => `${width}x${height}`;

async function top(at: Locator): Promise<number> {
  const box = await at.boundingBox();
  if (!box) throw new Error(`${String(at)} is not visible`);
  return Math.round(box.y);
}

for (const size of sizes) {
  const tier = size.width === 360 ? {} : fullTier('The smaller phone finds it.');
  test(
    `the first vent, the languages and the menu are where a thumb finds them at ${name(size)}`,
    tier,
    async ({ page }) => {
      await page.setViewportSize(size);
      await page.goto('/login');
      await settle(page);
      const language = await top(page.getByRole('button', { name: 'हिन्दी' }));
      const menu = await page.getByRole('banner').getByRole('button', { name: 'Menu' }).boundingBox();
      const leave = await page.locator('#leave').boundingBox();
      const gap = Math.round((leave?.x ?? 0) - (menu?.x ?? 0) - (menu?.width ?? 0));

      seedVents(newWord('Measured'), 5);
      await signUp(page);
      await page.goto('/vents');
      await settle(page);
      const firstVent = await top(page.getByRole('article').first());
      const title = await top(page.getByRole('article').first().getByRole('heading'));
      console.log(
        `${name(size)}: first vent on /vents y ${firstVent}, its title y ${title}; languages on /login y ${language}; ` +
          `menu to Leave ${gap} px`,
      );
      const bar = await top(page.getByRole('navigation', { name: 'Quick links' }));
      expect(title + 22).toBeLessThan(bar);
      expect(language).toBeLessThan(size.height / 2);
      expect(gap).toBeGreaterThanOrEqual(12);
    },
  );
}

test(
  'each of the seven jobs takes at most this many taps from Home',
  fullTier('One tap too many is found at night.'),
  async ({ page, browser }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const { other, mine, theirs } = await signUpAlike(page, browser);
    const vent = await postVent(page, { title: newWord('Asked') });
    await acceptSuggestion(other, mine);
    await other.context().close();
    const reader = await newPerson(browser);
    await signUp(reader);
    await postComment(reader, vent._id, 'I hear you.');
    await reader.context().close();

    const taps: Record<string, number> = {};
    const job = async (what: string, steps: (tap: (target: Locator) => Promise<void>) => Promise<void>) => {
      await page.goto('/');
      await settle(page);
      taps[what] = 0;
      await steps(async (target) => {
        taps[what] = (taps[what] ?? 0) + 1;
        await target.click();
      });
    };
    const inBar = (label: string) =>
      page.getByRole('navigation', { name: 'Quick links' }).getByRole('link', { name: label });

    await job('see who answered me', async (tap) => {
      await tap(inBar('Inbox'));
      await tap(page.getByRole('link', { name: vent.title }));
      await expect(page.getByText('I hear you.')).toBeInViewport();
    });
    await job('post a vent', async (tap) => {
      await tap(inBar('Write'));
      await expect(page.getByLabel('Text', { exact: true })).toBeFocused();
      await page.keyboard.type('Nobody asked how it went.');
      await tap(page.getByText('Sad', { exact: true }));
      await tap(page.getByRole('button', { name: 'Post vent' }));
      await expect(page).toHaveURL('/vents');
    });
    await job('read one vent on /vents', async (tap) => {
      await tap(inBar('Vents'));
      await expect(page.getByRole('article').first().getByRole('heading')).toBeInViewport({ ratio: 1 });
    });
    await job('see who said yes to me', async (tap) => {
      await tap(inBar('Matches'));
      await expect(page.getByText('Said yes to you.')).toBeVisible();
    });
    await acceptSuggestion(page, theirs);
    await job('end a match', async (tap) => {
      await tap(inBar('Matches'));
      await tap(page.getByRole('tab', { name: 'History' }));
      await tap(page.getByRole('button', { name: /^End this match/u }));
    });
    await job('mute a hashtag', async (tap) => {
      await tap(page.getByRole('banner').getByRole('button', { name: 'Menu' }));
      await tap(page.getByRole('banner').getByRole('link', { name: 'Settings' }));
      await tap(page.locator('summary').filter({ hasText: 'What you see' }));
      await tap(page.getByLabel('Muted hashtags'));
    });
    await job('reach a helpline', async (tap) => {
      await tap(page.getByRole('banner').getByRole('link', { name: 'Support' }));
      taps['reach a helpline'] = (taps['reach a helpline'] ?? 0) + 1;
      await expect(callLinks(page).first()).toBeInViewport();
    });
    console.log(`taps from Home: ${JSON.stringify(taps)}`);
    expect(taps).toEqual({
      'see who answered me': 2,
      'post a vent': 3,
      'read one vent on /vents': 1,
      'see who said yes to me': 1,
      'end a match': 3,
      'mute a hashtag': 4,
      'reach a helpline': 2,
    });
  },
);

const callLinks = (page: Page) => page.locator('a[href^="tel:"]');
