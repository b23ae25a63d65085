import type { MatchingBase } from '../kernel/base.ts';
import type { PairCipher } from './pair-details.ts';
import type { PairKeys } from './pair-keys.ts';
import type { MatchingPorts } from './ports.ts';

/** What every function of this room gets first. Built once, in index.ts. */
export interface MatchingContext extends MatchingBase {
  readonly ports: MatchingPorts;
  readonly pairKeys: PairKeys;
  readonly cipher: PairCipher;
}
