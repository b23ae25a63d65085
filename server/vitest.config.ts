import { defineConfig } from 'vitest/config';

/** Time limits are for tests that hang. No verdict depends on the speed of the machine, so no test has its own. */
const isFull = process.env['TEST_TIER'] === 'full';
const testLimitMs = isFull ? 3_600_000 : 600_000;
const hookLimitMs = 1_800_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', '../{contract,guard}/test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/seeds.ts'],
    testTimeout: testLimitMs,
    hookTimeout: hookLimitMs,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Each file has an app, a database and a Redis prefix of its own. Importing the server again for each file would
    // take half of the CPU time.
    isolate: false,
    // One more than cores: a test waits for PostgreSQL and for processes a tenth of the time.
    maxWorkers: 3,
    tags: [{ name: 'full', description: 'Runs at night only: fullTier in test/runs.ts' }],
    reporters: ['default', ['json', { outputFile: `../reports/${isFull ? 'full' : 'change'}/server.json` }]],
  },
});
