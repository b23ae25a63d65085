import type { PolicyName } from '@unsaid/contract';
import { policies } from '@unsaid/contract/moderation/policies';
import { readCrisis, tellsToDie } from '@unsaid/guard/crisis';
import { findIdentity } from '@unsaid/guard/identity';

/** The reports on a case under one rule, of newcomers or of the others. */
export interface Tally {
  readonly policy: PolicyName;
  readonly isNewcomer: boolean;
  readonly reporters: number;
  readonly weight: number;
}

/** Where the reports of the last days came from. */
export interface Origins {
  readonly addresses: number;
  readonly reports: number;
}

/** What the words of the item say. Computed for this decision, never stored. */
export interface Findings {
  /** A guard found what this rule is about. */
  supports(policy: PolicyName): boolean;
  /** A sign of crisis: active ideation, self-harm or worse. */
  readonly isCrisis: boolean;
}

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

const newcomersShare = 0.4;
const guardWeight = 0.5;
const crowd = { reports: 8, newcomers: 0.6, addressesPerReport: 0.4 };
/** Sums of tenths are inexact. */
const tolerance = 1e-6;

const sum = (tallies: readonly Tally[], value: (tally: Tally) => number) =>
  tallies.reduce((total, tally) => total + value(tally), 0);
/** "I am worried about this person" accuses nobody. */
const accusations = (tallies: readonly Tally[]) =>
  tallies.filter(({ policy }) => policies[policy].pauseAt !== null);

/** Many reports of newcomers, or from few addresses. From then on only people decide about the item. */
export function looksCoordinated(tallies: readonly Tally[], origins: Origins | null): boolean {
  const all = accusations(tallies);
  const reporters = sum(all, (tally) => tally.reporters);
  if (reporters < crowd.reports) return false;
  const newcomers = sum(
    all.filter((tally) => tally.isNewcomer),
    (tally) => tally.reporters,
  );
  return (
    newcomers / reporters >= crowd.newcomers ||
    (origins !== null && origins.addresses / origins.reports < crowd.addressesPerReport)
  );
}

/**
 * Whether the reports reach the threshold of a rule. A report counts for its own rule and for less severe ones, so that
 * many mild reports lend no weight to one grave accusation.
 */
export function reachesPause(tallies: readonly Tally[], findings: Findings): boolean {
  return [...new Set(accusations(tallies).map(({ policy }) => policy))].some((policy) => {
    const { severity, pauseAt } = policies[policy];
    if (!pauseAt) return false;
    // Somebody in crisis is not to be silenced by a crowd.
    if (findings.isCrisis && severity < 4 && policy !== 'method_info') return false;
    const counted = accusations(tallies).filter((tally) => policies[tally.policy].severity >= severity);
    const weightOf = (isNewcomer: boolean) =>
      sum(
        counted.filter((tally) => tally.isNewcomer === isNewcomer),
        ({ weight }) => weight,
      );
    const total =
      weightOf(false) +
      Math.min(weightOf(true), newcomersShare * pauseAt.weight) +
      (findings.supports(policy) ? guardWeight : 0);
    return (
      total >= pauseAt.weight - tolerance && sum(counted, ({ reporters }) => reporters) >= pauseAt.reporters
    );
  });
}
