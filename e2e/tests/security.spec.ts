import { editProfile, setUsername, signUp } from './api.ts';
import { testEnv } from '../test-env.ts';
import { expect, exportData, logOut, openSettings, signUpOnScreen, test } from './fixtures.ts';

test.use({ serviceWorkers: 'allow' });

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
  `connect-src 'self' ${testEnv.origin.replace('http', 'ws')}; ` +
  "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; " +
  "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types unsaid";

test('every page has exactly the policy, and no response names a framework (R18)', async ({ page }) => {
  for (const path of ['/', '/login', '/faq', '/vent/x', '/no/such/page']) {
    const answer = await page.request.get(path, { headers: { accept: 'text/html' } });
    expect(answer.headers()['content-security-policy']).toBe(policy);
    expect(answer.headers()).not.toHaveProperty('server');
    expect(answer.headers()).not.toHaveProperty('x-powered-by');
  }
});

test('Trusted Types are enforced: assigning innerHTML throws (R19)', async ({ page, complaints }) => {
  complaints.expect(/TrustedHTML/u);
  await page.goto('/login');
  const outcome = await page.evaluate(() => {
    try {
      document.createElement('div').innerHTML = 'x';
      return 'assigned';
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(outcome).toBe('TypeError');
});

test('injected script, handler, eval, foreign script and javascript: link do not run, and each is a violation (R18)', async ({
  page,
  complaints,
  requests,
}) => {
  // As if an attacker had got markup into the page itself. The headers are the server's own.
  complaints.expect(/Content Security Policy|violates|ERR_|eval|TrustedScript|trusted/iu);
  await page.route('**/login', async (route) => {
    const answer = await route.fetch();
    const injected = `<img src="/no-such-picture.png" onerror="window.harmed.push('handler')">
      <script>window.harmed.push('inline')</script>
      <script src="https://evil.example/foreign.js"></script>
      <style>body { background: red !important }</style>
      <base href="https://evil.example/">
      <a id="trap" href="javascript:window.harmed.push('link')">trap</a></body>`;
    await route.fulfill({ response: answer, body: (await answer.text()).replace('</body>', injected) });
  });
  await page.addInitScript(() => {
    const flags = window as unknown as { harmed: string[]; seen: string[] };
    flags.harmed = [];
    flags.seen = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      flags.seen.push(`${event.effectiveDirective} ${event.blockedURI}`),
    );
  });
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Send OTP' })).toBeVisible();
  await page.evaluate(() => {
    document.getElementById('trap')?.click();
    // In a task of its own: the policy does not apply to what a debugger evaluates.
    setTimeout(() => {
      try {
        // oxlint-disable-next-line no-eval
        globalThis.eval("window.harmed.push('eval')");
      } catch {
        // Refused. The test looks at the violation.
      }
    });
  });
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { seen: string[] }).seen.toSorted()))
    .toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^script-src-attr inline/u),
        expect.stringMatching(/^script-src-elem inline/u),
        expect.stringMatching(/^script-src-elem https:\/\/evil\.example/u),
        expect.stringMatching(/^style-src-elem inline/u),
        expect.stringMatching(/^base-uri/u),
        expect.stringMatching(/^script-src eval|^require-trusted-types-for/u),
      ]),
    );
  expect(await page.evaluate(() => (window as unknown as { harmed: string[] }).harmed)).toEqual([]);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).not.toBe(
    'rgb(255, 0, 0)',
  );
  expect(page.url()).toMatch(/\/login$/u);
  // The policy stopped the foreign script before the request was sent.
  requests.splice(0, requests.length, ...requests.filter((url) => !url.startsWith('https://evil.example/')));
});

test('a changed byte keeps an entry file from running (R22)', async ({ page, complaints }) => {
  complaints.expect(/integrity/u);
  for (const file of ['**/assets/index-*.js', '**/boot.js*']) {
    await page.route(file, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: `${await answer.text()} ` });
    });
    const before = complaints.all.length;
    await page.goto('/faq');
    await expect.poll(() => complaints.all.slice(before).join('\n')).toMatch(/integrity/u);
    await page.unroute(file);
    if (file.includes('index')) await expect(page.getByRole('heading', { level: 1 })).toHaveCount(0);
    else await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  }
});

test('markup in a profile is shown as plain text (R45)', async ({ page }) => {
  await signUp(page);
  const corpus = `<img src=x onerror=alert(1)><script>alert(2)</script>"'><svg/onload=alert(3)>{{7*7}}\${7}`;
  await editProfile(page, { bio: corpus });
  await page.goto('/');
  await expect(page.getByText(corpus)).toBeVisible();
  await expect(page.locator('bdi[dir=auto]', { hasText: corpus })).toHaveCount(1);
});

test('logging out leaves nothing of the account in the browser and signs out other tabs (R28, S4.7)', async ({
  page,
  context,
  complaints,
}) => {
  await signUp(page);
  const name = await setUsername(page);
  await page.goto('/');
  await expect(page.getByRole('heading', { name })).toBeVisible();
  const picture = (await page.locator('img[src^="/avatars/"]').first().getAttribute('src')) ?? '';
  const isPictureCached = () =>
    page.evaluate(
      (src) =>
        fetch(src, { cache: 'only-if-cached', mode: 'same-origin' })
          .then(({ ok }) => ok)
          .catch(() => false),
      picture,
    );
  // Chromium logs an error when the picture is not in its cache.
  complaints.expect(/ERR_CACHE_MISS/u);
  await expect.poll(isPictureCached).toBe(true);
  const other = await context.newPage();
  await openSettings(other);
  await expect(other.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  const token = await page.evaluate(() => localStorage.getItem('unsaid.token'));
  await logOut(page);
  await expect(other).toHaveURL('/login');
  await expect.poll(isPictureCached).toBe(false);
  for (const tab of [page, other]) {
    const left = await tab.evaluate(async () => ({
      storage: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
      cached: await Promise.all(
        (await caches.keys()).map(async (name) =>
          (await (await caches.open(name)).keys()).map(({ url }) => url),
        ),
      ),
      databases: await indexedDB.databases(),
      dom: document.documentElement.outerHTML,
      cookies: document.cookie,
    }));
    expect(left.storage).not.toMatch(/uns_/u);
    expect(left.storage).not.toContain(name);
    expect(left.dom).not.toContain(name);
    // Only the application's own files stay, which are the same for everybody.
    const ownFile = /^\/(?:assets\/[\w.-]+|icons\/[\w-]+\.png|[\w-]+\.(?:js|css|svg|webmanifest))?$/u;
    expect(left.cached.flat().filter((url) => !ownFile.test(new URL(url).pathname))).toEqual([]);
    expect(left.databases).toEqual([]);
    expect(left.cookies).toBe('');
  }
  await page.goBack();
  await expect(page.getByText(name)).toHaveCount(0);
  const answer = await page.request.get('/api/auth/user', { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status()).toBe(401);
});

test('no request address contains the token or the number (R23, SC-28)', async ({ page, requests }) => {
  const phone = await signUpOnScreen(page);
  await openSettings(page);
  await exportData(page, phone);
  await logOut(page);
  expect(requests.length).toBeGreaterThan(10);
  expect(requests.filter((url) => url.includes('uns_') || url.includes(phone.slice(3)))).toEqual([]);
});
