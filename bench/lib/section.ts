import type { TempRedis } from '../../testkit/temp-redis.ts';
import { markdownTable } from './markdown-table.ts';

/** The options of `npm run bench`, as its sections see them. */
export interface BenchContext {
  /** Numbers of vents, ascending. */
  readonly sizes: readonly number[];
  /** Numbers of people for matching, ascending. */
  readonly people: readonly number[];
  /** Ended pairs that each person who asks for suggestions already has. */
  readonly pastPairs: number;
  readonly rounds: number;
  /** How long each pgbench and wrk of a round runs. */
  readonly seconds: number;
  readonly requests: number;
  /** Concurrent clients of the hot vent. */
  readonly clients: number;
  /** Fill databases again, though they exist. */
  readonly isFresh: boolean;
  /** Another checkout, whose server is measured in the same run. */
  readonly against: string | null;
  /** Not shared with other programs, so that its CPU time is ours. */
  readonly redis: TempRedis;
}

export interface Target {
  readonly what: string;
  readonly wanted: string;
  readonly measured: string;
  readonly isReached: boolean;
}

export interface SectionResult {
  /** Markdown: tables and their legends. */
  readonly text: string;
  readonly targets?: readonly Target[];
}

export type Section = (context: BenchContext) => Promise<SectionResult>;

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
