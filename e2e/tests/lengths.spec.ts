import { createVent, padRequestTo } from '@unsaid/contract';
import type { Page } from '@playwright/test';
import { startObserved, type SeenRecord } from '../observed.ts';
import { sampleVents, testEnv } from '../test-env.ts';
import { postPage, signUp } from './api.ts';
import { fullTier } from './tiers.ts';
import { expect, newPerson, openComposer, openMoreChoices, settle, test } from './fixtures.ts';

/**
 * Somebody on the same Wi-Fi, without keys but with an account: Chromium, HTTP/2 and TLS, through the Caddyfile that ships.
 * They know the code, the vents of the feed, and what their own browser sends.
 */

type Sample = (typeof sampleVents)['en'][number];
interface Posted {
  readonly vent: Sample;
  readonly isHeld: boolean;
  readonly seen: readonly SeenRecord[];
}

const samples = Object.values(sampleVents).flat();
const [people, postsOfEach, candidates] = [4, 10, 26];
/** Of TLS and HTTP/2 around the body of a request. */
const recordOverhead = 26;
/** Slow 3G: 400 kbit/s each way. */
const slowBytesPerSecond = 50_000;

const bodyOf = ([emotion, title, text, ...hashtags]: Sample, later: boolean) =>
  Buffer.byteLength(
    JSON.stringify({ title, text, allowComments: true, emotion, hashtags, later, isSure: false }),
  );
const upload = (seen: readonly SeenRecord[]) =>
  seen.filter(({ direction }) => direction === 'up').map(({ bytes }) => bytes);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

async function post(
  page: Page,
  [emotion, title, text, ...hashtags]: Sample,
  isHeld: boolean,
  before: () => void,
) {
  await page.goto('/vents');
  await openComposer(page);
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill(text);
  await page.getByRole('textbox', { name: 'Hashtags' }).fill(`${hashtags.join(',')},`);
  await page.getByRole('radio', { name: emotion }).check({ force: true });
  if (isHeld) {
    await openMoreChoices(page);
    await page.getByRole('switch', { name: 'Post a little later' }).click();
  }
  await settle(page);
  before();
  await page.getByRole('button', { name: 'Post vent' }).click();
  await expect(page.getByText(isHeld ? /Only you can see it/u : /Only you know/u)).toBeVisible();
  await settle(page);
  // What a person opens next: it asks for their own weather.
  await page.getByRole('link', { name: 'Home' }).first().click();
  await expect(page.getByRole('heading', { name: 'Latest Vents' })).toBeVisible();
  await settle(page);
}

/** The share of right guesses: which of the vents of that time a device has posted. */
function guessVents(posts: readonly Posted[]): number {
  const shares = posts.map(({ vent, isHeld, seen }, n) => {
    const others = Array.from(
      { length: candidates - 1 },
      (_, k) => samples[(n * 31 + k * 7 + 3) % samples.length] as Sample,
    );
    const all = [vent, ...others.filter((one) => one !== vent)];
    const sent = new Set(upload(seen));
    const exact = all.filter((one) => sent.has(bodyOf(one, isHeld) + recordOverhead));
    const filled = all.filter((one) =>
      sent.has(padRequestTo(createVent, bodyOf(one, isHeld)) + recordOverhead),
    );
    const fitting = exact.length > 0 ? exact : filled;
    return fitting.includes(vent) ? 1 / fitting.length : 0;
  });
  return sum(shares) / shares.length;
}

