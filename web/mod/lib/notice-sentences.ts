import type { PolicyName, SubjectKind } from '@unsaid/contract';
import type { NoticePreview, Outcome, Resolution } from '@unsaid/contract/moderation/console';
import { dayAfter } from './time-words.ts';

/**
 * The notice in English, as web/src/features/moderation renders it for the author. The console has no part of that
 * app, so the sentences stand here once more; scripts/notice-sentences.test.ts compares them.
 */

/** A rule as the author reads it. */
const rules: Readonly<Record<PolicyName, string>> = {
  minor_safety: "children's safety",
  encourages_self_harm: "don't tell anyone to hurt themselves",
  private_info: "don't share details that identify someone",
  threat: "don't threaten anyone",
  method_info: "don't describe ways to hurt yourself",
  harassment: "don't harass or humiliate anyone",
  sexual: 'no sexual content',
  spam_scam: 'no spam or scams',
  other: 'our community rules',
  worried: 'our community rules',
  legal_order: 'a legal order we have to follow',
};

/** The author reads the title or the first words there. The console does not know them before they are revealed. */
const things: Readonly<Record<SubjectKind, string>> = {
  vent: 'your vent “…”',
  comment: 'your comment “…”',
  profile: 'your profile',
};

function whatHappened({ kind, policy }: NoticePreview, about: SubjectKind, day: string): readonly string[] {
  if (kind === 'care')
    return [
      `Someone read ${things[about]} and was worried about you.`,
      "You didn't break any rule, and it's still there. If things feel heavy, you can talk to someone. If you might hurt yourself now, call 112.",
    ];
  const deed =
    about === 'profile'
      ? 'We cleared what you wrote in your profile'
      : `We ${kind === 'hide' ? 'hid' : 'took down'} ${things[about]}`;
  return [
    `${deed} on ${day}.`,
    ...(policy ? [`Rule: ${rules[policy]}. A person decided this.`] : []),
    ...(policy === 'method_info'
      ? ["You can say it again without the part that describes a method. We're not upset with you."]
      : []),
  ];
}

function whatFollows({ sanction, days }: NoticePreview, now: number): readonly string[] {
  if (sanction === 'none') return [];
  const day = dayAfter(days ?? 0, now);
  return [
    sanction === 'limit'
      ? `You can read, but not post, until ${day}.`
      : `Your account is paused until ${day}.`,
  ];
}

/** Empty if there is no notice. */
export function noticeSentences(preview: NoticePreview, about: SubjectKind, now: number): readonly string[] {
  if (preview.kind === null || preview.isAuthorGone) return [];
  return [
    ...whatHappened(preview, about, dayAfter(0, now)),
    ...whatFollows(preview, now),
    ...(preview.appealDays === null ? [] : ['Someone else decides, within 3 days.']),
  ];
}

/** Why there is nothing to read, or null. */
export function noNoticeReason(preview: NoticePreview): string | null {
  if (preview.isAuthorGone) return "The author's account is gone, so nobody gets a notice.";
  return preview.kind === null ? 'The author is told nothing: for them, nothing happened.' : null;
}

/** What the author reads after the second look. */
export function appealSentence(resolution: Resolution, outcome: Outcome | null): string {
  if (resolution === 'overturned') return "We looked again, and we were wrong. It's back.";
  return outcome === 'hide'
    ? 'Someone else looked too. It stays hidden.'
    : 'Someone else looked too. It stays down.';
}
