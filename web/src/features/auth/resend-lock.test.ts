import { expect, it } from 'vitest';
import { resendLockSeconds } from './resend-lock.ts';

it('locks 30 s after every send when signing up', () => {
  expect(resendLockSeconds('signup', 1, 0)).toBe(30);
  expect(resendLockSeconds('signup', 2, 30)).toBe(30);
});

it('leaves the first resend open when signing in, then locks', () => {
  expect(resendLockSeconds('login', 1, 30)).toBe(0);
  expect(resendLockSeconds('login', 2, 30)).toBe(30);
});

it('waits longer when the server asks for it', () => {
  expect(resendLockSeconds('signup', 1, 45)).toBe(45);
  expect(resendLockSeconds('login', 3, 60)).toBe(60);
});
