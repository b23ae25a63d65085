import type { PolicyName } from '@unsaid/contract';
import { policies } from '@unsaid/contract/moderation/policies';
import { languageOf } from '@unsaid/guard/language';
import type { Subject } from '../../kernel/subjects.ts';
import { hourMs } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { recordAudit } from '../audit.ts';
import { sealAuthor } from '../authors.ts';
import { addNote } from '../case-box.ts';
import type { ModerationContext } from '../context.ts';
import { sealChanges } from '../reports/item-copies.ts';
import { readItem } from '../reports/item-reader.ts';
import * as queries from '../reports/reports.queries.ts';

/** A case that moderators open: for an order of a court or authority, or for what staff saw. */
interface StaffCase {
  readonly subject: Subject;
  readonly policy: PolicyName;
  readonly source: 'staff' | 'order';
  readonly note?: string | undefined;
  /** The alias of the moderator. */
  readonly by: string;
}

/**
 * Opens a case about an item in any state and returns its id. An undecided case of the item is taken over, with
 * another rule and clock: nobody could find it among the others by its item. Throws the item's own not-found error.
 */
export async function openCaseByStaff(
  ctx: ModerationContext,
  { subject, policy, source, note, by }: StaffCase,
): Promise<bigint> {
  const { caseBox } = ctx;
  const item = await readItem(ctx, subject);
  const key = ctx.subjects.keyOf(subject);
  const now = new Date(ctx.clock.now());
  const { severity, dueHours } = policies[policy];
  const dueAt = new Date(now.getTime() + dueHours * hourMs);

  const withNote = (sealedNote: Buffer | null) => addNote(caseBox, { subjectKey: key, sealedNote }, by, note);

  return inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    for (;;) {
      const found = await queries.lockUndecided(db, key);
      const caseId = found
        ? found.id
        : await queries.insertCase(db, {
            subjectKey: key,
            subjectKind: subject.kind,
            source,
            policy,
            severity,
            language: languageOf(item.words),
            sealedItem: caseBox.seal('item', key, item.snapshot),
            sealedAuthor: sealAuthor(ctx, key, item.author),
            sealedNote: withNote(null),
            openedAt: now,
            dueAt,
          });
      // A concurrent report has opened it.
      if (caseId === null) continue;
      const changed = found?.sealedItem && sealChanges(ctx, key, found.sealedItem, item.snapshot);
      if (found)
        await queries.updateCase(db, found.id, {
          ...(changed ? { sealedItem: changed } : {}),
          source,
          policy,
          severity: Math.max(found.severity, severity),
          dueAt: new Date(Math.min(found.dueAt.getTime(), dueAt.getTime())),
          sealedNote: withNote(found.sealedNote),
          version: found.version + 1,
        });
      const detail = { kind: subject.kind, source, policy, severity };
      await recordAudit(db, { at: now, actor: by, action: 'opened', caseId, detail });
      return caseId;
    }
  });
}
