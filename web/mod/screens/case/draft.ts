import { policyNames, type PolicyName, type Sanction } from '@unsaid/contract';
import type { CaseView, ModeratorRole, Outcome } from '@unsaid/contract/moderation/console';
import { moderatorSuspendDays, policies, sanctionDays } from '@unsaid/contract/moderation/policies';

/** A decision before it is confirmed. */
export interface Draft {
  readonly outcome: Exclude<Outcome, 'moot'> | null;
  readonly rule: PolicyName | null;
  /** Null: not chosen yet. */
  readonly sanction: Sanction | null;
  readonly days: string;
  readonly startsAtOnce: boolean;
  readonly note: string;
}

/** `worried` names no breach, so it is no rule to decide by. */
export function rulesFor(view: Pick<CaseView, 'source'>): readonly PolicyName[] {
  return policyNames.filter(
    (name) => name !== 'worried' && (name !== 'legal_order' || view.source === 'order'),
  );
}

/** Where points suggest a sanction, a person has to choose: nothing is chosen for them. */
export function emptyDraft(view: CaseView): Draft {
  return {
    outcome: null,
    rule: rulesFor(view).includes(view.policy) ? view.policy : null,
    sanction: view.suggestedSanction === 'none' ? 'none' : null,
    days: '',
    startsAtOnce: false,
    note: '',
  };
}

export const takesAway = (draft: Draft): boolean => draft.outcome === 'hide' || draft.outcome === 'remove';

/** The most urgent rules start a sanction at once, whatever is chosen. */
export const mustStartAtOnce = (draft: Draft): boolean =>
  draft.rule !== null && policies[draft.rule].severity === 4;

export function dayRange(
  sanction: Sanction,
  role: ModeratorRole,
): { min: number; max: number; default: number } | null {
  if (sanction === 'none' || sanction === 'ban') return null;
  const range = sanctionDays[sanction];
  const isCapped = sanction === 'suspend' && role !== 'lead';
  return { ...range, max: isCapped ? moderatorSuspendDays : range.max };
}

type Field = 'outcome' | 'rule' | 'sanction' | 'days';

interface DecisionBody {
  readonly outcome: Exclude<Outcome, 'moot'>;
  readonly policy?: PolicyName;
  readonly sanction?: Sanction;
  readonly days?: number;
  readonly isDangerous?: boolean;
}

export type Checked =
  | { readonly body: DecisionBody; readonly missing?: undefined }
  | { readonly body?: undefined; readonly missing: { readonly field: Field; readonly words: string } };

const missing = (field: Field, words: string): Checked => ({ missing: { field, words } });

/** What to send, or the first thing that is still missing. */
export function checkDraft(draft: Draft, role: ModeratorRole): Checked {
  const { outcome, rule, sanction } = draft;
  if (outcome === null) return missing('outcome', 'Choose what happens to it first.');
  if (!takesAway(draft)) return { body: { outcome } };
  if (rule === null) return missing('rule', 'Choose the rule that was broken.');
  if (sanction === null) return missing('sanction', 'Choose a sanction, or none.');
  const body = { outcome, policy: rule, sanction };
  if (sanction === 'none') return { body };
  const isDangerous = draft.startsAtOnce || mustStartAtOnce(draft);
  const range = dayRange(sanction, role);
  if (!range) return { body: { ...body, days: sanctionDays.ban.default, isDangerous } };
  const days = draft.days === '' ? range.default : Number(draft.days);
  if (!Number.isInteger(days) || days < range.min || days > range.max)
    return missing('days', `Choose ${range.min} to ${range.max} days.`);
  return { body: { ...body, days, isDangerous } };
}
