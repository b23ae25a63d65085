import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dropExpiredDrafts } from '../../../lib/drafts.ts';
import { draftKey, endSession, startSession } from '../../../lib/session.ts';
import { commentDrafts, removeCommentDraft } from './comment-drafts.ts';

const day = 24 * 60 * 60 * 1000;

beforeEach(() => localStorage.clear());
afterEach(() => void vi.useRealTimers());

test('a comment draft is restored for its own account and vent only', () => {
  commentDrafts.save('u1', { text: 'मैं सुन रही हूँ\nreally' }, 'v1');
  expect(commentDrafts.read('u1', 'v1')?.text).toBe('मैं सुन रही हूँ\nreally');
  expect(commentDrafts.read('u1', 'v2')).toBeUndefined();
  expect(commentDrafts.read('u2', 'v1')).toBeUndefined();
});

test('the storage names neither the account nor the vent', () => {
  commentDrafts.save('u1-which-opens-a-profile', { text: 'Hello.' }, 'v1-which-was-read');
  expect(JSON.stringify(Object.entries(localStorage))).not.toMatch(/u1|v1/u);
});

test('the newest ten drafts are kept, in one entry', () => {
  for (let n = 0; n < 12; n += 1) commentDrafts.save('u1', { text: `Hello ${n}.` }, `v${n}`);
  expect(Object.keys(localStorage)).toEqual([draftKey('u1', 'comments')]);
  expect(commentDrafts.read('u1', 'v1')).toBeUndefined();
  expect(commentDrafts.read('u1', 'v2')?.text).toBe('Hello 2.');
});

test('a comment draft is deleted when it is emptied or sent, but not when another text has replaced it', () => {
  commentDrafts.save('u1', { text: 'Hello.' }, 'v1');
  commentDrafts.save('u1', { text: '' }, 'v1');
  expect(Object.keys(localStorage)).toEqual([]);
  commentDrafts.save('u1', { text: 'And more.' }, 'v1');
  removeCommentDraft('u1', 'v1', 'Hello.');
  expect(commentDrafts.read('u1', 'v1')?.text).toBe('And more.');
  removeCommentDraft('u1', 'v1', 'And more.');
  expect(Object.keys(localStorage)).toEqual([]);
});

test('a comment draft survives an expired session, but neither a log-out nor another account', () => {
  startSession('uns_one', 'u1');
  commentDrafts.save('u1', { text: 'Hello.' }, 'v1');
  endSession('refused');
  startSession('uns_two', 'u1');
  expect(commentDrafts.read('u1', 'v1')?.text).toBe('Hello.');
  endSession('logout');
  expect(commentDrafts.read('u1', 'v1')).toBeUndefined();
  startSession('uns_three', 'u1');
  commentDrafts.save('u1', { text: 'Hello.' }, 'v1');
  endSession('refused');
  startSession('uns_other', 'u2');
  expect(commentDrafts.read('u1', 'v1')).toBeUndefined();
});

test('abandoned comment drafts expire, also those of another account', () => {
  vi.useFakeTimers({ now: 0 });
  commentDrafts.save('u1', { text: 'Hello.' }, 'v1');
  vi.setSystemTime(20 * day);
  commentDrafts.save('u1', { text: 'Hello again.' }, 'v2');
  vi.setSystemTime(31 * day);
  expect(commentDrafts.read('u1', 'v1')).toBeUndefined();
  expect(commentDrafts.read('u1', 'v2')?.text).toBe('Hello again.');
  dropExpiredDrafts();
  expect(JSON.stringify({ ...localStorage })).not.toContain('Hello.');
  vi.setSystemTime(49 * day);
  dropExpiredDrafts();
  expect(Object.keys(localStorage)).toEqual([draftKey('u1', 'comments')]);
  vi.setSystemTime(51 * day);
  dropExpiredDrafts();
  expect(Object.keys(localStorage)).toEqual([]);
});

test('reading tolerates malformed storage', () => {
  for (const stored of ['', 'null', '[]', '{"drafts":3}', '[1,{"text":"x"}]']) {
    localStorage.setItem(draftKey('u1', 'comments'), stored);
    expect(commentDrafts.read('u1', 'v1')).toBeUndefined();
  }
});
