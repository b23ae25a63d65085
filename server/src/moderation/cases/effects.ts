import { mergeTexts } from '../../kernel/profile-texts.ts';
import type { ItemSnapshot } from '../../kernel/subjects.ts';
import { inTransaction } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import type { ModerationContext } from '../context.ts';
import * as queries from './effects.queries.ts';

/**
 * Applies to items what was decided. A decision commits with its pending effect; the effect follows through the service
 * that owns the item, and is retried by a job until it is done. Applying one twice does nothing, and neither does applying
 * it to an item that its author deleted.
 */

/** Somebody who edits their profile all the time cannot keep this from ending: the next round goes on. */
const maxSteps = 5;
const pendingEffects = rowsOf('moderation', 'cases with a pending effect', (caseId: bigint) => caseId);

export async function applyPendingEffect(ctx: ModerationContext, caseId: bigint): Promise<void> {
  for (let n = 0; n < maxSteps; n += 1) if (await applyStep(ctx, caseId)) return;
}

export async function applyPendingEffects(ctx: ModerationContext, rows: JobRows): Promise<void> {
  await rows.each(await queries.listPending(ctx.db), pendingEffects, (caseId) =>
    applyPendingEffect(ctx, caseId),
  );
}

/**
 * True when done. Holds the lock of the case while the item changes: an outdated effect cannot follow a newer one.
 */
const applyStep = (ctx: ModerationContext, caseId: bigint): Promise<boolean> =>
  inTransaction(
    ctx,
    async (ctx) => {
      await queries.lockItem(ctx.db, caseId);
      const row = await queries.lockPending(ctx.db, caseId);
      if (!row) return true;
      const isMoot =
        row.pendingEffect === 'restore' &&
        (await queries.isRestrictedByOther(ctx.db, caseId, row.subjectKey));
      const isDone = isMoot || (await applyTo(ctx, caseId, row));
      if (isDone) await queries.clearPending(ctx.db, caseId);
      return isDone;
    },
    { alsoTakes: ['identity', 'content'] },
  );

async function applyTo(
  ctx: ModerationContext,
  caseId: bigint,
  row: queries.CaseWithEffect,
): Promise<boolean> {
  const { items } = ctx.ports;
  const subject = ctx.subjects.open(row.subjectKey);
  const event = row.pendingEffect;
  switch (subject.kind) {
    case 'vent':
      await items.vent.apply(subject, event);
      return true;
    case 'comment':
      await items.comment.apply(subject, event);
      return true;
    case 'profile': {
      if (event !== 'restore') return clearProfile(ctx, caseId, row, subject.userId);
      const { cleared } = openItem(ctx, row);
      if (cleared) await items.profile.restore(subject.userId, cleared);
      return true;
    }
  }
}

/** What will be emptied is committed with the case first, in a step of its own: a crash in between loses nothing. */
async function clearProfile(
  ctx: ModerationContext,
  caseId: bigint,
  row: queries.CaseWithEffect,
  userId: bigint,
): Promise<boolean> {
  const { profile } = ctx.ports.items;
  const texts = await profile.findTexts(userId);
  if (!texts) return true;
  const item = openItem(ctx, row);
  const cleared = item.cleared ? mergeTexts(texts, item.cleared) : texts;
  if (JSON.stringify(cleared) === JSON.stringify(item.cleared)) return profile.clear(userId, texts);
  const sealedItem = ctx.caseBox.seal('item', row.subjectKey, { ...item, cleared });
  await queries.updateItem(ctx.db, caseId, sealedItem);
  return false;
}

function openItem(
  { caseBox }: ModerationContext,
  { subjectKey, sealedItem }: queries.CaseWithEffect,
): ItemSnapshot {
  const item = sealedItem && caseBox.open('item', subjectKey, sealedItem);
  return item || { paragraphs: [], excerpt: null };
}
