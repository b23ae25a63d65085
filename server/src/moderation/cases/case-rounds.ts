import type { ModerationBase } from '../../kernel/base.ts';
import { dayMs } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import { inPages } from '../../platform/pages.ts';
import type { Items } from '../ports.ts';
import { recordAudit, type AuditAction } from '../audit.ts';
import type { Subject, SubjectOf, Subjects } from '../../kernel/subjects.ts';
import { changeCase } from './case-changes.ts';
import { keepClosedDays, keepSealedDays } from './case-row.ts';
import * as queries from './case-rounds.queries.ts';
import { lockCase } from './cases.queries.ts';
import type { Effects } from './effects.ts';

/** What happens to cases without a person: by the clock, or because the author deleted the item. */
export interface CaseRounds {
  /** Each minute: effects that are pending, pauses and windows that end, items that are gone. */
  run(rows: JobRows): Promise<void>;
  /** Nightly: retention. */
  purge(rows: JobRows): Promise<void>;
}

interface CaseRoundsDeps extends Pick<ModerationBase, 'db' | 'clock'> {
  readonly subjects: Subjects;
  readonly effects: Effects;
  readonly items: Items;
}

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

export function createCaseRounds(deps: CaseRoundsDeps): CaseRounds {
  const { db, clock, subjects, effects, items } = deps;

  /** Nothing happens where the state machine says that the event is not due, or no longer. */
  const change = (caseId: bigint, type: ClockEvent | 'moot', action: AuditAction): Promise<boolean> =>
    transaction(db, async (tx) => {
      const at = new Date(clock.now());
      const row = await lockCase(tx, caseId);
      const changed = row && (await changeCase(tx, row, { type }, { at }));
      if (!changed || 'refusal' in changed) return false;
      const actor = type === 'moot' ? 'author' : 'clock';
      const detail = { severity: row.severity, policy: row.policy };
      await recordAudit(tx, { at, actor, action, caseId, detail });
      return true;
    });

  async function runDue(rows: JobRows, event: ClockEvent): Promise<void> {
    const pages = inPages(batchSize, {
      from: 0n,
      list: (after) => queries.listDue(db, event, { now: new Date(clock.now()), after, limit: batchSize }),
      cursorOf: (id) => id,
    });
    for await (const ids of pages)
      await rows.each(ids, caseRows[event], (id) => change(id, event, clockEvents[event]));
  }

  /** The subject keys of those that still exist, in hex. */
  async function findExisting(found: readonly Subject[]): Promise<ReadonlySet<string>> {
    const ofKind = <K extends Subject['kind']>(kind: K) =>
      found.filter((subject): subject is SubjectOf<K> => subject.kind === kind);
    const existing: Subject[] = [
      ...(await items.vent.listExisting(ofKind('vent'))),
      ...(await items.comment.listExisting(ofKind('comment'))),
      ...(await items.profile.listExisting(ofKind('profile'))),
    ];
    return new Set(existing.map((subject) => subjects.keyOf(subject).toString('hex')));
  }

  /** Cases of severity 3 and 4 go on from the encrypted copy. */
  async function closeMoot(rows: JobRows): Promise<void> {
    const pages = inPages(batchSize, {
      from: 0n,
      list: (after) => queries.listMild(db, after, batchSize),
      cursorOf: idOf,
    });
    for await (const cases of pages)
      await rows.eachBatch(cases, caseRows.moot, async (batch) => {
        const existing = await findExisting(batch.map(({ subjectKey }) => subjects.open(subjectKey)));
        for (const { id, subjectKey } of batch)
          if (!existing.has(subjectKey.toString('hex'))) await change(id, 'moot', 'mooted');
      });
  }

  async function deleteRemoved(subject: Subject): Promise<void> {
    if (subject.kind === 'vent') await items.vent.deleteRemoved(subject);
    if (subject.kind === 'comment') await items.comment.deleteRemoved(subject);
  }

  return {
    async run(rows) {
      await runDue(rows, 'unpause');
      await runDue(rows, 'lapse');
      await closeMoot(rows);
      // Last: it also applies what the parts before it decided.
      await effects.applyAllPending(rows);
    },

    async purge(rows) {
      const now = new Date(clock.now());
      const sealedUntil = new Date(now.getTime() + (keepClosedDays - keepSealedDays) * dayMs);
      await queries.emptySealed(db, sealedUntil);
      await queries.deleteExpiredNotices(db, now);
      await transaction(db, (tx) => queries.rewriteWithoutSlot(tx));
      const pages = inPages(batchSize, {
        from: 0n,
        list: (after) => queries.listPurged(db, { now, after, limit: batchSize }),
        cursorOf: idOf,
      });
      for await (const purged of pages)
        await rows.each(purged, caseRows.purge, async ({ id, subjectKey, isRemoved }) => {
          // The item first: after a crash in between, the case still leads to it.
          if (isRemoved) await deleteRemoved(subjects.open(subjectKey));
          await queries.deleteCase(db, id);
        });
      await rows.eachBatch(await queries.listMovedVents(db), caseRows.moved, (batch) => {
        const found = batch.map((subjectKey) => subjects.open(subjectKey));
        return items.vent.rewrite(
          found.flatMap((subject) => (subject.kind === 'vent' ? [subject.ventId] : [])),
        );
      });
    },
  };
}
