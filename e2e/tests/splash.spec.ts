import { expect, test } from './fixtures.ts';

test('the splash paints with the application blocked, and leaves after five seconds and a fade of one', async ({
  page,
  complaints,
}) => {
  await page.route('**/assets/*.js', (route) => route.abort());
  const begun = Date.now();
  await page.goto('/');
  const line = page.getByText('Speak Freely, Heal Faster');
  await expect(line).toBeVisible();
  expect(Date.now() - begun).toBeLessThan(3000);
  const leaving = await page.locator('#splash').evaluate((splash) => {
    const { animationDelay, animationDuration } = getComputedStyle(splash);
    return [animationDelay, animationDuration];
  });
  expect(leaving).toEqual(['5s', '1s']);
  await page.waitForTimeout(4300 - Math.min(4300, Date.now() - begun));
  await expect(line).toBeVisible();
  await expect(line).toBeHidden({ timeout: 4000 });
  expect(Date.now() - begun).toBeGreaterThan(5000);
  complaints.length = 0;
});

test('it is shown once in a tab, and the application is ready beneath it', async ({ page }) => {
  await page.goto('/login');
  await expect(page.getByText('Speak Freely, Heal Faster')).toBeVisible();
  await expect(
    page.locator('#root').getByRole('button', { name: 'Send OTP', includeHidden: true }),
  ).toBeAttached();
  await page.reload();
  await expect(page.getByText('Speak Freely, Heal Faster')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
});

for (const way of ['Escape', 'Enter', 'tap'] as const) {
  test(`it can be skipped by ${way}, and says so after a second`, async ({ page }) => {
    await page.goto('/login');
    const line = page.getByText('Speak Freely, Heal Faster');
    await expect(line).toBeVisible();
    await expect(page.getByText(/skip/iu).first()).toBeVisible();
    if (way === 'tap') await page.mouse.click(100, 100);
    else await page.keyboard.press(way);
    await expect(line).toBeHidden({ timeout: 1500 });
  });
}

test('with reduced motion it goes without a fade', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/login');
  const splash = page.locator('#splash');
  await expect(splash).toBeVisible();
  const moving = await splash.evaluate((element) =>
    element.getAnimations({ subtree: true }).map((animation) => (animation as CSSAnimation).animationName),
  );
  // The line that says how to skip still comes a second later, but at once.
  expect(moving.filter((name) => name !== 'splash-in')).toEqual([]);
  await expect(splash).toBeHidden({ timeout: 6500 });
});
