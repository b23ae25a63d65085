import { markdownTable } from './markdown-table.ts';
import type { OwnRedis } from './own-redis.ts';

/** What the parts of `npm run bench` are given, and what they give back. */

export interface BenchContext {
  /** The smallest first. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** How long each pgbench and wrk of a round runs. */
  readonly seconds: number;
  readonly requests: number;
  /** Another checkout, whose server is measured beside this one's in the same run. */
  readonly against: string | null;
  /** One of its own, so that nobody else's work is counted. */
  readonly redis: OwnRedis;
  /** A port that no part before it was given, and the one after it. */
  nextPort(): number;
}

export interface Target {
  readonly what: string;
  readonly wanted: string;
  readonly measured: string;
  readonly isReached: boolean;
}

export interface PartResult {
  /** Markdown: tables, and the sentences that belong to them. */
  readonly text: string;
  /** The same as numbers. */
  readonly figures: unknown;
  readonly targets?: readonly Target[];
}

export type Part = (context: BenchContext) => Promise<PartResult>;

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

export const grouped = (count: number): string => Math.round(count).toLocaleString('en-US');

export function targetTable(targets: readonly Target[]): string {
  return markdownTable(
    ['target', 'wanted', 'measured', 'reached'],
    targets.map(({ what, wanted: goal, measured, isReached }) => [
      what,
      goal,
      measured,
      isReached ? 'yes' : 'NO',
    ]),
  );
}