/** How many of the posts are told right as held or not: by each other one, naive Bayes over everything that was seen. */
function guessHeld(posts: readonly Posted[]): number {
  const features = posts.map(({ seen }) => {
    const counts = new Map<string, number>();
    for (const { direction, bytes } of seen) {
      const key = `${direction} ${bytes}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const [up, all] = [upload(seen).length, seen.length];
    return new Set([...counts].map(([key, count]) => `${key} × ${count}`).concat(`up ${up}`, `all ${all}`));
  });
  const every = new Set(features.flatMap((one) => [...one]));
  return posts.filter(({ isHeld }, left) => {
    const evidence = [...every].map((feature) => {
      const share = (kind: boolean) => {
        const others = posts.flatMap((one, n) => (n !== left && one.isHeld === kind ? [n] : []));
        const having = others.filter((n) => features[n]?.has(feature)).length;
        const isThere = features[left]?.has(feature) ?? false;
        return ((isThere ? having : others.length - having) + 1) / (others.length + 2);
      };
      return Math.log(share(true) / share(false));
    });
    return sum(evidence) > 0 === isHeld;
  }).length;
}

test(
  'the lengths of a device’s traffic name neither its vent nor whether it was held back',
  fullTier(
    'that each call is filled is in the change tier (lengths.test.ts, api-client.test.ts); here the browser and the proxy are real',
  ),
  async ({ browser }) => {
    // Forty posts and pages: five minutes and more on a busy machine.
    test.setTimeout(1_200_000);
    const observed = await startObserved(testEnv.port);
    // Two pages, as on any day.
    await postPage(browser);
    const posts: Posted[] = [];
    for (let person = 0; person < people; person += 1) {
      const page = await newPerson(browser, { baseURL: observed.origin, ignoreHTTPSErrors: true });
      await signUp(page);
      for (let nth = 0; nth < postsOfEach; nth += 1) {
        const vent = samples[(posts.length * 17 + 5) % samples.length] as Sample;
        // Both kinds equally often, in an order that nobody knows.
        const isHeld = ((nth * 7 + person * 3) % 10) % 2 === 0;
        await post(page, vent, isHeld, () => void observed.takeSeen());
        posts.push({ vent, isHeld, seen: observed.takeSeen() });
      }
      await page.context().close();
    }
    await observed.stop();

    const [chance, right, told] = [1 / candidates, guessVents(posts), guessHeld(posts)];
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    console.log(
      `the right vent among ${candidates}: ${percent(right)} (chance ${percent(chance)}); held or not: ${told} of ${posts.length}`,
    );
    expect(right).toBeLessThanOrEqual(1.5 * chance);
    // By chance more than 31 of 40 come once in 10,000 runs.
    expect(posts.length).toBe(40);
    expect(told).toBeLessThan(32);
  },
);

test('a comment costs at most 5 kB up, and filling a first vent at most 0.3 s on slow 3G', async ({
  browser,
}) => {
  const observed = await startObserved(testEnv.port);
  await postPage(browser);
  const page = await newPerson(browser, { baseURL: observed.origin, ignoreHTTPSErrors: true });
  await signUp(page);
  const vent = samples[0] as Sample;
  let exchange: readonly SeenRecord[] = [];
  let answerBytes = 0;
  page.on('response', (response) => {
    if (!response.url().endsWith(createVent.path)) return;
    exchange = observed.takeSeen();
    void response.json().then((answer) => (answerBytes = Buffer.byteLength(JSON.stringify(answer))));
  });
  await post(page, vent, false, () => void observed.takeSeen());
  const spent = sum(exchange.map(({ bytes }) => bytes));
  const filled = spent - bodyOf(vent, false) - answerBytes;
  const seconds = filled / slowBytesPerSecond;

  await page
    .getByRole('button', { name: /^Comments/u })
    .last()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your comment').fill('I have been there too. It gets lighter.');
  await settle(page);
  observed.takeSeen();
  await dialog.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(dialog.getByRole('button', { name: 'Delete comment' })).toBeVisible();
  await settle(page);
  const up = sum(upload(observed.takeSeen()));
  await page.context().close();
  await observed.stop();
  console.log(
    `a comment: ${up} bytes up; a first vent: ${filled} bytes more, ${seconds.toFixed(2)} s on slow 3G`,
  );
  expect(up).toBeLessThanOrEqual(5 * 1024);
  expect(seconds).toBeLessThanOrEqual(0.3);
});
