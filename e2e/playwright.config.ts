import { defineConfig } from '@playwright/test';
import { chromiumLaunch } from './chromium.ts';
import { reports, testEnv, workers } from './test-env.ts';

const tier = process.env['TEST_TIER'] ?? 'change';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'test-results',
  fullyParallel: true,
  workers,
  forbidOnly: true,
  ...(tier === 'full' ? {} : { grepInvert: /@full/u }),
  // A journey that passes only the second time is a defect.
  retries: 0,
  // Limits on a journey that hangs. They are far above what any needs on a busy machine, so that no verdict depends on
  // speed; a journey that passes never waits for them.
  timeout: 300_000,
  expect: {
    timeout: 60_000,
    // Same fonts, same renderer, no hinting: on one version of Chromium not a pixel differs. Another version may
    // draw the edges of letters a little differently, and that is all these few pixels leave room for: a line
    // that moves, wraps or is missing costs more.
    toHaveScreenshot: { maxDiffPixelRatio: 0.003 },
  },
  // Beside the tests, without the platform in the name: they are taken in Debian's Chromium alone.
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  reporter: [['list'], ['json', { outputFile: `${reports}/../${tier}/e2e.json` }]],
  use: {
    baseURL: testEnv.origin,
    viewport: { width: 390, height: 844 },
    locale: 'en-IN',
    // Helplines are chosen by the time zone: that of the machine must not matter.
    timezoneId: 'UTC',
    // Transitions cost time and prove nothing. splash.spec.ts turns them on.
    reducedMotion: 'reduce',
    // It would cache every file of the release in each context. The specs that need it allow it.
    serviceWorkers: 'block',
    launchOptions: chromiumLaunch,
    // A trace of every step costs a third of the time of a run: `npm run e2e -- --trace on` records one.
    screenshot: 'only-on-failure',
  },
  webServer: {
    command: 'node start-server.ts',
    wait: { stdout: /ready/u },
    timeout: 300_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 30_000 },
  },
});
