import { beforeEach, expect, test } from 'vitest';
import { commentDraftsKey, endSession, startSession } from '../../../lib/session.ts';
import { readDraft } from '../compose/drafts.ts';
import { readCommentDraft, removeCommentDraft, saveCommentDraft } from './comment-drafts.ts';

const day = 24 * 60 * 60 * 1000;

beforeEach(() => localStorage.clear());

test('a comment draft is restored for its own account and vent only', () => {
  saveCommentDraft('u1', 'v1', { text: 'मैं सुन रही हूँ\nreally' });
  expect(readCommentDraft('u1', 'v1')?.text).toBe('मैं सुन रही हूँ\nreally');
  expect(readCommentDraft('u1', 'v2')).toBeUndefined();
  expect(readCommentDraft('u2', 'v1')).toBeUndefined();
});

test('the storage names neither the account nor the vent', () => {
  saveCommentDraft('u1-which-opens-a-profile', 'v1-which-was-read', { text: 'Hello.' });
  expect(JSON.stringify(Object.entries(localStorage))).not.toMatch(/u1|v1/u);
});

test('the newest ten drafts are kept, in one entry', () => {
  for (let n = 0; n < 12; n += 1) saveCommentDraft('u1', `v${n}`, { text: `Hello ${n}.` });
  expect(Object.keys(localStorage)).toEqual([commentDraftsKey('u1')]);
  expect(readCommentDraft('u1', 'v1')).toBeUndefined();
  expect(readCommentDraft('u1', 'v2')?.text).toBe('Hello 2.');
});

test('a comment draft is deleted when it is emptied or sent, but not when another text has replaced it', () => {
  saveCommentDraft('u1', 'v1', { text: 'Hello.' });
  saveCommentDraft('u1', 'v1', { text: '' });
  expect(Object.keys(localStorage)).toEqual([]);
  saveCommentDraft('u1', 'v1', { text: 'And more.' });
  removeCommentDraft('u1', 'v1', 'Hello.');
  expect(readCommentDraft('u1', 'v1')?.text).toBe('And more.');
  removeCommentDraft('u1', 'v1', 'And more.');
  expect(Object.keys(localStorage)).toEqual([]);
});

test('a comment draft survives an expired session, but neither a log-out nor another account', () => {
  startSession('uns_one', 'u1');
  saveCommentDraft('u1', 'v1', { text: 'Hello.' });
  endSession('refused');
  startSession('uns_two', 'u1');
  expect(readCommentDraft('u1', 'v1')?.text).toBe('Hello.');
  endSession('logout');
  expect(readCommentDraft('u1', 'v1')).toBeUndefined();
  startSession('uns_three', 'u1');
  saveCommentDraft('u1', 'v1', { text: 'Hello.' });
  endSession('refused');
  startSession('uns_other', 'u2');
  expect(readCommentDraft('u1', 'v1')).toBeUndefined();
});

test('abandoned comment drafts expire, also those of another account', () => {
  saveCommentDraft('u1', 'v1', { text: 'Hello.' }, 0);
  saveCommentDraft('u1', 'v2', { text: 'Hello again.' }, 20 * day);
  expect(readCommentDraft('u1', 'v1', 31 * day)).toBeUndefined();
  expect(readCommentDraft('u1', 'v2', 31 * day)?.text).toBe('Hello again.');
  readDraft('u2', 49 * day);
  expect(Object.keys(localStorage)).toEqual([commentDraftsKey('u1')]);
  readDraft('u2', 51 * day);
  expect(Object.keys(localStorage)).toEqual([]);
});

test('reading tolerates malformed storage', () => {
  for (const stored of ['', 'null', '[]', '{"drafts":3}', '{"drafts":[1,{"text":"x"}]}']) {
    localStorage.setItem(commentDraftsKey('u1'), stored);
    expect(readCommentDraft('u1', 'v1')).toBeUndefined();
  }
});
