import type { CaseView } from '@unsaid/contract/moderation/console';
import { describe, expect, it } from 'vitest';
import { checkDraft, emptyDraft, rulesFor, type Draft } from './draft.ts';

const view = (change: Partial<CaseView> = {}): CaseView => ({
  id: '1',
  kind: 'vent',
  source: 'report',
  policy: 'harassment',
  severity: 3,
  language: 'en',
  state: 'open',
  openedAt: '2026-11-16T10:00:00Z',
  dueAt: '2026-11-17T10:00:00Z',
  isOverdue: false,
  isPaused: false,
  isFrozen: false,
  reporters: 1,
  reasons: [],
  lease: 'mine',
  version: 1,
  leasedUntil: '2026-11-16T10:10:00Z',
  parts: ['item'],
  isSevere: false,
  points: 'none',
  suggestedSanction: 'none',
  isAuthorGone: false,
  outcome: null,
  sanction: 'none',
  decidedAt: null,
  isDecidedByMe: false,
  appealUntil: null,
  resolution: null,
  note: null,
  ...change,
});
const draft = (change: Partial<Draft>, from = view()) => ({ ...emptyDraft(from), ...change });

describe('a decision before it is confirmed', () => {
  it('nothing is chosen for the moderator but the rule that the reports name', () => {
    expect(emptyDraft(view())).toMatchObject({ outcome: null, rule: 'harassment', sanction: 'none' });
    // Where points suggest a sanction, a person chooses it.
    expect(emptyDraft(view({ suggestedSanction: 'limit' })).sanction).toBeNull();
    // Being worried is no rule that one can break.
    expect(emptyDraft(view({ policy: 'worried' })).rule).toBeNull();
  });

  it('a legal order is a rule only for a case from an order', () => {
    expect(rulesFor(view())).not.toContain('legal_order');
    expect(rulesFor(view({ source: 'order' }))).toContain('legal_order');
    expect(rulesFor(view({ source: 'order' }))).not.toContain('worried');
  });

  it('says what is missing, in the order of the form', () => {
    expect(checkDraft(draft({}), 'moderator').missing?.field).toBe('outcome');
    expect(checkDraft(draft({ outcome: 'remove', rule: null }), 'moderator').missing?.field).toBe('rule');
    expect(checkDraft(draft({ outcome: 'hide', sanction: null }), 'moderator').missing?.field).toBe(
      'sanction',
    );
    expect(
      checkDraft(draft({ outcome: 'hide', sanction: 'limit', days: '8' }), 'moderator').missing?.field,
    ).toBe('days');
  });

  it('what stays needs no rule and carries no sanction', () => {
    expect(checkDraft(draft({ outcome: 'keep', sanction: 'suspend' }), 'moderator').body).toEqual({
      outcome: 'keep',
    });
    expect(checkDraft(draft({ outcome: 'care', rule: null, sanction: null }), 'moderator').body).toEqual({
      outcome: 'care',
    });
  });

  it('only a lead suspends for longer than seven days', () => {
    const long = draft({ outcome: 'remove', sanction: 'suspend', days: '30' });
    expect(checkDraft(long, 'moderator').missing?.field).toBe('days');
    expect(checkDraft(long, 'lead').body).toMatchObject({ sanction: 'suspend', days: 30 });
    expect(checkDraft(draft({ outcome: 'remove', sanction: 'ban' }), 'lead').body).toMatchObject({
      days: 180,
    });
  });

  it('the most urgent rules start a sanction at once', () => {
    const limit = { outcome: 'remove', sanction: 'limit' } as const;
    expect(checkDraft(draft({ ...limit, rule: 'threat' }), 'moderator').body?.isDangerous).toBe(true);
    expect(checkDraft(draft({ ...limit, rule: 'harassment' }), 'moderator').body?.isDangerous).toBe(false);
    expect(
      checkDraft(draft({ ...limit, rule: 'harassment', startsAtOnce: true }), 'moderator').body?.isDangerous,
    ).toBe(true);
  });
});
