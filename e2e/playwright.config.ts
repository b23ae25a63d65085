import { defineConfig } from '@playwright/test';
import { chromiumLaunch } from './chromium.ts';
import { origin, reports } from './stage.ts';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  // Two cores carry browser, server, Postgres and Redis: one stall must not redden a whole run.
  retries: 1,
  timeout: 45_000,
  expect: {
    timeout: 8000,
    // Same fonts, same renderer, no hinting: on one version of Chromium not a pixel differs. Another version may
    // draw the edges of letters a little differently, and that is all these few pixels leave room for: a line
    // that moves, wraps or is missing costs more.
    toHaveScreenshot: { maxDiffPixelRatio: 0.003 },
  },
  // Beside the tests, without the platform in the name: they are taken in Debian's Chromium alone.
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  reporter: [['list'], ['json', { outputFile: `${reports}/../e2e.json` }]],
  use: {
    baseURL: origin,
    viewport: { width: 390, height: 844 },
    locale: 'en-IN',
    launchOptions: chromiumLaunch,
    // Watching every step costs a third of a run; what fails is run again, and then watched.
    trace: 'on-first-retry',
  },
  webServer: {
    command: 'node start-server.ts',
    url: `${origin}/readyz`,
    timeout: 60_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 5000 },
  },
});
