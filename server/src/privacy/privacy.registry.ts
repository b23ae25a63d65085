import type { LeavingSpan } from '@unsaid/contract';
import type { Person } from '../pseudonyms/person-keys.ts';

/** The personal data of a feature: its tables, its export and its erasure. */
export interface PrivacyPart {
  /** The key of this part in an export. */
  readonly feature: string;
  /** Every table the feature owns, as schema.table. A test fails for a table that no part names. */
  readonly tables: readonly string[];
  /**
   * Identity tables with a `user_id` whose rows are rewritten in the night after their owner's visit
   * (docs/adr/0009-last-seen-days.md). A test fails for one that is missing.
   */
  readonly rewriteNightly?: readonly string[];
  export(subject: PrivacySubject): Promise<unknown>;
  /** Idempotent: it runs again after a failure half-way. */
  erase(subject: PrivacySubject, removeWords: LeavingSpan): Promise<void>;
}

export interface PrivacySubject {
  readonly userId: bigint;
  readonly person: Person;
}
