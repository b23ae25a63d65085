import { endpoints, listen, readRecovery } from '@unsaid/contract';
import { signUp } from './api.ts';
import { expect, settle, test } from './fixtures.ts';

/** Calls that read. The card about recovery and the vents that wait come after the content above them. */
const reads = endpoints.filter((one) => one.method === 'GET' && one !== readRecovery && one !== listen);
const isRead = (url: string) =>
  reads.some(({ path }) =>
    new RegExp(`^${path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u').test(new URL(url).pathname),
  );

for (const path of ['/', '/vents', '/matches', '/inbox']) {
  test(`${path} asks for everything at once: boot.js sends each call, and the application takes it over`, async ({
    page,
    context,
  }) => {
    await page.addInitScript(() => {
      const { json } = Response.prototype;
      const read: string[] = [];
      Object.assign(window, { read });
      Response.prototype.json = function (this: Response) {
        read.push(this.url);
        return json.call(this);
      };
    });
    await signUp(page);
    // The first visit of a browser: from now on it has an inbox cursor.
    await page.goto(path);
    await expect
      .poll(() =>
        page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith('unsaid.inbox.'))),
      )
      .toBe(true);

    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    const sent: { readonly url: string; readonly by: string }[] = [];
    devtools.on('Network.requestWillBeSent', ({ request: { url, method }, initiator }) => {
      const { pathname } = new URL(initiator.stack?.callFrames[0]?.url ?? page.url());
      if (method === 'GET' && isRead(url)) sent.push({ url, by: pathname });
    });
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
    await settle(page);
    expect(sent.filter(({ by }) => by !== '/boot.js')).toEqual([]);
    const urls = sent.map(({ url }) => url).toSorted();
    expect(urls.length).toBeGreaterThan(1);
    // None is sent twice, none is left, and none differs from what the page asks for.
    const taken = await page.evaluate(() => (window as unknown as { read: string[] }).read);
    expect(taken.filter(isRead).toSorted()).toEqual([...new Set(urls)]);
    expect(urls).toHaveLength(new Set(urls).size);
  });
}
