import type { ModerationBase } from '../../kernel/base.ts';
import type { AppealState, NoticeView, PolicyName, SubjectKind } from '@unsaid/contract';
import type { Resolution } from '@unsaid/contract/moderation/console';
import type { Viewer } from '../../kernel/viewer.ts';
import { dayInIndia, startOfDayInIndia, type Day } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../../kernel/person-keys.ts';
import { recordAudit } from '../audit.ts';
import type { CaseBox } from '../case-box.ts';
import { changeCase } from '../cases/case-changes.ts';
import type { CaseRow } from '../cases/case-row.ts';
import { appealDueAt } from '../cases/cases.state.ts';
import * as queries from './notices.queries.ts';

/** What an author is told of decisions, and their appeals. Only the author's own keys find a notice. */
export interface NoticesService {
  /** Newest first. Nothing is written: a read mark would be the time of a visit. */
  list(person: Person): Promise<NoticeView[]>;
  /** The same without what they say, for the inbox. */
  listHeads(person: Person): Promise<NoticeHead[]>;
  appeal(viewer: Viewer, noticeId: string, text: string): Promise<void>;
}

export interface NoticeHead {
  readonly id: bigint;
  readonly day: Day;
}

interface NoticesDeps extends Pick<ModerationBase, 'db' | 'clock' | 'publicIds'> {
  readonly caseBox: CaseBox;
}

export function createNoticesService({ db, clock, publicIds, caseBox }: NoticesDeps): NoticesService {
  /** A slot key or a case that was copied to another row shows nobody else's item. */
  function isAuthor({ speakerId }: Person, row: Pick<CaseRow, 'subjectKey' | 'sealedItem' | 'sealedAuthor'>) {
    const author = row.sealedAuthor && caseBox.open('author', row.subjectKey, row.sealedAuthor);
    return row.sealedItem === null || author === speakerId.toString('base64url');
  }

  /** None for a row that does not open. */
  function toView(row: queries.NoticeRow, now: number): NoticeView[] {
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

  return {
    async list(person) {
      const now = clock.now();
      const rows = await queries.listNotices(db, person.noticeSlots(), new Date(now));
      return rows.filter((row) => isAuthor(person, row)).flatMap((row) => toView(row, now));
    },

    listHeads: (person) => queries.listHeads(db, person.noticeSlots(), new Date(clock.now())),

    async appeal({ person }, noticeId, text) {
      const id = publicIds.notice.decode(noticeId);
      if (id === null) throw new AppError('NOTICE_NOT_FOUND');
      await transaction(db, async (tx) => {
        const now = clock.now();
        const at = new Date(now);
        const row = await queries.lockCaseOfNotice(tx, id, person.noticeSlots(), at);
        if (!row || !isAuthor(person, row)) throw new AppError('NOTICE_NOT_FOUND');
        const set = {
          sealedAppeal: caseBox.seal('appeal', row.subjectKey, text),
          dueAt: new Date(appealDueAt(now)),
        };
        const change = await changeCase(tx, row, { type: 'appeal' }, { at, set });
        if ('refusal' in change) throw new AppError('APPEAL_CLOSED');
        // The log is kept for good, and moderators read it: the day alone.
        const day = new Date(startOfDayInIndia(dayInIndia(now)));
        await recordAudit(tx, { at: day, actor: 'author', action: 'appealed', caseId: row.id });
      });
    },
  };
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
