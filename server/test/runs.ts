import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

declare module 'vitest' {
  interface TaskMeta {
    aDayLater?: string;
  }
}

const tier = process.env['TEST_TIER'] === 'full' ? 'full' : 'change';

/** How many random cases a test tries: few for every change, and many in `npm run test:full`, every night. */
export function runs(variable: string, counts: { readonly change: number; readonly full: number }): number {
  const count = Number(process.env[variable] ?? counts[tier]);
  if (!Number.isInteger(count) || count < 1) throw new Error(`${variable} is no number of cases`);
  return count;
}

/**
 * The options of a test that runs at night only. `aDayLater` says what it costs to find its fault a day later, or which
 * test of the tier `change` finds it as well.
 */
export function fullTier(aDayLater: string) {
  return { tags: ['full'], meta: { aDayLater } };
}

/**
 * Seed of every random test: the tree of the commit, so that each commit tries other cases and the same one always the
 * same. TEST_SEED sets another, as every night does.
 */
export const seed = Number(process.env['TEST_SEED'] || (treeSeed() ?? randomInt(2 ** 31)));

function treeSeed(): number | undefined {
  try {
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8', stdio: 'pipe' });
    return Number.parseInt(tree.slice(0, 8), 16) >>> 1;
  } catch {
    return undefined;
  }
}
