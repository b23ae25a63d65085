import { errorKinds, join, limits, listCountries, requestOtp, verifyOtp } from '@unsaid/contract';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readFirstVisit } from '../../lib/first-visit.ts';
import { clearEndReason, endSession, startSession } from '../../lib/session.ts';
import { testSelf, testServer, withProviders } from '../../lib/testing.tsx';
import { codeSteps } from './lazy-code-steps.ts';
import { LoginPage } from './login.page.tsx';
import { SignupPage } from './signup.page.tsx';

// As for whoever types a number: it is loaded before the code is sent.
beforeAll(() => codeSteps.load());
beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => {
  act(() => endSession('logout'));
  clearEndReason();
  vi.useRealTimers();
});

const rightCode = '314159';
/** Numbers that end so have no account. */
const unknownEnding = '99999';

/** Sends codes, and knows one right code. */
function startServer() {
  const { status, message } = errorKinds.OTP_INVALID;
  return testServer(({ path, body }) => {
    if (path === listCountries.path) return { countries: ['IN'] };
    if (path === requestOtp.path) return { resendAfter: 0, expiresIn: limits.otpLifeSeconds };
    if (path === join.path) return { token: 'uns_joined', user: testSelf, isNewUser: true };
    const { otp, phone, asksFirst } = body as { otp: string; phone: string; asksFirst?: boolean };
    if (otp === rightCode && asksFirst && phone.endsWith(unknownEnding)) {
      const error = errorKinds.NO_ACCOUNT_YET;
      return Response.json(
        { success: false, code: 'NO_ACCOUNT_YET', message: error.message, requestId: 'r1', proof: 'sealed' },
        { status: error.status },
      );
    }
    if (otp === rightCode) return { token: 'uns_new', user: testSelf, isNewUser: true };
    return Response.json({ success: false, code: 'OTP_INVALID', message, requestId: 'r1' }, { status });
  });
}

/** Lets what was started go on: requests are answered, and timers within these milliseconds fire. */
const pass = (ms = 0) => act(() => vi.advanceTimersByTimeAsync(ms));

const openLogin = (destination = '/') => render(withProviders(<LoginPage destination={destination} />));
const openSignup = () => render(withProviders(<SignupPage ProfileStep={() => <p>The profile step</p>} />));

const numberField = () => screen.getByLabelText<HTMLInputElement>('Phone number');
const resend = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Resend OTP' });
/** The first of the six boxes. A whole code can be put into it. */
const codeBox = () => document.querySelector<HTMLInputElement>('input[autocomplete="one-time-code"]');

async function sendCode(number = '98123 45678'): Promise<void> {
  fireEvent.change(numberField(), { target: { value: number } });
  fireEvent.click(screen.getByRole('button', { name: 'Send OTP' }));
  await pass();
}

async function typeCode(code: string): Promise<void> {
  fireEvent.change(codeBox() as HTMLElement, { target: { value: code } });
  await pass();
}

test('after five wrong codes the page says that this OTP is used up, and keeps that for a reload', async () => {
  const requests = startServer();
  openLogin();
  await sendCode();
  for (let tries = 1; tries < limits.otpTries; tries += 1) {
    await typeCode('111111');
    expect(screen.getByText(/^Invalid OTP\./u)).toBeTruthy();
    expect(document.activeElement).toBe(codeBox());
  }
  await typeCode('111111');
  const sentence = 'Too many wrong tries. This OTP no longer works. Send a new one.';
  expect(screen.getByText(sentence)).toBeTruthy();
  expect(codeBox()).toBeNull();
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();

  // A reload gives no more tries: the tab keeps how many there were.
  expect(JSON.parse(sessionStorage.getItem('unsaid.otp') ?? '{}')).toMatchObject({ tries: limits.otpTries });
  expect(requests.filter(({ path }) => path === verifyOtp.path)).toHaveLength(limits.otpTries);
});

test('an OTP that is used up is sent again, and the new one is counted from the start', async () => {
  startServer();
  openSignup();
  await sendCode();
  for (let tries = 0; tries < limits.otpTries; tries += 1) await typeCode('111111');
  // The lock of sign-up goes on.
  expect(resend().disabled).toBe(true);
  await pass(30_000);
  fireEvent.click(resend());
  await pass();
  await typeCode('111111');
  expect(screen.getByText(/^Invalid OTP\./u)).toBeTruthy();
  await typeCode(rightCode);
  expect(screen.getByText('The profile step')).toBeTruthy();
  expect(sessionStorage.getItem('unsaid.otp')).toBeNull();
});

