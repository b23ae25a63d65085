/**
 * npm run bench:privacy -- [--runs 5000]: the test that nobody can tell whose a vent is, with many more random histories
 * than at night. It writes no report: that of the tests stays.
 */
import { spawnSync } from 'node:child_process';
import { readOptions } from '../testkit/options.ts';
import { repo } from '../testkit/server-process.ts';

const { runs } = readOptions({ runs: 5000 });
const test = 'test/unlinkable.proof.test.ts';
const args = ['vitest', 'run', '--root', 'server', test, '--reporter', 'default', '--testTimeout', '3600000'];
const { status } = spawnSync('npx', args, {
  cwd: repo,
  env: { ...process.env, TWO_WORLD_RUNS: String(runs) },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
