import { newVent } from '@unsaid/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dropExpiredDrafts } from '../../../lib/drafts.ts';
import { draftKey, endSession, startSession } from '../../../lib/session.ts';
import { emptyDraft, readDraft, saveDraft, type VentDraft } from './drafts.ts';
import { hasWords } from './stored-draft.ts';

const draft: VentDraft = {
  title: 'Exams',
  text: 'मैं थक गई हूँ\nreally',
  emotion: 'Anxious',
  hashtags: ['exams'],
  need: 'hug',
  keepDays: 7,
  openHashtag: 'fam',
  allowComments: false,
  attempt: 'a1',
};

beforeEach(() => localStorage.clear());
afterEach(() => void vi.useRealTimers());

test('a draft is restored for its own account only', () => {
  saveDraft('u1', draft);
  expect(readDraft('u1')).toEqual(draft);
  expect(readDraft('u2')).toEqual(emptyDraft);
});

test('a draft keeps every field of the request, also those that break its rules', () => {
  const { isSure: _, ...fields } = newVent.shape;
  expect(Object.keys(draft)).toEqual(expect.arrayContaining(Object.keys(fields)));
  const unfinished = { ...draft, title: 'x'.repeat(200), text: '', hashtags: ['what?!'] };
  saveDraft('u1', unfinished);
  expect(readDraft('u1')).toEqual(unfinished);
});

test('a draft is deleted when the form is emptied', () => {
  saveDraft('u2', draft);
  saveDraft('u2', emptyDraft);
  expect(Object.keys(localStorage)).toEqual([]);
});

test('an empty draft keeps the choice about comments, which is nothing to finish', () => {
  saveDraft('u1', { ...emptyDraft, allowComments: false });
  expect(readDraft('u1').allowComments).toBe(false);
  expect(hasWords(readDraft('u1'))).toBe(false);
  expect(hasWords({ ...emptyDraft, emotion: 'Sad' })).toBe(true);
  saveDraft('u1', emptyDraft);
  expect(Object.keys(localStorage)).toEqual([]);
});

test('what would help and how long it stays are kept with words alone, and are nothing to finish', () => {
  expect(hasWords({ ...emptyDraft, need: 'hug', keepDays: 1 })).toBe(false);
  saveDraft('u1', { ...emptyDraft, need: 'hug', keepDays: 1 });
  expect(Object.keys(localStorage)).toEqual([]);
  saveDraft('u1', {
    ...draft,
    text: '',
    title: '',
    emotion: undefined,
    hashtags: [],
    openHashtag: '',
    attempt: undefined,
  });
  expect(readDraft('u1')).toEqual({ ...emptyDraft, allowComments: false });
});

test('a draft survives an expired session, but not a log-out', () => {
  startSession('uns_one', 'u1');
  saveDraft('u1', draft);
  endSession('refused');
  expect(readDraft('u1')).toEqual(draft);
  startSession('uns_two', 'u1');
  endSession('logout');
  expect(readDraft('u1')).toEqual(emptyDraft);
});

test('an abandoned draft expires', () => {
  vi.useFakeTimers({ now: 0 });
  saveDraft('u1', draft);
  vi.setSystemTime(31 * 24 * 60 * 60 * 1000);
  expect(readDraft('u1')).toEqual(emptyDraft);
  dropExpiredDrafts();
  expect(Object.keys(localStorage)).toEqual([]);
});

test('reading a draft writes nothing: React reads it while it renders', () => {
  vi.useFakeTimers({ now: 0 });
  saveDraft('u1', draft);
  vi.setSystemTime(31 * 24 * 60 * 60 * 1000);
  const stored = { ...localStorage };
  expect(readDraft('u1')).toEqual(emptyDraft);
  expect({ ...localStorage }).toEqual(stored);
});

test('reading tolerates malformed storage', () => {
  const malformed = { title: 5, text: 'mine', emotion: 'Bored', hashtags: [1, 'x'], constructor: 1 };
  saveDraft('u1', draft);
  const [stored = ''] = Object.values({ ...localStorage }) as string[];
  const [one] = JSON.parse(stored) as object[];
  localStorage.setItem(draftKey('u1', 'vent'), JSON.stringify([{ ...one, draft: malformed }]));
  expect(readDraft('u1')).toEqual({ ...emptyDraft, text: 'mine' });
  for (const text of ['', 'null', '[]', '[1]', '[{"draft":3}]', '{"title":"x","savedAt":9e15}']) {
    localStorage.setItem(draftKey('u1', 'vent'), text);
    expect(readDraft('u1')).toEqual(emptyDraft);
  }
});
