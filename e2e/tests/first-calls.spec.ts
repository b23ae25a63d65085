import { endpoints, listen, readRecovery } from '@unsaid/contract';
import { postComment, postVent, reactTo, signUp } from './api.ts';
import { expect, newPerson, newWord, settle, test } from './fixtures.ts';

/** Calls that read. The card about recovery and the vents that wait come after the content above them. */
const reads = endpoints.filter((one) => one.method === 'GET' && one !== readRecovery && one !== listen);
const isRead = (url: string) =>
  reads.some(({ path }) =>
    new RegExp(`^${path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u').test(new URL(url).pathname),
  );

const firstPages = ['/', '/vents', '/matches', '/inbox'];

for (const path of firstPages) {
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

test('the first pages make no Intl formatter, whose first costs a cheap phone a fifth of a second', async ({
  page,
  browser,
}) => {
  await signUp(page);
  const title = newWord('Counted ');
  const { _id: ventId } = await postVent(page, { title });
  // From the first cursor on, reactions count.
  await page.goto('/inbox');
  await settle(page);
  for (const reaction of ['heart', 'hug', 'listen'] as const) {
    const other = await newPerson(browser);
    await signUp(other);
    await reactTo(other, ventId, reaction);
    await postComment(other, ventId, 'Me too.');
  }
  await page.addInitScript(() => {
    const made: string[] = [];
    Object.assign(window, { made });
    for (const name of [
      'NumberFormat',
      'PluralRules',
      'ListFormat',
      'RelativeTimeFormat',
      'DisplayNames',
    ] as const)
      Object.assign(Intl, {
        [name]: new Proxy(Intl[name], {
          construct: (Format, given) => {
            made.push(name);
            return Reflect.construct(Format, given) as object;
          },
        }),
      });
  });
  for (const path of firstPages) {
    await page.goto(path);
    await settle(page);
    if (path === '/inbox') {
      const gifts = page.getByRole('link', {
        name: `Someone sent love, a hug and “I hear you” on “${title}”`,
      });
      await expect(gifts).toBeVisible();
      await expect(page.getByRole('link', { name: '3 new comments' })).toBeVisible();
    }
    const made = await page.evaluate(() => (window as unknown as { made: string[] }).made);
    expect(made, path).toEqual([]);
  }
});
