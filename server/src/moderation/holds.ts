import type { Databases } from '../platform/db.ts';
import { severeFrom } from './cases/cases.state.ts';
import { hasOpenCase } from './holds.queries.ts';
import type { Subject, Subjects } from './subjects.ts';

/** Whether an item has to stay for now: until its case is closed, if that is severe, also when its author has left. */
export interface Holds {
  isHeld(subject: Subject): Promise<boolean>;
}

export function createHolds({ db, subjects }: { db: Databases; subjects: Subjects }): Holds {
  return { isHeld: (subject) => hasOpenCase(db.moderation, subjects.keyOf(subject), severeFrom) };
}
