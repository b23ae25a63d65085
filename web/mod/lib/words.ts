import type { PolicyName, ReportReasonCode, Sanction, SubjectKind } from '@unsaid/contract';
import type {
  CaseLine,
  CasePart,
  CaseState,
  ModeratorRole,
  Outcome,
  PointLevel,
  Resolution,
} from '@unsaid/contract/moderation/console';

/** The words of the console for the codes of the contract. */

export const kindWords: Readonly<Record<SubjectKind, string>> = {
  vent: 'Vent',
  comment: 'Comment',
  profile: 'Profile',
};

export const reasonWords: Readonly<Record<ReportReasonCode, string>> = {
  inappropriate: 'Inappropriate',
  harassment: 'Harassment',
  spam: 'Spam',
  private_info: 'Private details',
  encourages_self_harm: 'Tells somebody to hurt themselves',
  minor_safety: "A child's safety",
  worried: 'Worried about this person',
  other: 'Other',
};

interface RuleWords {
  readonly name: string;
  readonly meaning: string;
  readonly example: string;
}

export const ruleWords: Readonly<Record<PolicyName, RuleWords>> = {
  minor_safety: {
    name: 'Child safety',
    meaning: 'Sexual content about a child, or an attempt to get close to one.',
    example: 'An adult asks a 14-year-old for photos or a secret meeting.',
  },
  encourages_self_harm: {
    name: 'Encouraging self-harm',
    meaning: 'Tells somebody to hurt or kill themselves, or praises it.',
    example: '"Nobody would miss you. Just do it."',
  },
  private_info: {
    name: 'Private details',
    meaning: 'Shows who somebody is, or how to reach them.',
    example: 'A full name with a college and a phone number.',
  },
  threat: {
    name: 'Threat',
    meaning: 'Announces violence, or tries to force somebody by threats.',
    example: '"I know your hostel. I will be there tonight."',
  },
  method_info: {
    name: 'Describes a method',
    meaning: 'Describes how to hurt oneself. The feeling may stay, the method may not.',
    example: 'Names of medicines with amounts.',
  },
  harassment: {
    name: 'Harassment',
    meaning: 'Goes after a person: insults, hate for what somebody is, humiliation.',
    example: 'A slur about caste under a vent.',
  },
  sexual: {
    name: 'Sexual content',
    meaning: 'Sexual descriptions or requests. Telling of abuse one lived through is no breach.',
    example: 'Asks a stranger for nude pictures.',
  },
  spam_scam: {
    name: 'Spam or scam',
    meaning: 'Advertises, begs for money or tries to deceive.',
    example: '"Earn 5,000 a day, message this number."',
  },
  other: {
    name: 'Another rule',
    meaning: 'Breaks the rules in a way that none of the others covers.',
    example: 'The same nonsense posted under fifty vents.',
  },
  worried: {
    name: 'Worried',
    meaning: 'No breach: somebody is worried about the author.',
    example: '"I do not think I will be here next week."',
  },
  legal_order: {
    name: 'Legal order',
    meaning: 'A court or an authority ordered it. Only for cases opened from an order.',
    example: 'An order with a number, which the operator has on file.',
  },
};

type Decision = Exclude<Outcome, 'moot'>;

export const outcomeWords: Readonly<Record<Decision, { readonly name: string; readonly meaning: string }>> = {
  keep: { name: 'Keep', meaning: 'It stays. Whoever reported it learns that it is fine.' },
  care: { name: 'Care note', meaning: 'It stays. The author gets a kind note with helplines.' },
  hide: { name: 'Hide', meaning: 'Only its author still sees it. It can come back.' },
  remove: { name: 'Remove', meaning: 'Nobody sees it any more, not even its author.' },
};

/** What was done, for the line that announces it. */
export const outcomeDone: Readonly<Record<Outcome, string>> = {
  keep: 'kept',
  care: 'kept, with a care note',
  hide: 'hidden',
  remove: 'removed',
  moot: 'closed because its author deleted it',
};

export const sanctionWords: Readonly<Record<Sanction, { readonly name: string; readonly meaning: string }>> =
  {
    none: { name: 'None', meaning: 'Only the item is affected.' },
    limit: { name: 'Limit', meaning: 'Can read, but not post.' },
    suspend: { name: 'Suspend', meaning: 'Cannot use Unsaid for a time.' },
    ban: { name: 'Ban', meaning: 'Out for 180 days, and the number is held.' },
  };

export const resolutionWords: Readonly<
  Record<Resolution, { readonly name: string; readonly meaning: string }>
> = {
  upheld: { name: 'Uphold', meaning: 'The first decision was right and stays.' },
  overturned: { name: 'Overturn', meaning: 'The item comes back, and a sanction ends.' },
};

export const partWords: Readonly<Record<CasePart, string>> = {
  item: 'The text',
  context: 'What it stands under',
  details: 'What reporters wrote',
  appeal: 'The appeal',
};

export const pointWords: Readonly<Record<PointLevel, string>> = {
  none: 'No earlier breach',
  some: 'Earlier breaches',
  near_suspension: 'Earlier breaches, near a suspension',
};

export const stateWords: Readonly<Record<CaseState, string>> = {
  open: 'Open',
  escalated: 'Escalated to a lead',
  decided: 'Decided',
  appealed: 'Appealed',
  closed: 'Closed',
};

export const roleWords: Readonly<Record<ModeratorRole, string>> = {
  moderator: 'Moderator',
  lead: 'Lead',
  auditor: 'Auditor',
};

export const sourceWords: Readonly<Record<CaseLine['source'], string>> = {
  report: 'Reports',
  staff: 'Opened by staff',
  order: 'Legal order',
};

export const leaseWords: Readonly<Record<CaseLine['lease'], string>> = {
  mine: 'You hold it',
  other: 'Somebody is on it',
  none: 'Free',
};

const severityNames: Readonly<Record<number, string>> = { 4: 'Urgent', 3: 'Serious', 2: 'Usual', 1: 'Minor' };

export const severityWords = (severity: number): string =>
  `${severity} ${severityNames[severity] ?? ''}`.trim();

const languageNames: Readonly<Record<string, string>> = {
  en: 'English',
  hi: 'Hindi',
  hinglish: 'Hindi in Latin letters',
};

export const languageWords = (language: string): string => languageNames[language] ?? 'Another language';

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
