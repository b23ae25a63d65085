import type { CasePart, RevealedPart } from '@unsaid/contract/moderation/console';
import { inTransaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { recordAudit } from '../audit.ts';
import type { ModerationContext } from '../context.ts';
import { severeLeft, type Moderator } from '../moderators/moderator.ts';
import { deciderOf, requireCase } from './case-changes.ts';
import { toCase, type CaseRow } from './case-row.ts';
import * as queries from './cases.queries.ts';
import { isSevere, mayRead } from './cases.state.ts';

type Paragraphs = RevealedPart['paragraphs'];

/** A text of a case, for the moderator who holds it or the lead who may reverse it. */
export async function revealPart(
  ctx: ModerationContext,
  moderator: Moderator,
  caseId: bigint,
  part: CasePart,
): Promise<{ revealed: RevealedPart; severeLeft: number }> {
  const { row, left } = await inTransaction(ctx, async (ctx) => {
    const at = new Date(ctx.clock.now());
    const found = await requireCase(ctx, caseId);
    if (!mayRead(toCase(found), deciderOf(moderator), at.getTime())) throw new AppError('LEASE_LOST');
    // Two calls at once must not pass the limit together.
    await queries.lockModerator(ctx.db, moderator.moderatorId);
    const before = await severeLeft(ctx, moderator);
    if (isSevere(found) && before <= 0) throw new AppError('ENOUGH_FOR_TODAY');
    const detail = { part, severity: found.severity };
    await recordAudit(ctx.db, { at, actor: moderator.alias, action: 'revealed', caseId, detail });
    return { row: found, left: isSevere(found) ? before - 1 : before };
  });
  return { revealed: { part, paragraphs: await readPart[part](ctx, row) }, severeLeft: left };
}

const readPart: Record<CasePart, (ctx: ModerationContext, row: CaseRow) => Paragraphs | Promise<Paragraphs>> =
  {
    item({ caseBox }, { subjectKey, sealedItem }) {
      const item = sealedItem && caseBox.open('item', subjectKey, sealedItem);
      return item ? [...item.paragraphs] : [];
    },

    /** The vent around a comment as strangers read it now: no author, no names. */
    async context({ subjects, ports }, { subjectKey }) {
      const subject = subjects.open(subjectKey);
      const vent = subject.kind === 'comment' ? await ports.items.vent.findText(subject.ventId) : null;
      return vent
        ? [
            { label: 'Title', text: vent.title },
            { label: 'Vent', text: vent.body },
          ]
        : [];
    },

    /** In the order of the texts: the order of the rows is that of the reports. */
    async details({ db, caseBox }, { id, subjectKey }) {
      const rows = await queries.listDetails(db, id);
      return rows
        .flatMap(({ reason, sealedDetails }) => {
          const text = caseBox.open('details', subjectKey, sealedDetails);
          return text ? [{ label: reason, text }] : [];
        })
        .toSorted((a, b) => (a.label + a.text < b.label + b.text ? -1 : 1));
    },

    appeal({ caseBox }, { subjectKey, sealedAppeal }) {
      const text = sealedAppeal && caseBox.open('appeal', subjectKey, sealedAppeal);
      return text ? [{ label: 'Appeal', text }] : [];
    },
  };
