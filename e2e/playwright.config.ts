import { defineConfig } from '@playwright/test';
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
  expect: { timeout: 8000 },
  reporter: [['list'], ['json', { outputFile: `${reports}/../e2e.json` }]],
  use: {
    baseURL: origin,
    viewport: { width: 390, height: 844 },
    locale: 'en-IN',
    launchOptions: {
      executablePath: '/usr/bin/chromium',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--font-render-hinting=none',
      ],
    },
    trace: 'retain-on-failure',
  },
  webServer: {
    command: 'node start-server.ts',
    url: `${origin}/readyz`,
    timeout: 60_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 5000 },
  },
});
