import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import type { Page, Response } from '@playwright/test';
import { metricsPort, repo, testEnv } from '../test-env.ts';
import { codeFor, enterPhone, expect, newPhone, test as base, typeCode } from './fixtures.ts';
import { fullTier } from './tiers.ts';

/** A server with the limits of production and budgets of its own. */
const test = base.extend<{ strict: string }>({
  // oxlint-disable-next-line no-empty-pattern
  strict: async ({}, use) => {
    // A worker runs one test at a time, so one more port for each is enough.
    const port = testEnv.port + 50;
    const own = `http://localhost:${port}`;
    const log = openSync(testEnv.log, 'a');
    const server = spawn(process.execPath, [`${repo}server/src/bin/api.ts`], {
      cwd: repo,
      env: {
        ...testEnv.server,
        PORT: String(port),
        METRICS_PORT: String(metricsPort(port)),
        PUBLIC_ORIGIN: own,
        SERVICES: 'api',
        LIMITS_SCALE: '1',
        REDIS_PREFIX: `${testEnv.redisPrefix}${crypto.randomUUID()}:`,
      },
      stdio: ['ignore', log, log],
    });
    await expect
      .poll(() =>
        fetch(`${own}/readyz`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    await use(own);
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
  },
  baseURL: async ({ strict }, use) => use(strict),
});

test.use({ serviceWorkers: 'allow' });

const post = (to: string, path: string, body: object) =>
  fetch(`${to}/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Uses up the five codes in ten minutes that an address gets without proof of work. */
async function useUpFreeCodes(strict: string): Promise<void> {
  for (let sent = 0; sent < 5; sent += 1) {
    expect((await post(strict, 'request-otp', { phone: newPhone() })).status).toBe(200);
  }
}

function statusesOf(page: Page, path: string): number[] {
  const statuses: number[] = [];
  page.on('response', (response: Response) => {
    if (response.url().endsWith(path)) statuses.push(response.status());
  });
  return statuses;
}

test('on a busy address the browser solves the proof of work, retries, and the person gets in (R15)', async ({
  page,
  strict,
}) => {
  await useUpFreeCodes(strict);
  const [requested, verified] = [statusesOf(page, '/request-otp'), statusesOf(page, '/verify-otp')];
  const phone = newPhone();
  await page.goto('/signup');
  // Service worker and proof-of-work worker share one Trusted Types policy.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await enterPhone(page, phone);
  await expect(page.getByText('Enter the OTP')).toBeVisible();
  await expect.poll(() => requested).toEqual([428, 200]);

  // Verifying a code never needs proof of work, whatever others at this address do.
  for (let tries = 0; tries < 30; tries += 1) {
    const guess = { phone: `+9195${String(10_000_000 + tries * 10_007)}`, otp: '000000' };
    expect((await post(strict, 'verify-otp', guess)).status).toBe(401);
  }
  await typeCode(page, await codeFor(phone));
  await expect(page.getByText("It's all optional. We never show it next to your vents.")).toBeVisible();
  await expect.poll(() => verified).toEqual([200]);
});

test(
  'a long proof of work shows a message, and the typed number stays (R15)',
  fullTier('The first journey finds a proof that fails; a missing "One moment" is found at night.'),
  async ({ page, strict }) => {
    await useUpFreeCodes(strict);
    const phone = newPhone();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/auth/request-otp', async (route) => {
      if (route.request().postDataJSON().pow) await held;
      await route.continue();
    });
    await page.goto('/login');
    const number = page.getByLabel('Phone number');
    await expect(page.getByText('One moment…')).toHaveCount(0);
    await enterPhone(page, phone);
    await expect(page.getByRole('status').getByText('One moment…')).toBeVisible();
    await expect(number).toHaveValue(/\d/u);
    expect((await number.inputValue()).replaceAll(/\D/gu, '')).toBe(phone.slice(3));
    await expect(page.getByRole('alert')).toHaveCount(0);
    release();
    await expect(page.getByText('Enter the OTP')).toBeVisible();
    await expect(page.getByText('One moment…')).toHaveCount(0);
  },
);

test.describe('without a web worker', () => {
  test.use({ serviceWorkers: 'block' });

  test(
    'a failed proof of work shows a message, and the typed number stays (R15)',
    fullTier('proof-of-work.test.ts finds it; a lost number is found at night.'),
    async ({ page, strict }) => {
      await useUpFreeCodes(strict);
      await page.route('**/assets/pow.worker*', (route) => route.fulfill({ status: 404 }));
      const phone = newPhone();
      await page.goto('/login');
      await enterPhone(page, phone);
      await expect(page.getByRole('alert')).toHaveText("That didn't go through. Please try again.");
      const typed = await page.getByLabel('Phone number').inputValue();
      expect(typed.replaceAll(/\D/gu, '')).toBe(phone.slice(3));
      // The next try works.
      await page.unroute('**/assets/pow.worker*');
      await page.getByRole('button', { name: 'Send OTP' }).click();
      await expect(page.getByText('Enter the OTP')).toBeVisible();
    },
  );
});
