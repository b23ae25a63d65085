import type { Page } from '@playwright/test';

/** The tests of the splash set the time themselves, so none waits and none depends on the speed of the machine. */

async function stopAnimations(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Animation.enable');
  await devtools.send('Animation.setPlaybackRate', { playbackRate: 0 });
}

/** Stops CSS animations and the page's timers. The application does not start without timers. */
export async function stopSplashTime(page: Page): Promise<void> {
  await stopAnimations(page);
  const time = Date.now();
  await page.clock.install({ time });
  await page.clock.pauseAt(time + 1000);
}

/** Stops CSS animations and the timer that ends the splash. The application starts beneath it. */
export async function holdSplash(page: Page): Promise<void> {
  await stopAnimations(page);
  await page.addInitScript(() => {
    const { setTimeout } = window;
    const isLong = (delay = 0) => delay >= 5000;
    window.setTimeout = ((handler: () => void, delay?: number, ...args: []) =>
      isLong(delay) ? 0 : setTimeout(handler, delay, ...args)) as typeof setTimeout;
  });
}

/** Moves the CSS animations to this many milliseconds after the first frame. */
export async function setSplashTime(page: Page, ms: number): Promise<void> {
  await page.evaluate((ms) => {
    for (const animation of document.getAnimations()) animation.currentTime = ms;
  }, ms);
}
