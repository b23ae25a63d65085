import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Page } from '@playwright/test';
import { testEnv } from '../test-env.ts';
import { postPage, signUp } from './api.ts';
import {
  codeFor,
  enterPhone,
  expect,
  exportData,
  newPerson,
  newPhone,
  newWord,
  openSettings,
  settle,
  test,
  typeCode,
  typeCodeAgain,
  wrongCode,
} from './fixtures.ts';
import { compareVisits, recordVisit, sweep, sweepForCard, type Canary, type Visit } from './sweep.ts';

test('a journey leaves number, code, token and text nowhere else than allowed, and the sweep finds planted ones (R2, R23, R29, R59)', async ({
  page,
}) => {
  const phone = newPhone();
  // Letters alone: ten digits in a row would be a number, which the identity guard refuses.
  const text = `${newWord('canary-')} sings at night`;
  await page.goto('/signup');
  await enterPhone(page, phone);
  const first = await codeFor(phone);
  await typeCode(page, wrongCode(first));
  await expect(page.getByText('Invalid OTP')).toBeVisible();
  await typeCodeAgain(page, first);
  await page.getByText('More about you (optional)').click();
  await page.getByLabel('Bio').fill(text);
  await page.getByRole('button', { name: 'Complete Profile' }).click();
  await expect(page.getByText(text)).toBeVisible();
  const token = (await page.evaluate(() => localStorage.getItem('unsaid.token'))) ?? '';
  expect(token).toMatch(/^uns_/u);
  await openSettings(page);
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
  const sql = (statement: string) => execFileSync('psql', [testEnv.ownerUrlOf('content'), '-qc', statement]);
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

const heavy = 'I want to die tonight. I have the tablets in front of me.';
const light = 'I have to study for my exam again. The whole chapter on plants is left.';

test('a vent with the crisis card leaves the same traces as one without: in requests, storage, log and metrics (and planted ones are found)', async ({
  page,
  browser,
}) => {
  const calm = await newPerson(browser);
  await postPage(browser);
  const titles = [newWord('owl'), newWord('owl')];
  const visit = async (at: Page, text: string, title = '') => {
    const isHeavy = text === heavy;
    const card = at.getByRole('group', { name: 'Someone to talk to' });
    const lookForCard = async () => {
      await settle(at);
      await expect(card).toHaveCount(isHeavy ? 1 : 0);
    };
    await at.clock.install();
    await at.goto('/vent/create');
    await at.getByLabel('Text', { exact: true }).fill(text);
    // The pause after which a card appears.
    await at.clock.runFor(1000);
    await lookForCard();
    // It takes over the first line when the text is left.
    await at.getByLabel('Title', { exact: true }).click();
    await at.getByLabel('Title', { exact: true }).fill(title);
    await at.getByText('Sad', { exact: true }).first().click();
    // Asked for once the feed is near: in both visits, however fast.
    const waiting = at.waitForResponse(/api\/listen/u);
    await at.getByRole('button', { name: 'Post vent' }).click();
    const said = isHeavy ? "We're glad you said it." : "It's out. Only you know it's yours.";
    await expect(at.getByText(said)).toBeVisible();
    await lookForCard();
    await waiting;
    await at.getByRole('article').filter({ hasText: title }).getByRole('link', { name: title }).click();
    await expect(at.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await lookForCard();
    await at.goto('/myvents');
    await lookForCard();
    if (isHeavy) await card.getByRole('button', { name: 'Hide this' }).click();
    await at.goto('/vent/search');
    await at.getByRole('searchbox').fill(text);
    await at.keyboard.press('Enter');
    await expect(at.getByRole('article').filter({ hasText: title })).toBeVisible();
    await lookForCard();
    await settle(at);
  };
  const visits: Visit[] = [];
  for (const [at, text, title] of [
    [page, heavy, titles[0]],
    [calm, light, titles[1]],
  ] as const) {
    await signUp(at);
    visits.push(await recordVisit(at, () => visit(at, text, title)));
  }
  const [withCard, without] = visits as [Visit, Visit];
  const words = [heavy, light, ...titles];
  expect(withCard.sent.length).toBeGreaterThan(10);
  expect(withCard.logged.length).toBeGreaterThan(5);
  expect(compareVisits(withCard, without, words)).toEqual([]);
  expect(await sweepForCard(withCard)).toEqual([]);

  // Planted traces, each where it could really happen.
  await page.evaluate(() => {
    localStorage.setItem('unsaid.later.crisis.u1', 'later');
    history.replaceState({ ...history.state, hiddenCards: 3 }, '');
  });
  const planted = await recordVisit(page, async () => {
    appendFileSync(testEnv.log, '{"route":"/api/vent/create","msg":"crisis card shown"}\n');
    await page.evaluate(() =>
      fetch('/api/vent/all', { method: 'POST', body: '{"level":3,"dismissed":true}' }),
    );
  });
  const hits = await sweepForCard(planted);
  for (const place of ['localStorage', 'history.state', 'requests', 'log'])
    expect(hits.filter((hit) => hit.startsWith(`${place}: `))).toHaveLength(1);
  expect(
    compareVisits({ ...withCard, sent: [...withCard.sent, 'POST /api/x {}'] }, without, words),
  ).toHaveLength(1);
  expect(compareVisits({ ...withCard, kept: planted.kept }, without, words).length).toBeGreaterThan(1);
});
