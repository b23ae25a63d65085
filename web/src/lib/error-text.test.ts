import { errorKinds, type ErrorCode } from '@unsaid/contract';
import { i18n } from '@lingui/core';
import { afterEach, expect, test } from 'vitest';
import { activateEnglish, chooseLocale } from '../locales/i18n.ts';
import { ApiError } from './api-client.ts';
import { sentences } from './error-sentences.ts';
import { errorText, failureText } from './error-text.ts';

afterEach(() => {
  activateEnglish();
  localStorage.clear();
});

const answered = (
  code: string,
  sentence: string,
  more: { status?: number; retryAfterSeconds?: number } = {},
) => new ApiError({ kind: 'response', status: 409, code, sentence, ...more });

test('the table has every message of the contract, word for word', () => {
  for (const [code, sentence] of Object.entries(sentences)) {
    expect(i18n._(sentence), code).toBe(errorKinds[code as ErrorCode].message);
  }
});

test("English shows the server's own text", () => {
  expect(errorText(answered('USERNAME_TAKEN', 'Said otherwise.'), 'Failed')).toBe('Said otherwise.');
  expect(errorText(answered('', ''), 'Failed')).toBe('Failed');
});

test('Hindi translates known codes, and leaves the rest as the server sent it', async () => {
  await chooseLocale('hi');
  const taken = answered('USERNAME_TAKEN', "That name's taken. Try another.");
  expect(errorText(taken, 'x')).toBe('यह नाम कोई और ले चुका है। दूसरा चुनें।');
  expect(errorText(answered('NEWER_THAN_THIS', 'Something new.'), 'x')).toBe('Something new.');
  // A message that belongs to the call; the screen has its Hindi translation.
  expect(errorText(answered('VALIDATION_FAILED', 'Invalid OTP'), 'OTP सही नहीं है।')).toBe('OTP सही नहीं है।');
});

test('the text says how long to wait, and what failed before why, with the punctuation of the language', async () => {
  const tooMany = answered('OTP_RATE_LIMITED', 'Too many OTPs for now. Try again later.', {
    status: 429,
    retryAfterSeconds: 42,
  });
  const unreached = new ApiError({ kind: 'network' });
  expect(errorText(tooMany, 'x')).toBe('Too many OTPs for now. Try again in 42 seconds.');
  expect(failureText(unreached, 'Failed to add comment.')).toBe(
    "Failed to add comment. Couldn't reach Unsaid. Check your connection and try again.",
  );
  await chooseLocale('hi');
  expect(errorText(tooMany, 'x')).toBe('अभी के लिए बहुत OTP हो गए। 42 सेकंड बाद फिर से कोशिश करें।');
  expect(failureText(unreached, 'कमेंट नहीं हो पाया।')).toBe(
    'कमेंट नहीं हो पाया। Unsaid खुल नहीं पाया। इंटरनेट देखकर फिर से कोशिश करें।',
  );
});
