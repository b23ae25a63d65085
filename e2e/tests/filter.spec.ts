import type { Page } from '@playwright/test';
import type { Emotion } from '@unsaid/contract';
import { expectAccessible } from './a11y.ts';
import { postVent, signUp } from './api.ts';
import { expect, newWord, settle, test } from './fixtures.ts';
import { seedVents } from './seed.ts';
import { fullTier } from './tiers.ts';

const titles = (page: Page) => page.getByRole('article').getByRole('heading');
const chip = (page: Page, feeling: Emotion) =>
  page.getByRole('group', { name: 'Filter by feeling' }).getByRole('button', { name: feeling, exact: true });
/** On the feed the feelings are behind an icon. */
const openFilter = (page: Page) => page.getByRole('button', { name: 'Filter by feeling' }).click();

test('the feed is filtered by one feeling or several, on the server, with both orders and the pager', async ({
  page,
}) => {
  await signUp(page);
  const word = newWord('Felt');
  const said: [string, Emotion][] = [];
  for (let n = 0; n < 18; n += 1) {
    const emotion = (['Angry', 'Burnout', 'Anxious'] as const)[n % 3] ?? 'Angry';
    const title = `${word} ${emotion} ${n}`;
    said.unshift([title, emotion]);
    await postVent(page, { title, emotion });
  }
  const named = (...feelings: Emotion[]) =>
    said.filter(([, emotion]) => feelings.includes(emotion)).map(([title]) => title);
  await page.goto('/vents');
  await expect(titles(page)).toHaveText(named('Angry', 'Burnout', 'Anxious').slice(0, 5));
  await openFilter(page);
  const first = page.waitForRequest('**/api/vent/all?*emotion=Burnout*');
  await chip(page, 'Burnout').click();
  await first;
  await expect(chip(page, 'Burnout')).toHaveAttribute('aria-pressed', 'true');
  await expect(titles(page)).toHaveText(named('Burnout').slice(0, 5));
  const both = page.waitForRequest((request) => request.url().includes('emotion=Angry%2CBurnout'));
  await chip(page, 'Angry').click();
  await both;
  const two = named('Angry', 'Burnout');
  await expect(titles(page)).toHaveText(two.slice(0, 5));
  await page.getByRole('navigation', { name: 'Pages' }).getByLabel('Page 2', { exact: true }).click();
  await expect(titles(page)).toHaveText(two.slice(5, 10));

  // In the history entry, not in the address: the next person on this phone can read addresses.
  await expect(page).toHaveURL('/vents?page=2');
  await page.reload();
  await expect(titles(page)).toHaveText(two.slice(5, 10));
  await expect(chip(page, 'Angry')).toHaveAttribute('aria-pressed', 'true');
  await page.goBack();
  await expect(titles(page)).toHaveText(two.slice(0, 5));
  const trending = page.waitForRequest('**/api/vent/all?*sort=trending*emotion=*');
  await page.getByRole('button', { name: 'Trending' }).click();
  await trending;
  await expect(page).toHaveURL('/vents?sort=trending');
  await expect(chip(page, 'Burnout')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('article').getByText('Anxious', { exact: true })).toHaveCount(0);
  await page.goBack();
  await page.goBack();
  await expect(chip(page, 'Angry')).toHaveAttribute('aria-pressed', 'false');
  await expect(titles(page)).toHaveText(said.slice(0, 5).map(([title]) => title));
});

test(
  'a search is filtered by feeling on both pages, and an empty result shows the way to all vents',
  fullTier(
    'The journey of the feed runs the same filter; an empty result without a way out is found at night.',
  ),
  async ({ page }) => {
    await signUp(page);
    const word = newWord('Sought');
    seedVents(word, 7); // Neutral
    await postVent(page, { title: `${word} sad`, emotion: 'Sad' });
    for (const path of ['/vents', '/vent/search']) {
      await page.goto(path);
      if (path === '/vents') await openFilter(page);
      await page.getByRole('searchbox', { name: 'Search vents' }).fill(word);
      await page.getByRole('searchbox', { name: 'Search vents' }).press('Enter');
      await expect(titles(page).first()).toHaveText(`${word} sad`);
      await chip(page, 'Neutral').click();
      await expect(titles(page).first()).toHaveText(`${word} 1`);
      await expect(titles(page)).toHaveCount(path === '/vents' ? 5 : 7);
      await chip(page, 'Sad').click();
      await expect(titles(page).first()).toHaveText(`${word} sad`);
      await chip(page, 'Neutral').click();
      await expect(titles(page)).toHaveText([`${word} sad`]);
      await chip(page, 'Sad').click();
      await chip(page, 'Happy').click();
      await expect(page.getByText('No vents available.')).toBeVisible();
      await expect(page.getByText('Nobody has shared this feeling here yet.')).toBeVisible();
      expect(new URL(page.url()).search).toBe('');
      // The search stays, the filter goes.
      await page.getByRole('main').getByRole('button', { name: 'Show all' }).last().click();
      await expect(chip(page, 'Happy')).toHaveAttribute('aria-pressed', 'false');
      await expect(titles(page).first()).toHaveText(`${word} sad`);
    }
    // Without words, the search page lists the vents of the feeling.
    await page.goto('/vent/search');
    await chip(page, 'Sad').click();
    await expect(titles(page).first()).toHaveText(`${word} sad`);
  },
);

test(
  'the filter is one row of large buttons at every width, by keyboard too, without moving the page sideways',
  fullTier('A filter that wraps or is too small to tap is found at night.'),
  async ({ page }) => {
    await signUp(page);
    await postVent(page, { title: newWord('Wide'), emotion: 'Burnout' });
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      // From elsewhere: to its own address the browser reloads, and keeps the filter.
      await page.goto('/favicon.svg');
      await page.goto('/vents');
      await expect(titles(page).first()).toBeVisible();
      await openFilter(page);
      await settle(page);
      const group = page.getByRole('group', { name: 'Filter by feeling' });
      const box = await group.boundingBox();
      expect(box?.height, `${width}`).toBeLessThanOrEqual(width === 1280 ? 100 : 48);
      for (const button of await group.getByRole('button').all())
        expect((await button.boundingBox())?.height, `${width}`).toBeGreaterThanOrEqual(44);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await chip(page, 'Happy').focus();
      for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press('Tab');
      await expect(chip(page, 'Burnout')).toBeFocused();
      await expect(chip(page, 'Burnout')).toBeInViewport({ ratio: 0.95 });
      await page.keyboard.press('Space');
      await expect(chip(page, 'Burnout')).toHaveAttribute('aria-pressed', 'true');
      await expect(titles(page).first()).toBeVisible();
      await expect(chip(page, 'Burnout')).toBeFocused();
      await settle(page);
      await expectAccessible(page, `the filter at ${width}`);
    }
  },
);
