import type { LeavingSpan } from '@unsaid/contract';
import type { Person } from './person-keys.ts';

/**
 * The order of erasure. `closing` marks the person as leaving: nothing more can be written, so the parts after it find
 * everything. `account` comes last, so that a failed erasure can be retried.
 */
export const erasureOrder = ['closing', 'words', 'account'] as const;

/** The personal data of a feature: its tables, its export and its erasure. */
export interface PrivacyPart {
  /** The key of this part in an export. */
  readonly feature: string;
  /** Every table the feature owns, as schema.table. A test fails for a table that no part names. */
  readonly tables: readonly string[];
  readonly erases: (typeof erasureOrder)[number];
  export(subject: PrivacySubject): Promise<unknown>;
  /** Idempotent: it runs again after a failure half-way. */
  erase(subject: PrivacySubject, choice: ErasureChoice): Promise<void>;
}

export interface PrivacySubject {
  readonly userId: bigint;
  readonly person: Person;
}

export interface ErasureChoice {
  readonly removeWords: LeavingSpan;
  /** Whether a comment carries their name: until it is removed, the name is shown. Final once `closing` is done. */
  isNameShown(): Promise<boolean>;
}
