import type { ModerationBase } from '../../kernel/base.ts';
import { transaction, type ModerationDb } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { mergeTexts } from '../../kernel/profile-texts.ts';
import type { CaseBox } from '../case-box.ts';
import type { Items } from '../ports.ts';
import type { ItemSnapshot } from '../../kernel/subjects.ts';
import type { Subjects } from '../../kernel/subjects.ts';
import * as queries from './effects.queries.ts';

/**
 * Applies to items what was decided. A decision commits with its pending effect; the effect follows through the service
 * that owns the item, and is retried by a job until it is done. Applying one twice does nothing, and neither does applying
 * it to an item that its author deleted.
 */
export interface Effects {
  applyPending(caseId: bigint): Promise<void>;
  applyAllPending(rows: JobRows): Promise<void>;
}

export interface EffectsDeps extends Pick<ModerationBase, 'db'> {
  readonly subjects: Subjects;
  readonly caseBox: CaseBox;
  readonly items: Items;
}

/** Somebody who edits their profile all the time cannot keep this from ending: the next round goes on. */
const maxSteps = 5;
const pendingEffects = rowsOf('moderation', 'cases with a pending effect', (caseId: bigint) => caseId);

export function createEffects({ db, subjects, caseBox, items }: EffectsDeps): Effects {
  function openItem({ subjectKey, sealedItem }: queries.CaseWithEffect): ItemSnapshot {
    const item = sealedItem && caseBox.open('item', subjectKey, sealedItem);
    return item || { paragraphs: [], excerpt: null };
  }

  /**
   * True when done. What will be emptied is committed with the case first, in a step of its own: a crash in between loses
   * nothing.
   */
  async function clearProfile(
    tx: ModerationDb,
    caseId: bigint,
    row: queries.CaseWithEffect,
    userId: bigint,
  ): Promise<boolean> {
    const texts = await items.profile.findTexts(userId);
    if (!texts) return true;
    const item = openItem(row);
    const cleared = item.cleared ? mergeTexts(texts, item.cleared) : texts;
    if (JSON.stringify(cleared) === JSON.stringify(item.cleared)) return items.profile.clear(userId, texts);
    await queries.updateItem(tx, caseId, caseBox.seal('item', row.subjectKey, { ...item, cleared }));
    return false;
  }

  async function applyTo(tx: ModerationDb, caseId: bigint, row: queries.CaseWithEffect): Promise<boolean> {
    const subject = subjects.open(row.subjectKey);
    const event = row.pendingEffect;
    switch (subject.kind) {
      case 'vent':
        await items.vent.apply(subject, event);
        return true;
      case 'comment':
        await items.comment.apply(subject, event);
        return true;
      case 'profile': {
        if (event !== 'restore') return clearProfile(tx, caseId, row, subject.userId);
        const { cleared } = openItem(row);
        if (cleared) await items.profile.restore(subject.userId, cleared);
        return true;
      }
    }
  }

  async function applyStep(tx: ModerationDb, caseId: bigint): Promise<boolean> {
    await queries.lockItem(tx, caseId);
    const row = await queries.lockPending(tx, caseId);
    if (!row) return true;
    const isMoot =
      row.pendingEffect === 'restore' && (await queries.isRestrictedByOther(tx, caseId, row.subjectKey));
    const isDone = isMoot || (await applyTo(tx, caseId, row));
    if (isDone) await queries.clearPending(tx, caseId);
    return isDone;
  }

  /** Holds the lock of the case while the item changes: an outdated effect cannot follow a newer one. */
  const step = (caseId: bigint): Promise<boolean> =>
    transaction(db, (tx) => applyStep(tx, caseId), { alsoTakes: ['identity', 'content'] });

  async function applyPending(caseId: bigint): Promise<void> {
    for (let n = 0; n < maxSteps; n += 1) if (await step(caseId)) return;
  }

  return {
    applyPending,
    async applyAllPending(rows) {
      await rows.each(await queries.listPending(db), pendingEffects, applyPending);
    },
  };
}
