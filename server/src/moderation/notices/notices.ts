import type { AppealState, NoticeView, PolicyName, SubjectKind } from '@unsaid/contract';
import type { Resolution } from '@unsaid/contract/moderation/console';
import type { Viewer } from '../../kernel/viewer.ts';
import { dayInIndia, startOfDayInIndia, type Day } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../../kernel/person-keys.ts';
import { recordAudit } from '../audit.ts';
import { changeCase } from '../cases/case-changes.ts';
import type { CaseRow } from '../cases/case-row.ts';
import { appealDueAt } from '../cases/cases.state.ts';
import type { ModerationContext } from '../context.ts';
import * as queries from './notices.queries.ts';

/** What an author is told of decisions, and their appeals. Only the author's own keys find a notice. */

export interface NoticeHead {
  readonly id: bigint;
  readonly day: Day;
}

/** Newest first. Nothing is written: a read mark would be the time of a visit. */
export async function listNotices(ctx: ModerationContext, person: Person): Promise<NoticeView[]> {
  const now = ctx.clock.now();
  const rows = await queries.listNotices(ctx.db, person.noticeSlots(), new Date(now));
  return rows.filter((row) => isAuthor(ctx, person, row)).flatMap((row) => toView(ctx, row, now));
}

/** The same without what they say, for the inbox. */
export async function listNoticeHeads({ db, clock }: ModerationContext, person: Person) {
  return queries.listHeads(db, person.noticeSlots(), new Date(clock.now()));
}

export async function appealNotice(
  ctx: ModerationContext,
  { person }: Viewer,
  noticeId: string,
  text: string,
): Promise<void> {
  const id = ctx.publicIds.notice.decode(noticeId);
  if (id === null) throw new AppError('NOTICE_NOT_FOUND');
  await inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const at = new Date(now);
    const row = await queries.lockCaseOfNotice(ctx.db, id, person.noticeSlots(), at);
    if (!row || !isAuthor(ctx, person, row)) throw new AppError('NOTICE_NOT_FOUND');
    const set = {
      sealedAppeal: ctx.caseBox.seal('appeal', row.subjectKey, text),
      dueAt: new Date(appealDueAt(now)),
    };
    const change = await changeCase(ctx, row, { type: 'appeal' }, { at, set });
    if ('refusal' in change) throw new AppError('APPEAL_CLOSED');
    // The log is kept for good, and moderators read it: the day alone.
    const day = new Date(startOfDayInIndia(dayInIndia(now)));
    await recordAudit(ctx.db, { at: day, actor: 'author', action: 'appealed', caseId: row.id });
  });
}

/** A slot key or a case that was copied to another row shows nobody else's item. */
function isAuthor(
  { caseBox }: ModerationContext,
  { speakerId }: Person,
  { subjectKey, sealedItem, sealedAuthor }: Pick<CaseRow, 'subjectKey' | 'sealedItem' | 'sealedAuthor'>,
): boolean {
  const author = sealedAuthor && caseBox.open('author', subjectKey, sealedAuthor);
  return sealedItem === null || author === speakerId.toString('base64url');
}

/** None for a row that does not open. */
function toView({ caseBox, publicIds }: ModerationContext, row: queries.NoticeRow, now: number) {
  const terms = caseBox.open('notice', row.slotKey, row.sealed);
  if (!terms) return [];
  const { sanction, endsAt } = terms;
  const item = row.sealedItem && caseBox.open('item', row.subjectKey, row.sealedItem);
  const view: NoticeView = {
    _id: publicIds.notice.encode(row.id),
    kind: row.kind as NoticeView['kind'],
    about: row.subjectKind as SubjectKind,
    policy: row.policy as PolicyName,
    excerpt: item?.excerpt ?? null,
    day: row.madeOn,
    sanction,
    // The end alone: the start is random, so that nobody can tell whose silence began with a decision.
    until: endsAt === null ? null : lastDay(endsAt),
    appeal: appealStateOf(row, now),
  };
  return [view];
}

/** The last day, in India, on which a sanction is in force. */
function lastDay(endsAt: number) {
  return dayInIndia(endsAt - 1);
}

function appealStateOf({ state, appealUntil, resolution }: queries.NoticeRow, now: number): AppealState {
  if (resolution) return resolution as Resolution;
  if (state === 'appealed') return 'waiting';
  return state === 'decided' && appealUntil && now <= appealUntil.getTime() ? 'open' : 'closed';
}
