import { beforeEach, expect, it } from 'vitest';
import { emptyDraft, readDraft, removeDraft, saveDraft, type VentDraft } from './drafts.ts';
import { draftKey, endSession, startSession } from './session.ts';

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

it('comes back to the account that wrote it, and to no other', () => {
  saveDraft('u1', draft);
  expect(readDraft('u1')).toEqual(draft);
  expect(readDraft('u2')).toEqual(emptyDraft);
});

it('is gone once posted, and once everything has been deleted from the form', () => {
  saveDraft('u1', draft);
  removeDraft('u1');
  saveDraft('u2', draft);
  saveDraft('u2', emptyDraft);
  expect(Object.keys(localStorage)).toEqual([]);
});

it('keeps the choice about comments even when nothing is written yet', () => {
  saveDraft('u1', { ...emptyDraft, allowComments: false });
  expect(readDraft('u1').allowComments).toBe(false);
  saveDraft('u1', emptyDraft);
  expect(Object.keys(localStorage)).toEqual([]);
});

it('outlives a session that ran out, but not a log-out', () => {
  startSession('uns_one', 'u1');
  saveDraft('u1', draft);
  endSession('refused');
  expect(readDraft('u1')).toEqual(draft);
  startSession('uns_two', 'u1');
  endSession('logout');
  expect(readDraft('u1')).toEqual(emptyDraft);
});

it('clears away what nobody came back for', () => {
  saveDraft('u1', draft, 0);
  readDraft('u2', 31 * 24 * 60 * 60 * 1000);
  expect(Object.keys(localStorage)).toEqual([]);
});

it('survives what it did not write', () => {
  for (const stored of ['', 'null', '[]', '{"emotion":"Bored","hashtags":[1,"x"],"savedAt":9e15}']) {
    localStorage.setItem(draftKey('u1'), stored);
    expect(readDraft('u1')).toMatchObject({ title: '', text: '', emotion: null, openHashtag: '' });
  }
});
