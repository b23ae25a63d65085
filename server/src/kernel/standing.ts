import type { Person } from './person-keys.ts';

/** What a person may do: read and speak, only read, or neither. */
export type Standing = 'good' | 'limited' | 'suspended';

export interface Exclusion {
  readonly sanction: 'suspend' | 'ban';
  readonly endsAt: number;
}

/** Sanctions are on notices, which only their owner's keys find: no account and no item carries one. */
export interface StandingService {
  find(person: Person, options: { readonly skipCache: boolean }): Promise<Standing>;
  suspendedAmong(people: readonly Person[]): Promise<ReadonlySet<Person>>;
  /** Whether people may not speak now, by their notice slots: for what they said before and others have yet to see. */
  areSilent(noticeSlots: readonly (readonly Buffer[])[]): Promise<boolean[]>;
  /** The suspension or ban that ends last, also one that has yet to start. */
  findExclusion(person: Person): Promise<Exclusion | null>;
  /** After a decision about this person has been committed: replaces what is cached. */
  invalidate(person: Person): Promise<void>;
}
