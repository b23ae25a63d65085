import { beforeEach, expect, test } from 'vitest';
import { draftKey, endSession, startSession } from '../../../lib/session.ts';
import { emptyDraft, readDraft, removeDraft, saveDraft, type VentDraft } from './drafts.ts';

const draft: VentDraft = {
  title: 'Exams',
  text: 'मैं थक गई हूँ\nreally',
  emotion: 'Anxious',
  hashtags: ['exams'],
  openHashtag: 'fam',
  allowComments: false,
  attempt: 'a1',
};

beforeEach(() => localStorage.clear());

test('a draft is restored for its own account only', () => {
  saveDraft('u1', draft);
  expect(readDraft('u1')).toEqual(draft);
  expect(readDraft('u2')).toEqual(emptyDraft);
});

test('a draft is deleted after posting, and when the form is emptied', () => {
  saveDraft('u1', draft);
  removeDraft('u1');
  saveDraft('u2', draft);
  saveDraft('u2', emptyDraft);
  expect(Object.keys(localStorage)).toEqual([]);
});

test('an empty draft keeps the choice about comments', () => {
  saveDraft('u1', { ...emptyDraft, allowComments: false });
  expect(readDraft('u1').allowComments).toBe(false);
  saveDraft('u1', emptyDraft);
  expect(Object.keys(localStorage)).toEqual([]);
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
  saveDraft('u1', draft, 0);
  readDraft('u2', 31 * 24 * 60 * 60 * 1000);
  expect(Object.keys(localStorage)).toEqual([]);
});

test('reading tolerates malformed storage', () => {
  for (const stored of ['', 'null', '[]', '{"emotion":"Bored","hashtags":[1,"x"],"savedAt":9e15}']) {
    localStorage.setItem(draftKey('u1'), stored);
    expect(readDraft('u1')).toMatchObject({ title: '', text: '', emotion: null, openHashtag: '' });
  }
});
