import type { ModerationDb } from '../platform/db.ts';
import type { Subject, Subjects } from '../kernel/subjects.ts';
import { hasOpenCase } from './cases/cases.queries.ts';
import { severeFrom } from './cases/cases.state.ts';

/** An item has to stay until its case is closed, if that is severe, also when its author has left. */
export const createHolds = ({ db, subjects }: { db: ModerationDb; subjects: Subjects }) => ({
  isHeld: (subject: Subject): Promise<boolean> => hasOpenCase(db, subjects.keyOf(subject), severeFrom),
});
