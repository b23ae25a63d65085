import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/** What a property draws first, as every test file draws. */
function firstDraws(): number[] {
  const drawn: number[] = [];
  fc.assert(
    fc.property(fc.nat(), (value) => {
      drawn.push(value);
    }),
    { numRuns: 5 },
  );
  return drawn;
}

test('a property without a seed draws what the tree of its commit says, run after run', () => {
  expect(firstDraws()).toEqual(firstDraws());
  const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
  const seed = Number(process.env['TEST_SEED'] || Number.parseInt(tree.slice(0, 8), 16) >>> 1);
  expect(fc.readConfigureGlobal().seed).toBe(seed);
});
