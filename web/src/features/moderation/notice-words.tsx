import type { NoticeView, PolicyName } from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { dayInIndia, formatDate } from '../../lib/format.ts';
import { UserText } from '../../ui/user-text.tsx';

/** A notice is structured; these are its sentences. web/mod/lib/notice-sentences.ts previews them to moderators. */

export function ruleOf(policy: PolicyName): string {
  const rules: Readonly<Record<PolicyName, string>> = {
    minor_safety: t`children's safety`,
    encourages_self_harm: t`don't tell anyone to hurt themselves`,
    private_info: t`don't share details that identify someone`,
    threat: t`don't threaten anyone`,
    method_info: t`don't describe ways to hurt yourself`,
    harassment: t`don't harass or humiliate anyone`,
    sexual: t`no sexual content`,
    spam_scam: t`no spam or scams`,
    other: t`our community rules`,
    worried: t`our community rules`,
    legal_order: t`a legal order we have to follow`,
  };
  return rules[policy];
}

/** What was decided about what. */
export function Decision({ notice }: { readonly notice: NoticeView }): ReactNode {
  const { kind, about, excerpt } = notice;
  const day = formatDate(notice.day);
  if (about === 'profile')
    return kind === 'care' ? (
      <Trans>Someone read your profile and was worried about you.</Trans>
    ) : (
      <Trans>We cleared what you wrote in your profile on {day}.</Trans>
    );
  const words = excerpt === null ? null : <UserText>{excerpt}</UserText>;
  if (about === 'vent') {
    if (kind === 'care')
      return words ? (
        <Trans>Someone read your vent “{words}” and was worried about you.</Trans>
      ) : (
        <Trans>Someone read your vent and was worried about you.</Trans>
      );
    if (kind === 'hide')
      return words ? (
        <Trans>
          We hid your vent “{words}” on {day}.
        </Trans>
      ) : (
        <Trans>We hid a vent of yours on {day}.</Trans>
      );
    return words ? (
      <Trans>
        We took down your vent “{words}” on {day}.
      </Trans>
    ) : (
      <Trans>We took down a vent of yours on {day}.</Trans>
    );
  }
  if (kind === 'care')
    return words ? (
      <Trans>Someone read your comment “{words}” and was worried about you.</Trans>
    ) : (
      <Trans>Someone read your comment and was worried about you.</Trans>
    );
  if (kind === 'hide')
    return words ? (
      <Trans>
        We hid your comment “{words}” on {day}.
      </Trans>
    ) : (
      <Trans>We hid a comment of yours on {day}.</Trans>
    );
  return words ? (
    <Trans>
      We took down your comment “{words}” on {day}.
    </Trans>
  ) : (
    <Trans>We took down a comment of yours on {day}.</Trans>
  );
}

/** What follows for the account. Empty without a sanction, and once a second look has lifted it. */
export function sanctionOf({ sanction, until, appeal }: NoticeView, now = Date.now()): string {
  if (sanction === 'none' || appeal === 'overturned') return '';
  const day = until === null ? '' : formatDate(until);
  if (until !== null && until < dayInIndia(now)) {
    return sanction === 'limit'
      ? t`You couldn't post until ${day}. That's over.`
      : t`Your account was paused until ${day}. That's over.`;
  }
  if (sanction === 'limit')
    return until === null
      ? t`You can read, but not post, for now.`
      : t`You can read, but not post, until ${day}.`;
  if (sanction === 'ban' && until !== null) return t`You can't use Unsaid until ${day}.`;
  return until === null ? t`Your account is paused for now.` : t`Your account is paused until ${day}.`;
}

/** What became of the wish for a second look. */
export function appealOutcome({ appeal, kind }: NoticeView): string {
  if (appeal === 'waiting') return t`You asked for a second look. Someone else decides, within 3 days.`;
  if (appeal === 'upheld')
    return kind === 'hide'
      ? t`Someone else looked too. It stays hidden.`
      : t`Someone else looked too. It stays down.`;
  return appeal === 'overturned' ? t`We looked again, and we were wrong. It's back.` : '';
}
