import { wholeChromiumLaunch } from '../chromium.ts';
import { expect, test } from './fixtures.ts';
import { fullTier } from './tiers.ts';

test.use({ serviceWorkers: 'allow', launchOptions: wholeChromiumLaunch });

test(
  'the application can be installed: manifest, icons of every kind, and a service worker that is never cached',
  fullTier('The application cannot be installed for a day.'),
  async ({ page, context }) => {
    await page.goto('/login');
    const devtools = await context.newCDPSession(page);
    const { errors } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    await expect
      .poll(async () => (await devtools.send('Page.getInstallabilityErrors')).installabilityErrors)
      // A context of Playwright is an incognito window.
      .toEqual([{ errorId: 'in-incognito', errorArguments: [] }]);
    const answer = await page.request.get('/manifest.webmanifest');
    expect(answer.headers()['content-type']).toContain('application/manifest+json');
    const { icons, shortcuts } = (await answer.json()) as {
      icons: { src: string; sizes: string; type: string }[];
      shortcuts: { name: string; url: string }[];
    };
    expect(shortcuts.map(({ name, url }) => [name, url])).toEqual([
      ['Write', '/vent/create'],
      ['Inbox', '/inbox'],
    ]);
    for (const { src, sizes, type } of icons) {
      const picture = await page.request.get(src);
      expect(picture.headers()['content-type'], src).toContain(type);
      if (type !== 'image/png') continue;
      const bytes = await picture.body();
      expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, src).toBe(sizes);
    }
    const worker = await page.request.get('/sw.js');
    expect(worker.headers()['cache-control']).toBe('no-cache');
    expect(worker.headers()['content-security-policy']).toBe(
      "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
    );
  },
);
