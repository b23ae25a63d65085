import { dayMs } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { inPages } from '../../platform/pages.ts';
import { recordAudit, type AuditAction } from '../audit.ts';
import type { Subject, SubjectOf } from '../../kernel/subjects.ts';
import type { ModerationContext } from '../context.ts';
import { changeCase } from './case-changes.ts';
import { keepClosedDays, keepSealedDays } from './case-row.ts';
import * as queries from './case-rounds.queries.ts';
import { lockCase } from './cases.queries.ts';
import { applyPendingEffects } from './effects.ts';

/** What happens to cases without a person: by the clock, or because the author deleted the item. */

const batchSize = 500;
const idOf = ({ id }: { readonly id: bigint }) => id;
const clockEvents = { unpause: 'unpaused', lapse: 'lapsed' } as const satisfies Record<string, AuditAction>;
type ClockEvent = keyof typeof clockEvents;
const caseRows = {
  unpause: rowsOf('moderation', 'cases to unpause', (id: bigint) => id),
  lapse: rowsOf('moderation', 'cases to lapse', (id: bigint) => id),
  moot: rowsOf('moderation', 'cases that may be moot', idOf, batchSize),
  purge: rowsOf('moderation', 'cases to purge', idOf),
  moved: rowsOf('moderation', 'vents of cases', (subjectKey: Buffer) => subjectKey, batchSize),
};

/** Each minute: effects that are pending, pauses and windows that end, items that are gone. */
export async function runCaseRound(ctx: ModerationContext, rows: JobRows): Promise<void> {
  await changeDue(ctx, rows, 'unpause');
  await changeDue(ctx, rows, 'lapse');
  await closeMoot(ctx, rows);
  // Last: it also applies what the parts before it decided.
  await applyPendingEffects(ctx, rows);
}

/** Nightly: retention. */
export async function purgeCases(ctx: ModerationContext, rows: JobRows): Promise<void> {
  const { db, subjects } = ctx;
  const now = new Date(ctx.clock.now());
  const sealedUntil = new Date(now.getTime() + (keepClosedDays - keepSealedDays) * dayMs);
  await queries.emptySealed(db, sealedUntil);
  await queries.deleteExpiredNotices(db, now);
  await inTransaction(ctx, ({ db }) => queries.rewriteWithoutSlot(db));
  const pages = inPages(batchSize, {
    from: 0n,
    list: (after) => queries.listPurged(db, { now, after, limit: batchSize }),
    cursorOf: idOf,
  });
  for await (const purged of pages)
    await rows.each(purged, caseRows.purge, async ({ id, subjectKey, isRemoved }) => {
      // The item first: after a crash in between, the case still leads to it.
      if (isRemoved) await deleteRemoved(ctx, subjects.open(subjectKey));
      await queries.deleteCase(db, id);
    });
  await rows.eachBatch(await queries.listMovedVents(db), caseRows.moved, (batch) => {
    const found = batch.map((subjectKey) => subjects.open(subjectKey));
    return ctx.ports.items.vent.rewrite(
      found.flatMap((subject) => (subject.kind === 'vent' ? [subject.ventId] : [])),
    );
  });
}

/** Nothing happens where the state machine says that the event is not due, or no longer. */
const changeByItself = (
  ctx: ModerationContext,
  caseId: bigint,
  type: ClockEvent | 'moot',
  action: AuditAction,
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const at = new Date(ctx.clock.now());
    const row = await lockCase(ctx.db, caseId);
    const changed = row && (await changeCase(ctx, row, { type }, { at }));
    if (!changed || 'refusal' in changed) return;
    const actor = type === 'moot' ? 'author' : 'clock';
    const detail = { severity: row.severity, policy: row.policy };
    await recordAudit(ctx.db, { at, actor, action, caseId, detail });
  });

async function changeDue(ctx: ModerationContext, rows: JobRows, event: ClockEvent): Promise<void> {
  const pages = inPages(batchSize, {
    from: 0n,
    list: (after) =>
      queries.listDue(ctx.db, event, { now: new Date(ctx.clock.now()), after, limit: batchSize }),
    cursorOf: (id) => id,
  });
  for await (const ids of pages)
    await rows.each(ids, caseRows[event], (id) => changeByItself(ctx, id, event, clockEvents[event]));
}

/** Cases of severity 3 and 4 go on from the encrypted copy. */
async function closeMoot(ctx: ModerationContext, rows: JobRows): Promise<void> {
  const pages = inPages(batchSize, {
    from: 0n,
    list: (after) => queries.listMild(ctx.db, after, batchSize),
    cursorOf: idOf,
  });
  for await (const cases of pages)
    await rows.eachBatch(cases, caseRows.moot, async (batch) => {
      const existing = await findExisting(
        ctx,
        batch.map(({ subjectKey }) => ctx.subjects.open(subjectKey)),
      );
      for (const { id, subjectKey } of batch)
        if (!existing.has(subjectKey.toString('hex'))) await changeByItself(ctx, id, 'moot', 'mooted');
    });
}

/** The subject keys of those that still exist, in hex. */
async function findExisting({ subjects, ports: { items } }: ModerationContext, found: readonly Subject[]) {
  const ofKind = <K extends Subject['kind']>(kind: K) =>
    found.filter((subject): subject is SubjectOf<K> => subject.kind === kind);
  const existing: Subject[] = [
    ...(await items.vent.listExisting(ofKind('vent'))),
    ...(await items.comment.listExisting(ofKind('comment'))),
    ...(await items.profile.listExisting(ofKind('profile'))),
  ];
  return new Set(existing.map((subject) => subjects.keyOf(subject).toString('hex')));
}

async function deleteRemoved({ ports: { items } }: ModerationContext, subject: Subject): Promise<void> {
  if (subject.kind === 'vent') await items.vent.deleteRemoved(subject);
  if (subject.kind === 'comment') await items.comment.deleteRemoved(subject);
}
