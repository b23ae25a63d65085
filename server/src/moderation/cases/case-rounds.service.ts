import type { ModerationBase } from '../../kernel/base.ts';
import { dayMs } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
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
  run(): Promise<void>;
  /** Nightly: retention. */
  purge(): Promise<void>;
}

interface CaseRoundsDeps extends Pick<ModerationBase, 'db' | 'clock'> {
  readonly subjects: Subjects;
  readonly effects: Effects;
  readonly items: Items;
}

const batchSize = 500;
const clockEvents = { unpause: 'unpaused', lapse: 'lapsed' } as const satisfies Record<string, AuditAction>;
type ClockEvent = keyof typeof clockEvents;

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

  async function runDue(event: ClockEvent): Promise<void> {
    for (;;) {
      const ids = await queries.listDue(db, event, new Date(clock.now()), batchSize);
      for (const id of ids) await change(id, event, clockEvents[event]);
      if (ids.length < batchSize) return;
    }
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
  async function closeMoot(): Promise<void> {
    let after = 0n;
    for (;;) {
      const rows = await queries.listMild(db, after, batchSize);
      const existing = await findExisting(rows.map(({ subjectKey }) => subjects.open(subjectKey)));
      for (const { id, subjectKey } of rows)
        if (!existing.has(subjectKey.toString('hex'))) await change(id, 'moot', 'mooted');
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) return;
      after = last.id;
    }
  }

  async function deleteRemoved(subject: Subject): Promise<void> {
    if (subject.kind === 'vent') await items.vent.deleteRemoved(subject);
    if (subject.kind === 'comment') await items.comment.deleteRemoved(subject);
  }

  return {
    async run() {
      const faults: unknown[] = [];
      // A part that fails must not keep the others from running.
      const parts = [
        () => runDue('unpause'),
        () => runDue('lapse'),
        closeMoot,
        // Last: it also applies what the parts before it decided.
        () => effects.applyAllPending(),
      ];
      for (const part of parts) await part().catch((error: unknown) => faults.push(error));
      if (faults.length > 0) throw faults[0];
    },

    async purge() {
      const now = new Date(clock.now());
      const sealedUntil = new Date(now.getTime() + (keepClosedDays - keepSealedDays) * dayMs);
      await queries.emptySealed(db, sealedUntil);
      await queries.deleteExpiredNotices(db, now);
      await transaction(db, (tx) => queries.rewriteWithoutSlot(tx));
      for (;;) {
        const rows = await queries.listPurged(db, now, batchSize);
        for (const { id, subjectKey, isRemoved } of rows) {
          // The item first: after a crash in between, the case still leads to it.
          if (isRemoved) await deleteRemoved(subjects.open(subjectKey));
          await queries.deleteCase(db, id);
        }
        if (rows.length < batchSize) break;
      }
      const moved = (await queries.listMovedVents(db)).map((subjectKey) => subjects.open(subjectKey));
      await items.vent.rewrite(moved.flatMap((subject) => (subject.kind === 'vent' ? [subject.ventId] : [])));
    },
  };
}
