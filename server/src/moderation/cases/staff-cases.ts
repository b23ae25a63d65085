import type { ModerationBase } from '../../kernel/base.ts';
import type { PolicyName, ReportSubject } from '@unsaid/contract';
import { policies } from '@unsaid/contract/moderation/policies';
import type { Viewer } from '../../kernel/viewer.ts';
import { hourMs } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { recordAudit } from '../audit.ts';
import type { CaseBox } from '../case-box.ts';
import { addNote } from '../case-notes.ts';
import type { Subject, Subjects } from '../../kernel/subjects.ts';
import * as queries from '../reports/reports.queries.ts';
import type { ItemCopies } from '../reports/item-copies.ts';
import type { ItemReader } from '../reports/item-reader.ts';
import { languageOf } from '@unsaid/guard/language';

export interface StaffCase {
  readonly subject: Subject;
  readonly policy: PolicyName;
  readonly source: 'staff' | 'order';
  readonly note?: string | undefined;
  /** The alias of the moderator. */
  readonly by: string;
}

/** Cases that moderators open: for an order of a court or authority, or for what staff saw. */
export interface StaffCases {
  /** Decodes public ids, without a viewer for the console. What does not decode becomes a subject that is not found. */
  resolveSubject(about: ReportSubject, viewer: Viewer | null): Promise<Subject>;
  /**
   * Opens a case about an item in any state and returns its id. An undecided case of the item is taken over, with
   * another rule and clock: nobody could find it among the others by its item. Throws the item's own not-found error.
   */
  openByStaff(staffCase: StaffCase): Promise<bigint>;
}

interface StaffCasesDeps extends Pick<ModerationBase, 'db' | 'clock'> {
  readonly subjects: Subjects;
  readonly caseBox: CaseBox;
  readonly copies: ItemCopies;
  readonly reader: ItemReader;
}

export function createStaffCases({
  db,
  clock,
  subjects,
  caseBox,
  copies,
  reader,
}: StaffCasesDeps): StaffCases {
  return {
    resolveSubject: reader.resolve,

    async openByStaff({ subject, policy, source, note, by }) {
      const item = await reader.read(subject);
      const key = subjects.keyOf(subject);
      const now = new Date(clock.now());
      const { severity, dueHours } = policies[policy];
      const dueAt = new Date(now.getTime() + dueHours * hourMs);

      const withNote = (sealedNote: Buffer | null) =>
        addNote(caseBox, { subjectKey: key, sealedNote }, by, note);

      return transaction(db, async (tx) => {
        const entry = {
          at: now,
          actor: by,
          action: 'opened',
          detail: { kind: subject.kind, source, policy, severity },
        } as const;
        for (;;) {
          const found = await queries.lockUndecided(tx, key);
          const caseId = found
            ? found.id
            : await queries.insertCase(tx, {
                subjectKey: key,
                subjectKind: subject.kind,
                source,
                policy,
                severity,
                language: languageOf(item.words),
                sealedItem: copies.sealItem(key, item.snapshot),
                sealedAuthor: copies.sealAuthor(key, item.author),
                sealedNote: withNote(null),
                openedAt: now,
                dueAt,
              });
          // A concurrent report has opened it.
          if (caseId === null) continue;
          const changed = found?.sealedItem && copies.sealChanges(key, found.sealedItem, item.snapshot);
          if (found)
            await queries.updateCase(tx, found.id, {
              ...(changed ? { sealedItem: changed } : {}),
              source,
              policy,
              severity: Math.max(found.severity, severity),
              dueAt: new Date(Math.min(found.dueAt.getTime(), dueAt.getTime())),
              sealedNote: withNote(found.sealedNote),
              version: found.version + 1,
            });
          await recordAudit(tx, { ...entry, caseId });
          return caseId;
        }
      });
    },
  };
}
