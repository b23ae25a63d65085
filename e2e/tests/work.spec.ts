import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import type { Page, Response } from '@playwright/test';
import { origin, repo, serverEnv, stage } from '../stage.ts';
import { codeFor, enterPhone, expect, newPhone, test as base, typeCode, visit } from './fixtures.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A server with the limits of production, whose budgets nobody else draws on. */
const test = base.extend<{ strict: string }>({
  // oxlint-disable-next-line no-empty-pattern
  strict: async ({}, use) => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const own = `http://localhost:${port}`;
    const log = openSync(stage.log, 'a');
    const server = spawn(process.execPath, [`${repo}server/src/bin/api.ts`], {
      cwd: repo,
      env: {
        ...serverEnv,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        PUBLIC_ORIGIN: own,
        SERVICES: 'api',
        LIMITS_SCALE: '1',
        REDIS_PREFIX: `${stage.redisPrefix}work-${port}:`,
      },
      stdio: ['ignore', log, log],
    });
    await expect
      .poll(
        () =>
          fetch(`${own}/readyz`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .toBe(200);
    await use(own);
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
  },
  baseURL: async ({ strict }, use) => use(strict),
});

test.afterEach(({ requests, strict }) => {
  // It stands for our origin; nothing else may have been asked.
  requests.splice(0, requests.length, ...requests.map((url) => url.replace(strict, origin)));
});

const post = (to: string, path: string, body: object) =>
  fetch(`${to}/api/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The fifth code in ten minutes from this address is the last that costs nothing. */
async function askFromHere(strict: string): Promise<void> {
  for (let sent = 0; sent < 5; sent += 1) {
    const phone = `+9196${String(Date.now() % 10_000).padStart(4, '0')}${sent}111`;
    expect((await post(strict, 'request-otp', { phone })).status).toBe(200);
  }
}

function answersTo(page: Page, path: string): number[] {
  const statuses: number[] = [];
  page.on('response', (response: Response) => {
    if (response.url().endsWith(path)) statuses.push(response.status());
  });
  return statuses;
}

test('on a busy address the browser does the work unseen, asks again, and the person gets in', async ({
  page,
  strict,
}) => {
  await askFromHere(strict);
  const [asked, answered] = [answersTo(page, '/request-otp'), answersTo(page, '/verify-otp')];
  const phone = newPhone();
  await visit(page, '/signup');
  // Service worker and work solver share the one policy that lets an address become code.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await enterPhone(page, phone);
  await expect(page.getByText('Enter your code')).toBeVisible();
  expect(asked).toEqual([428, 200]);

  // Answering a code never costs work, whatever others at this address do.
  for (let tries = 0; tries < 30; tries += 1) {
    const guess = { phone: `+9195${String(10_000_000 + tries * 10_007)}`, otp: '000000' };
    expect((await post(strict, 'verify-otp', guess)).status).toBe(401);
  }
  await typeCode(page, await codeFor(phone));
  await expect(page.getByText('A little about you')).toBeVisible();
  expect(answered).toEqual([200]);
});

test('work that lasts is spoken of calmly, and what was typed stays', async ({ page, strict }) => {
  await askFromHere(strict);
  const phone = newPhone();
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => (letThrough = resolve));
  await page.route('**/api/auth/request-otp', async (route) => {
    if (route.request().postDataJSON().pow) await held;
    await route.continue();
  });
  await visit(page, '/login');
  const number = page.getByLabel('Phone number');
  await expect(page.getByText('One moment…')).toHaveCount(0);
  await enterPhone(page, phone);
  await expect(page.getByRole('status').getByText('One moment…')).toBeVisible();
  await expect(number).toHaveValue(/\d/u);
  expect((await number.inputValue()).replaceAll(/\D/gu, '')).toBe(phone.slice(3));
  await expect(page.getByRole('alert')).toHaveCount(0);
  letThrough();
  await expect(page.getByText('Enter your code')).toBeVisible();
  await expect(page.getByText('One moment…')).toHaveCount(0);
});

test.describe('where no worker can be started', () => {
  test.use({ serviceWorkers: 'block' });

  test('a sentence says that it did not go through, and the number is still there', async ({
    page,
    strict,
  }) => {
    await askFromHere(strict);
    await page.route('**/assets/work-solver*', (route) => route.fulfill({ status: 404 }));
    const phone = newPhone();
    await visit(page, '/login');
    await enterPhone(page, phone);
    await expect(page.getByRole('alert')).toHaveText('That did not go through. Please try again.');
    const typed = await page.getByLabel('Phone number').inputValue();
    expect(typed.replaceAll(/\D/gu, '')).toBe(phone.slice(3));
    // A moment later it may well work.
    await page.unroute('**/assets/work-solver*');
    await page.getByRole('button', { name: 'Send OTP' }).click();
    await expect(page.getByText('Enter your code')).toBeVisible();
  });
});
