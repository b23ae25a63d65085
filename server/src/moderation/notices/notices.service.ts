import type { AppealState, NoticeView, PolicyName, Sanction, SubjectKind } from '@unsaid/contract';
import type { Resolution } from '@unsaid/contract/moderation/console';
import type { Viewer } from '../../auth/viewer.ts';
import { dayInIndia, startOfDayInIndia, type Clock, type Day } from '../../platform/clock.ts';
import { transaction, type Databases } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../../pseudonyms/person-keys.ts';
import type { PublicIds } from '../../pseudonyms/public-ids.ts';
import { recordAudit } from '../audit.ts';
import type { CaseBox } from '../case-box.ts';
import { changeCase } from '../cases/case-changes.ts';
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

interface NoticesDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly publicIds: PublicIds;
  readonly caseBox: CaseBox;
}

export function createNoticesService({ db, clock, publicIds, caseBox }: NoticesDeps): NoticesService {
  function toView(row: queries.NoticeRow, now: number): NoticeView {
    const item = row.sealedItem && caseBox.open('item', row.subjectKey, row.sealedItem);
    return {
      _id: publicIds.notice.encode(row.id),
      kind: row.kind as NoticeView['kind'],
      about: row.subjectKind as SubjectKind,
      policy: row.policy as PolicyName,
      excerpt: item?.excerpt ?? null,
      day: row.madeOn,
      sanction: row.sanction as Sanction,
      // The end alone: the start is random, so that nobody can tell whose silence began with a decision.
      until: row.endsAt && lastDay(row.endsAt),
      appeal: appealStateOf(row, now),
    };
  }

  return {
    async list(person) {
      const now = clock.now();
      const rows = await queries.listNotices(db.moderation, person.moderationSlots('notice'), new Date(now));
      return rows.map((row) => toView(row, now));
    },

    listHeads: (person) =>
      queries.listHeads(db.moderation, person.moderationSlots('notice'), new Date(clock.now())),

    async appeal({ person }, noticeId, text) {
      const id = publicIds.notice.decode(noticeId);
      if (id === null) throw new AppError('NOTICE_NOT_FOUND');
      await transaction(db.moderation, async (tx) => {
        const now = clock.now();
        const at = new Date(now);
        const row = await queries.lockCaseOfNotice(tx, id, person.moderationSlots('notice'), at);
        if (!row) throw new AppError('NOTICE_NOT_FOUND');
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
function lastDay(endsAt: Date) {
  return dayInIndia(endsAt.getTime() - 1);
}

function appealStateOf({ state, appealUntil, resolution }: queries.NoticeRow, now: number): AppealState {
  if (resolution) return resolution as Resolution;
  if (state === 'appealed') return 'waiting';
  return state === 'decided' && appealUntil && now <= appealUntil.getTime() ? 'open' : 'closed';
}
