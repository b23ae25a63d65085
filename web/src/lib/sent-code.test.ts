import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readSentCode, storeSentCode, type SentCode } from './sent-code.ts';

const keys = () => Object.keys(sessionStorage);
const newCode = (): SentCode => ({
  flow: 'login',
  country: 'IN',
  number: '9876543210',
  until: Date.now() + 300_000,
  resendAt: Date.now() + 30_000,
  sends: 1,
  tries: 2,
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  storeSentCode(null);
  vi.useRealTimers();
});

test('a sent code is kept in session storage only', () => {
  const sent = newCode();
  storeSentCode(sent);
  expect(readSentCode()).toEqual(sent);
  expect(Object.keys(localStorage)).toEqual([]);
});

test('it is removed when the code expires, whatever page is open', () => {
  storeSentCode(newCode());
  vi.advanceTimersByTime(299_999);
  expect(keys()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(keys()).toEqual([]);
});

test('one that expired while the tab was gone is removed when it is read', () => {
  const sent = newCode();
  vi.setSystemTime(Date.now() + 300_000);
  sessionStorage.setItem('unsaid.otp', JSON.stringify(sent));
  expect(readSentCode()).toBeNull();
  expect(keys()).toEqual([]);
});

test('a broken entry counts as none', () => {
  for (const stored of ['', '{', 'null', '[]', '{"flow":"login"}']) {
    sessionStorage.setItem('unsaid.otp', stored);
    expect(readSentCode()).toBeNull();
    expect(keys()).toEqual([]);
  }
});

test('a response that arrives after the quick exit stores no number', () => {
  document.documentElement.dataset['left'] = '';
  storeSentCode(newCode());
  delete document.documentElement.dataset['left'];
  expect(keys()).toEqual([]);
});