test('an OTP that has expired says so, and offers a new one', async () => {
  startServer();
  openLogin();
  await sendCode();
  await pass((limits.otpLifeSeconds - 1) * 1000);
  expect(codeBox()).not.toBeNull();
  await pass(1000);
  expect(screen.getByText('This OTP has expired. Send a new one.')).toBeTruthy();
  expect(codeBox()).toBeNull();
  expect(resend().disabled).toBe(false);
});

test('Resend is locked for 30 s after each code at sign-up (S2.25, S4.13, S9.2)', async () => {
  const requests = startServer();
  openSignup();
  await sendCode();
  expect(screen.getByText('in 30 s')).toBeTruthy();
  expect(resend().disabled).toBe(true);
  await pass(29_000);
  expect(screen.getByText('in 1 s')).toBeTruthy();
  expect(resend().disabled).toBe(true);
  await pass(1000);
  expect(resend().disabled).toBe(false);
  fireEvent.click(resend());
  await pass();
  expect(screen.getByText('in 30 s')).toBeTruthy();
  expect(resend().disabled).toBe(true);
  expect(requests.filter(({ path }) => path === requestOtp.path)).toHaveLength(2);
});

test('Resend is open at once at login, then locked with a countdown (S2.22)', async () => {
  startServer();
  openLogin();
  await sendCode();
  expect(resend().disabled).toBe(false);
  fireEvent.click(resend());
  await pass();
  expect(screen.getByText('in 30 s')).toBeTruthy();
  expect(resend().disabled).toBe(true);
  await pass(1000);
  expect(screen.getByText('in 29 s')).toBeTruthy();
});

const pitch = () => screen.queryByText("Say what you can't say to anyone you know.");
const heading = () => screen.getByRole('heading', { level: 1 }).textContent;

test.each(['/login', '/signup'])('%s tells a stranger what Unsaid is', (path) => {
  startServer();
  if (path === '/login') openLogin();
  else openSignup();
  expect(pitch()).toBeTruthy();
  expect(screen.getByText("We don't store your phone number.")).toBeTruthy();
  expect(screen.getByRole('figure', { name: 'Example of a vent' })).toBeTruthy();
  expect(screen.queryByText('Welcome back')).toBeNull();
  // An example, not a number that is filled in.
  expect(numberField().value).toBe('');
  expect(numberField().placeholder).toMatch(/^e\.g\. /u);
});

test('a visitor who followed a link to a vent reads that someone shared it, and others do not', () => {
  startServer();
  const shared = openLogin('/vent/abcdefghijklmnopqrstuv');
  expect(screen.getByText('Someone shared a vent with you. Log in to read it.')).toBeTruthy();
  expect(pitch()).toBeTruthy();
  shared.unmount();
  openLogin('/vents');
  expect(heading()).toBe('Log in');
  expect(screen.queryByText(/Someone shared/u)).toBeNull();
});

test('"Welcome back" is for a person who was here, with what stays in the browser, and for nobody after', () => {
  startServer();
  startSession('uns_test', testSelf._id);
  endSession('logout');
  const left = openLogin();
  expect(heading()).toBe('Welcome back');
  expect(pitch()).toBeNull();
  expect(screen.getByText(/Your browser history may still show Unsaid/u)).toBeTruthy();
  left.unmount();
  openLogin();
  expect(heading()).toBe('Log in');
  expect(pitch()).toBeTruthy();
});

test('a number without an account is asked before an account is made', async () => {
  const requests = startServer();
  openLogin();
  await sendCode('98123 99999');
  await typeCode(rightCode);
  expect(screen.getByText('You must be 18 or older.')).toBeTruthy();
  expect(requests.some(({ path }) => path === join.path)).toBe(false);
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
  await pass();
  expect(requests.find(({ path }) => path === join.path)?.body).toEqual({
    phone: '+919812399999',
    proof: 'sealed',
    isAdultAndAgrees: true,
  });
  expect(sessionStorage.getItem('unsaid.otp')).toBeNull();
});

test.each([
  ['/login', true, openLogin],
  ['/signup', false, openSignup],
])(
  '%s sends asksFirst %s, and a first visit is kept until its question is answered',
  async (_, asksFirst, open) => {
    const requests = testServer(({ path }) => {
      if (path === listCountries.path) return { countries: ['IN'] };
      if (path === requestOtp.path) return { resendAfter: 0, expiresIn: limits.otpLifeSeconds };
      const firstVisit = { since: '2026-11', hasCode: true, otherSessions: 2 };
      return { token: 'uns_new', user: testSelf, isNewUser: false, firstVisit };
    });
    open();
    await sendCode();
    await typeCode(rightCode);
    expect(requests.find(({ path }) => path === verifyOtp.path)?.body).toEqual({
      phone: '+919812345678',
      otp: rightCode,
      asksFirst,
    });
    expect(readFirstVisit(testSelf._id)).toBe('2026-11 1 2');
  },
);
