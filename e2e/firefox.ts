/**
 * npm run build && npm run firefox: signing up, a vent, a comment, the crisis card and the quick exit in Debian's
 * firefox-esr, over WebDriver BiDi. The journeys run in Chromium alone; this shows that nothing hangs on its engine.
 * --shots <folder> keeps a picture of each step.
 */
import { mkdirSync } from 'node:fs';
import { launch, type Page } from 'puppeteer-core';
import { readOptions } from '../testkit/options.ts';
import { needBrowser, startSite } from './measuring.ts';
import { waitForCode } from './outbox.ts';
import { createTestEnv } from './test-env.ts';

const { shots } = readOptions({ shots: '' });
const firefox = '/usr/bin/firefox-esr';
needBrowser(firefox);
needBrowser();
if (shots) mkdirSync(shots, { recursive: true });
const waitMs = 20_000;
const { outbox } = createTestEnv(0);

async function walk(page: Page, origin: string): Promise<void> {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.setDefaultTimeout(waitMs);
  const named = (name: string) => page.locator(`::-p-xpath(//button[normalize-space()="${name}"])`);
  const seen = (text: string) => page.waitForSelector(`::-p-text(${text})`, { visible: true });
  const write = async (selector: string, text: string) => {
    await page.locator(selector).click();
    await page.keyboard.type(text);
  };
  const shows = async (step: string) => {
    if (shots) await page.screenshot({ path: `${shots}/${step}.png` });
    console.log(`ok  ${step}`);
  };

  await page.goto(`${origin}/signup`);
  // The first start has a splash.
  await page.waitForSelector('html:not([data-splash])');
  const phone = '+919812345678';
  await write('input[type=tel]', phone.slice(3));
  await named('Send OTP').click();
  await page.waitForSelector('input[autocomplete=one-time-code]');
  const code = await waitForCode(phone, outbox);
  await write('input[autocomplete=one-time-code]', code);
  await named('Skip').click();
  await seen('Welcome to Unsaid');
  await shows('a number and a code make an account');

  await page.goto(`${origin}/vent/create`);
  await write('textarea', 'Said at last, in another browser.');
  await page.locator('::-p-xpath(//label[normalize-space()="Anxious"])').click();
  await named('Post vent').click();
  await seen('Only you know it');
  await shows('a vent is posted');

  await page.goto(`${origin}/vents`);
  await page.waitForSelector('article');
  const other = await page.waitForSelector('article:has(button[aria-label="More about this vent"]) h2 a');
  await other?.click();
  await write('textarea', 'I hear you, from another browser.');
  await named('Comment').click();
  await page.waitForSelector('main li ::-p-text(from another browser)');
  await shows('a comment is sent');

  await page.goto(`${origin}/vent/create`);
  await write('textarea', "I don't want to live anymore, I want to kill myself");
  const call = await page.waitForSelector('[data-card] a[href^="tel:"]', { visible: true });
  if (!(await call?.isIntersectingViewport())) throw new Error('the helpline is out of sight');
  await shows('the crisis card comes into sight');

  await page.goto(`${origin}/support`);
  const elsewhere = await page.$eval('#leave', (link) => (link as HTMLAnchorElement).href);
  // Nothing outside can be reached from here: that it is asked for tells enough.
  const asked = page.waitForRequest(elsewhere);
  await page.locator('#leave').click();
  await asked;
  console.log('ok  the quick exit leaves');
  if (errors.length > 0) throw new Error(`errors on the pages: ${errors.join('; ')}`);
}

const site = await startSite();
try {
  const browser = await launch({
    browser: 'firefox',
    executablePath: firefox,
    headless: true,
    defaultViewport: { width: 390, height: 844 },
    // Requests to the outside fail at once.
    extraPrefsFirefox: { 'network.proxy.type': 0, 'intl.accept_languages': 'en-IN' },
  });
  try {
    console.log(await browser.version());
    const page = await browser.newPage();
    await walk(page, site.origin).catch(async (error: unknown) => {
      if (shots) await page.screenshot({ path: `${shots}/failed.png` });
      throw error;
    });
  } finally {
    await browser.close();
  }
} finally {
  await site.stop();
}
