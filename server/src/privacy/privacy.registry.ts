import type { LeavingSpan } from '@unsaid/contract';
import type { Person } from '../platform/persons.ts';

/** What a feature holds about people, and how it hands it out and lets go of it. */
export interface PrivacyPart {
  /** The name of its part in an export. */
  readonly feature: string;
  /** Every table it owns, as schema.table. A table that no part names fails a test. */
  readonly tables: readonly string[];
  export(subject: PrivacySubject): Promise<unknown>;
  /** May run again after a failure half-way: letting go twice is letting go. */
  erase(subject: PrivacySubject, removeWords: LeavingSpan): Promise<void>;
}

export interface PrivacySubject {
  readonly userId: bigint;
  readonly person: Person;
}
