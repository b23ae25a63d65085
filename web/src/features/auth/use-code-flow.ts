import type { OtpPurpose } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useRef, useState } from 'react';
import { ApiError } from '../../lib/api-client.ts';
import { errorText } from '../../lib/error-text.ts';
import { buildPhone, defaultCountry } from '../../lib/phone.ts';
import { useCountdown } from '../../lib/use-countdown.ts';
import { toast } from '../../ui/toast.tsx';
import { sendCode } from './auth.api.ts';
import { resendLockSeconds } from './resend-lock.ts';

interface CodeFlowOptions {
  readonly flow: 'signup' | 'login';
  readonly purpose: OtpPurpose;
  /** Exchanges a correct code. Throws the server's error for a wrong one. */
  readonly verify: (phone: string, otp: string) => Promise<void>;
}

/** Delay before the status line is shown. Proof of work usually finishes earlier. */
const slowMs = 1200;

/**
 * Phone number, then code: shared by sign-in, sign-up and reauthentication. All of its state is in memory
 * only.
 */
export function useCodeFlow({ flow, purpose, verify }: CodeFlowOptions) {
  const { t } = useLingui();
  const [step, setStep] = useState<'phone' | 'code'>('phone');
  const [country, setCountry] = useState<string>(defaultCountry);
  const [number, setNumber] = useState('');
  const [phoneError, setPhoneError] = useState<string>();
  const [code, setCode] = useState('');
  const [codeError, setCodeError] = useState<string>();
  const [busyWith, setBusyWith] = useState<'send' | 'resend' | 'verify'>();
  const [isSlow, setIsSlow] = useState(false);
  const [secondsLeft, lock] = useCountdown();
  const sends = useRef(0);
  const isBusy = useRef(false);
  const firstBox = useRef<HTMLInputElement>(null);

  const phone = buildPhone(country, number);

  /** Runs one operation at a time: a paste can both complete the boxes and submit the form. */
  async function runExclusive(what: 'send' | 'resend' | 'verify', work: () => Promise<void>): Promise<void> {
    if (isBusy.current) return;
    isBusy.current = true;
    setBusyWith(what);
    const slowTimer = setTimeout(setIsSlow, slowMs, true);
    try {
      await work();
    } finally {
      isBusy.current = false;
      clearTimeout(slowTimer);
      setBusyWith(undefined);
      setIsSlow(false);
    }
  }

  async function requestCode(): Promise<void> {
    const { resendAfter } = await sendCode(phone, purpose);
    sends.current += 1;
    lock(resendLockSeconds(flow, sends.current, resendAfter));
    setCode('');
    setCodeError(undefined);
  }

  function lockResend(error: unknown): void {
    if (error instanceof ApiError && error.status === 429 && error.retryAfterSeconds)
      lock(error.retryAfterSeconds);
  }

  return {
    step,
    country,
    number,
    phone,
    phoneError,
    code,
    codeError,
    busyWith,
    isSlow,
    secondsLeft,
    firstBox,
    setCode,

    changePhone(nextCountry: string, nextNumber: string) {
      setCountry(nextCountry);
      setNumber(nextNumber);
      setPhoneError(undefined);
    },

    send: () =>
      runExclusive('send', async () => {
        if (phone === '') return;
        setPhoneError(undefined);
        try {
          sends.current = 0;
          await requestCode();
          setStep('code');
        } catch (error) {
          setPhoneError(errorText(error, t`Failed to send OTP`));
        }
      }),

    resend: () =>
      runExclusive('resend', async () => {
        try {
          await requestCode();
          toast(t`A new code is on its way.`);
          firstBox.current?.focus();
        } catch (error) {
          lockResend(error);
          setCodeError(errorText(error, flow === 'signup' ? t`Failed to resend OTP` : t`Failed to send OTP`));
        }
      }),

    submit: (otp: string) =>
      runExclusive('verify', async () => {
        setCodeError(undefined);
        try {
          await verify(phone, otp);
        } catch (error) {
          setCodeError(errorText(error, t`Invalid OTP`));
          // Clears a code that the server rejected. One that the server never checked can still be valid.
          const isWrong = error instanceof ApiError && error.kind === 'response' && error.status < 500;
          if (isWrong) setCode('');
          firstBox.current?.focus();
        }
      }),

    changeNumber() {
      setStep('phone');
      setCode('');
      setCodeError(undefined);
    },
  };
}

export type CodeFlow = ReturnType<typeof useCodeFlow>;
