import type { ModerationBase } from '../../kernel/base.ts';
import type { CasePart, RevealedPart } from '@unsaid/contract/moderation/console';
import { transaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { Items } from '../ports.ts';
import { recordAudit } from '../audit.ts';
import type { CaseBox } from '../case-box.ts';
import type { Moderator } from '../moderators/moderator.ts';
import { severeLeft } from '../moderators/severe-limit.ts';
import type { Subjects } from '../../kernel/subjects.ts';
import { deciderOf, requireCase } from './case-changes.ts';
import { toCase, type CaseRow } from './case-row.ts';
import * as queries from './cases.queries.ts';
import { isSevere, mayRead } from './cases.state.ts';

type Paragraphs = RevealedPart['paragraphs'];

/** The texts of a case, part by part, for the moderator who holds it or the lead who may reverse it. */
export interface RevealsService {
  reveal(
    moderator: Moderator,
    caseId: bigint,
    part: CasePart,
  ): Promise<{ revealed: RevealedPart; severeLeft: number }>;
}

interface RevealsDeps extends Pick<ModerationBase, 'db' | 'clock'> {
  readonly subjects: Subjects;
  readonly caseBox: CaseBox;
  readonly items: Items;
}

export function createRevealsService({ db, clock, subjects, caseBox, items }: RevealsDeps): RevealsService {
  function openItem({ subjectKey, sealedItem }: CaseRow): Paragraphs {
    const item = sealedItem && caseBox.open('item', subjectKey, sealedItem);
    return item ? [...item.paragraphs] : [];
  }

  /** The vent around a comment as strangers read it now: no author, no names. */
  async function readContext({ subjectKey }: CaseRow): Promise<Paragraphs> {
    const subject = subjects.open(subjectKey);
    const vent = subject.kind === 'comment' ? await items.vent.findText(subject.ventId) : null;
    return vent
      ? [
          { label: 'Title', text: vent.title },
          { label: 'Vent', text: vent.body },
        ]
      : [];
  }

  /** In the order of the texts: the order of the rows is that of the reports. */
  async function openDetails({ id, subjectKey }: CaseRow): Promise<Paragraphs> {
    const rows = await queries.listDetails(db, id);
    return rows
      .flatMap(({ reason, sealedDetails }) => {
        const text = caseBox.open('details', subjectKey, sealedDetails);
        return text ? [{ label: reason, text }] : [];
      })
      .toSorted((a, b) => (a.label + a.text < b.label + b.text ? -1 : 1));
  }

  function openAppeal({ subjectKey, sealedAppeal }: CaseRow): Paragraphs {
    const text = sealedAppeal && caseBox.open('appeal', subjectKey, sealedAppeal);
    return text ? [{ label: 'Appeal', text }] : [];
  }

  const read: Record<CasePart, (row: CaseRow) => Paragraphs | Promise<Paragraphs>> = {
    item: openItem,
    context: readContext,
    details: openDetails,
    appeal: openAppeal,
  };

  return {
    async reveal(moderator, caseId, part) {
      const { row, left } = await transaction(db, async (tx) => {
        const at = new Date(clock.now());
        const found = await requireCase(tx, caseId);
        if (!mayRead(toCase(found), deciderOf(moderator), at.getTime())) throw new AppError('LEASE_LOST');
        // Two calls at once must not pass the limit together.
        await queries.lockModerator(tx, moderator.moderatorId);
        const before = await severeLeft(tx, moderator, clock);
        if (isSevere(found) && before <= 0) throw new AppError('ENOUGH_FOR_TODAY');
        const detail = { part, severity: found.severity };
        await recordAudit(tx, { at, actor: moderator.alias, action: 'revealed', caseId, detail });
        return { row: found, left: isSevere(found) ? before - 1 : before };
      });
      return { revealed: { part, paragraphs: await read[part](row) }, severeLeft: left };
    },
  };
}
