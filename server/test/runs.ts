import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const isFull = process.env['TEST_TIER'] === 'full';

/** How many random cases a test tries: few in CI, on every change, and many in `npm run test:full`. */
export function runs(variable: string, { ci, full }: { readonly ci: number; readonly full: number }): number {
  return Number(process.env[variable] ?? (isFull ? full : ci));
}

/**
 * Seed of every random test: the commit, so that successive commits try different cases and a failure can be repeated.
 * TEST_SEED sets another.
 */
export const seed = Number(process.env['TEST_SEED'] ?? commitSeed() ?? randomInt(2 ** 31));

function commitSeed(): number | undefined {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' });
    return Number.parseInt(commit.slice(0, 8), 16) >>> 1;
  } catch {
    return undefined;
  }
}
