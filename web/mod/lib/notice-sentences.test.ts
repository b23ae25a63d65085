import type { NoticePreview } from '@unsaid/contract/moderation/console';
import { describe, expect, it } from 'vitest';
import { noNoticeReason, noticeSentences } from './notice-sentences.ts';

const now = Date.parse('2026-11-16T12:00:00Z');
const preview = (change: Partial<NoticePreview>): NoticePreview => ({
  kind: 'remove',
  policy: 'harassment',
  sanction: 'none',
  days: null,
  appealDays: 30,
  isAuthorGone: false,
  ...change,
});
const text = (change: Partial<NoticePreview>, about: 'vent' | 'comment' | 'profile' = 'vent') =>
  noticeSentences(preview(change), about, now).join(' ');

describe('the notice as the author reads it', () => {
  it('a removal names the item, the rule, a person and the second look', () => {
    expect(text({})).toBe(
      "We took down your vent “…” on 16 Nov 2026. Rule: don't harass or humiliate anyone. A person decided this. Someone else decides, within 3 days.",
    );
    expect(text({ kind: 'hide' }, 'comment')).toContain('We hid your comment “…”');
    expect(text({}, 'profile')).toContain('We cleared what you wrote in your profile on 16 Nov 2026.');
  });

  it('a sanction names its last day', () => {
    expect(text({ sanction: 'limit', days: 3 })).toContain('You can read, but not post, until 19 Nov 2026.');
    expect(text({ sanction: 'suspend', days: 7 })).toContain('Your account is paused until 23 Nov 2026.');
    expect(text({ sanction: 'ban', days: 180 })).toContain('Your account is paused until 15 May 2027.');
  });

  it('somebody who described a method is not blamed', () => {
    expect(text({ policy: 'method_info' })).toContain("We're not upset with you.");
    expect(text({ policy: 'harassment' })).not.toContain('upset');
  });

  it('a care note names no rule and no second look', () => {
    const care = text({ kind: 'care', policy: 'worried', appealDays: null });
    expect(care).toContain("You didn't break any rule");
    expect(care).not.toContain('Rule:');
    expect(care).not.toContain('3 days');
  });

  it('without a notice there is a reason instead', () => {
    expect(noticeSentences(preview({ kind: null }), 'vent', now)).toEqual([]);
    expect(noNoticeReason(preview({ kind: null }))).toMatch(/told nothing/u);
    expect(noticeSentences(preview({ isAuthorGone: true }), 'vent', now)).toEqual([]);
    expect(noNoticeReason(preview({ isAuthorGone: true }))).toMatch(/account is gone/u);
    expect(noNoticeReason(preview({}))).toBeNull();
  });
});
