import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { testEnv } from '../test-env.ts';
import {
  codeFor,
  enterPhone,
  expect,
  exportData,
  newPhone,
  test,
  typeCode,
  typeCodeAgain,
  wrongCode,
} from './fixtures.ts';
import { sweep, type Canary } from './sweep.ts';

test('a journey leaves number, code, token and text nowhere else than allowed, and the sweep finds planted ones (R2, R23, R29, R59)', async ({
  page,
}) => {
  const phone = newPhone();
  const text = `canary-${createHash('sha256').update(phone).digest('hex').slice(0, 12)} sings at night`;
  await page.goto('/signup');
  await enterPhone(page, phone);
  const first = await codeFor(phone);
  await typeCode(page, wrongCode(first));
  await expect(page.getByText('Invalid OTP')).toBeVisible();
  await typeCodeAgain(page, first);
  await page.getByLabel('Bio').fill(text);
  await page.getByRole('button', { name: 'Complete Profile' }).click();
  await expect(page.getByText(text)).toBeVisible();
  const token = (await page.evaluate(() => localStorage.getItem('unsaid.token'))) ?? '';
  expect(token).toMatch(/^uns_/u);
  await page.goto('/settings');
  const { text: exported, code: second } = await exportData(page, phone);
  expect(exported).toContain(text);
  // Failing requests are logged by other code.
  await page.request.post('/api/auth/verify-otp', { data: { phone, otp: 'abc' } });
  await page.request.post('/api/auth/verify-otp', {
    data: `{"phone":"${phone}"`,
    headers: { 'content-type': 'application/json' },
  });
  await page.request.get(`/api/auth/user/${token}?phone=${encodeURIComponent(phone)}`);
  await page.request.get(`/api/%ff${phone}`);

  const canary: Canary = { phone, codes: [first, second], token, text, textTable: 'identity.users' };
  const sql = (statement: string) => execFileSync('psql', [testEnv.databaseUrl, '-qc', statement]);
  expect(readFileSync(testEnv.log, 'utf8')).toContain('/api/auth/verify-otp');
  expect(await sweep(canary)).toEqual([]);

  // Planted leaks, each where it could really happen.
  const redis = new Redis(testEnv.redisUrl);
  const sha = createHash('sha256').update(phone).digest('hex');
  appendFileSync(testEnv.log, `{"planted":"${phone.slice(3)}"}\n`);
  sql(`create table public.planted as select '${sha}' as h, '${text}' as t`);
  await redis.set(
    `${testEnv.redisPrefix}planted`,
    JSON.stringify({ code: Number(first) > 99_999 ? Number(first) : first }),
  );
  const built = mkdtempSync(join(tmpdir(), 'dist-'));
  writeFileSync(join(built, 'app.js.map'), `// ${token}`);
  try {
    const hits = await sweep(canary, built);
    expect(hits.filter((hit) => hit.startsWith('log:')).length).toBeGreaterThan(0);
    expect(hits).toContain('dump: the text');
    expect(hits).toContain(`dump: ${sha}`);
    expect(hits.filter((hit) => hit.startsWith('redis:')).length).toBeGreaterThan(0);
    expect(hits.filter((hit) => hit.startsWith('built:')).length).toBeGreaterThan(0);
  } finally {
    sql('drop table public.planted');
    await redis.del(`${testEnv.redisPrefix}planted`);
    await redis.quit();
  }
});
