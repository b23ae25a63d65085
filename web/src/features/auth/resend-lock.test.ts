import { expect, test } from 'vitest';
import { resendLockSeconds } from './resend-lock.ts';

test('sign-up locks Resend for 30 s after every send (S2.25, S4.13, S9.2)', () => {
  expect(resendLockSeconds('signup', 1, 0)).toBe(30);
  expect(resendLockSeconds('signup', 2, 30)).toBe(30);
});

test('sign-in allows the first resend at once, then locks', () => {
  expect(resendLockSeconds('login', 1, 30)).toBe(0);
  expect(resendLockSeconds('login', 2, 30)).toBe(30);
});

test('a longer cooldown from the server takes precedence', () => {
  expect(resendLockSeconds('signup', 1, 45)).toBe(45);
  expect(resendLockSeconds('login', 3, 60)).toBe(60);
});
