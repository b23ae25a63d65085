import type { ModerationBase } from '../../kernel/base.ts';
import type {
  CaseLine,
  CasePart,
  CaseView,
  escalateCase,
  openCase,
} from '@unsaid/contract/moderation/console';
import type { ParsedRequestOf } from '@unsaid/contract';
import { dayInIndia, hourMs } from '../../platform/clock.ts';
import { transaction, type ModerationDb } from '../../platform/db.ts';
import { recordAudit, type AuditAction } from '../audit.ts';
import type { Authors } from '../authors.ts';
import type { CaseBox } from '../case-box.ts';
import { addNote } from '../case-notes.ts';
import type { StaffCases } from './staff-cases.ts';
import type { Moderator } from '../moderators/moderator.ts';
import { severeLeft } from '../moderators/severe-limit.ts';
import { readTerms } from '../notices/notice-terms.ts';
import { changeCase, commandCase, deciderOf, refusalError, requireCase } from './case-changes.ts';
import type { CaseRow } from './case-row.ts';
import * as queries from './cases.queries.ts';
import { severeFrom, type CaseEvent } from './cases.state.ts';
import { caseLine, caseView, type AuthorFacts } from './cases.view.ts';

/** The queue, and leases of cases. */
export interface CasesService {
  list(
    moderator: Moderator,
    show: queries.CaseFilter,
    page: number,
  ): Promise<{ cases: CaseLine[]; hasMore: boolean; waiting: number }>;
  get(moderator: Moderator, caseId: bigint): Promise<CaseView>;
  open(moderator: Moderator, input: ParsedRequestOf<typeof openCase>['body']): Promise<CaseView>;
  /** Takes the next case. Null if nothing waits for this moderator. */
  next(moderator: Moderator): Promise<CaseView | null>;
  take(moderator: Moderator, caseId: bigint): Promise<CaseView>;
  extend(moderator: Moderator, caseId: bigint): Promise<CaseView>;
  release(moderator: Moderator, caseId: bigint, isSkip: boolean): Promise<void>;
  escalate(
    moderator: Moderator,
    caseId: bigint,
    input: ParsedRequestOf<typeof escalateCase>['body'],
  ): Promise<void>;
}

interface CasesDeps extends Pick<ModerationBase, 'db' | 'clock'> {
  readonly caseBox: CaseBox;
  readonly authors: Authors;
  readonly staffCases: StaffCases;
}

const pageSize = 50;
/** A skipped case goes to others first. */
const skipMs = hourMs;

