import { defineConfig } from 'vitest/config';

/** Time limits are for tests that hang. No verdict depends on the speed of the machine, so no test has its own. */
const testLimitMs = process.env['TEST_TIER'] === 'full' ? 3_600_000 : 600_000;
const hookLimitMs = 1_800_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', '../contract/test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: testLimitMs,
    hookTimeout: hookLimitMs,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
  },
});
