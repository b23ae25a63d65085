import { readCrisis, tellsToDie } from '@unsaid/guard/crisis';
import { findIdentity } from '@unsaid/guard/identity';
import type { Findings } from './pause.ts';

const crisisLevel = 2;

/** What the guards say about a text. A link alone leads to no person. */
export function findingsIn(words: string): Findings {
  return {
    supports(policy) {
      if (policy === 'private_info') return findIdentity(words).some(({ rule }) => rule !== 'link');
      return policy === 'encourages_self_harm' && tellsToDie(words);
    },
    isCrisis: readCrisis(words).level >= crisisLevel,
  };
}