export function createCasesService(deps: CasesDeps): CasesService {
  const { db, clock, caseBox, authors, staffCases } = deps;

  async function listParts(row: CaseRow): Promise<CasePart[]> {
    const hasDetails = await queries.hasDetails(db, row.id);
    return [
      ...(row.sealedItem ? (['item'] as const) : []),
      ...(row.subjectKind === 'comment' ? (['context'] as const) : []),
      ...(hasDetails ? (['details'] as const) : []),
      ...(row.sealedAppeal ? (['appeal'] as const) : []),
    ];
  }

  /**
   * Only for whoever holds the case, which is in the audit log: cases of one author change together, when the author
   * leaves or another decision is made. A moderator who reads all of them again and again would see which.
   */
  async function findAuthor({ moderatorId }: Moderator, row: CaseRow): Promise<AuthorFacts | null> {
    const now = clock.now();
    const isHeld =
      row.leasedBy === moderatorId && row.leasedUntil !== null && row.leasedUntil.getTime() > now;
    if (!isHeld) return null;
    const author = await authors.find(row.subjectKey, row.sealedAuthor);
    if (!author) return { points: 0, isGone: row.sealedAuthor !== null };
    // A decision about another item does not change a case that is open: that would tell that both have one author.
    const openedOn = dayInIndia(row.openedAt.getTime());
    const points = (await readTerms(db, caseBox, author.noticeSlots(), now))
      .filter(({ isValid, madeOn }) => isValid && madeOn < openedOn)
      .reduce((sum, notice) => sum + notice.points, 0);
    return { points, isGone: false };
  }

  async function view(moderator: Moderator, row: CaseRow): Promise<CaseView> {
    const { moderatorId } = moderator;
    const [reasons, parts, author, notice] = await Promise.all([
      queries.countReasons(db, [row.id]),
      listParts(row),
      findAuthor(moderator, row),
      queries.findNotice(db, row.id),
    ]);
    const line = caseLine(row, reasons, { moderatorId, now: clock.now() });
    const sanction = (notice && caseBox.open('notice', notice.slotKey, notice.sealed)?.sanction) ?? 'none';
    const note = row.sealedNote && caseBox.open('note', row.subjectKey, row.sealedNote);
    return caseView(row, line, { parts, author, sanction, note }, moderatorId);
  }

  async function record(
    tx: ModerationDb,
    { alias }: Moderator,
    action: AuditAction,
    { id, severity }: CaseRow,
    at: Date,
  ): Promise<void> {
    await recordAudit(tx, { at, actor: alias, action, caseId: id, detail: { severity } });
  }

  /** One command of a moderator on one case, with its audit entry. */
  const command = (
    moderator: Moderator,
    caseId: bigint,
    event: CaseEvent,
    action: AuditAction,
    note?: string,
  ): Promise<CaseRow> =>
    transaction(db, async (tx) => {
      const at = new Date(clock.now());
      const { row } = await commandCase(tx, caseId, event, {
        at,
        set: (before) => (note ? { sealedNote: addNote(caseBox, before, moderator.alias, note) } : {}),
      });
      await record(tx, moderator, action, row, at);
      return row;
    });

  async function lockNext(tx: ModerationDb, moderator: Moderator, now: Date): Promise<CaseRow | undefined> {
    const without = await queries.listSkipped(tx, moderator.alias, new Date(now.getTime() - skipMs));
    const languages = await queries.findLanguages(tx, moderator.moderatorId);
    // Who has read enough severe texts today could not read another: those go to colleagues.
    const maxSeverity = (await severeLeft(tx, moderator, clock)) > 0 ? 4 : severeFrom - 1;
    // What is urgent comes before a preferred language.
    for (const urgency of queries.urgencies)
      for (const wanted of [languages, null]) {
        const search = { urgency, maxSeverity, languages: wanted, without, now };
        const row = await queries.lockNext(tx, deciderOf(moderator), search);
        if (row) return row;
      }
    return undefined;
  }

  return {
    async list(moderator, show, page) {
      const now = new Date(clock.now());
      const decider = deciderOf(moderator);
      const slice = { limit: pageSize + 1, offset: (page - 1) * pageSize, now };
      const [rows, waiting] = await Promise.all([
        queries.listCases(db, show, decider, slice),
        queries.countWaiting(db, decider),
      ]);
      const shown = rows.slice(0, pageSize);
      const reasons = await queries.countReasons(
        db,
        shown.map(({ id }) => id),
      );
      const at = { moderatorId: moderator.moderatorId, now: now.getTime() };
      return {
        cases: shown.map((row) => caseLine(row, reasons, at)),
        hasMore: rows.length > pageSize,
        waiting,
      };
    },

    get: async (moderator, caseId) => view(moderator, await requireCase(db, caseId)),

    async open(moderator, { about, policy, source, note }) {
      const subject = await staffCases.resolveSubject(about, null);
      const caseId = await staffCases.openByStaff({ subject, policy, source, note, by: moderator.alias });
      return view(moderator, await requireCase(db, caseId));
    },

    async next(moderator) {
      const row = await transaction(db, async (tx) => {
        const at = new Date(clock.now());
        const found = await lockNext(tx, moderator, at);
        if (!found) return null;
        const change = await changeCase(tx, found, { type: 'take', by: deciderOf(moderator) }, { at });
        if ('refusal' in change) throw refusalError(change.refusal);
        await record(tx, moderator, 'taken', change.row, at);
        return change.row;
      });
      return row && view(moderator, row);
    },

    async take(moderator, caseId) {
      const event: CaseEvent = { type: 'take', by: deciderOf(moderator) };
      return view(moderator, await command(moderator, caseId, event, 'taken'));
    },

    async extend(moderator, caseId) {
      const event: CaseEvent = { type: 'extend', by: deciderOf(moderator) };
      return view(moderator, await command(moderator, caseId, event, 'extended'));
    },

    async release(moderator, caseId, isSkip) {
      const event: CaseEvent = { type: 'release', by: deciderOf(moderator) };
      await command(moderator, caseId, event, isSkip ? 'skipped' : 'released');
    },

    async escalate(moderator, caseId, { version, note }) {
      const event: CaseEvent = { type: 'escalate', by: deciderOf(moderator), version };
      await command(moderator, caseId, event, 'escalated', note);
    },
  };
}
