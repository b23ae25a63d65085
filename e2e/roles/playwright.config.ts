import { execFileSync } from 'node:child_process';
import { defineConfig } from '@playwright/test';
import { chromiumLaunch } from '../chromium.ts';

/** On a machine of `npm run shipped`: the public sites of the units, behind Caddy. */

/** The browser trusts the authority that stands in for the public one: by its key, as WebAuthn wants a valid certificate. */
const key = `openssl x509 -pubkey -noout -in /var/lib/caddy/.local/share/caddy/pki/authorities/local/intermediate.crt |
  openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`;
const trusted = execFileSync('bash', ['-c', key], { encoding: 'utf8' }).trim();

export default defineConfig({
  testDir: '.',
  outputDir: '/tmp/roles',
  workers: 1,
  forbidOnly: true,
  retries: 0,
  timeout: 300_000,
  // The jobs of a minute run in between.
  expect: { timeout: 90_000 },
  reporter: 'list',
  use: {
    baseURL: 'https://unsaid.local',
    viewport: { width: 390, height: 844 },
    locale: 'en-IN',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    serviceWorkers: 'block',
    launchOptions: {
      ...chromiumLaunch,
      args: [...chromiumLaunch.args, `--ignore-certificate-errors-spki-list=${trusted}`],
    },
  },
});
