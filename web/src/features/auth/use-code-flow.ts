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
  /** What a right code is traded for. Throws what the server answered when it is wrong. */
  readonly verify: (phone: string, otp: string) => Promise<void>;
}

/** From here on a wait is spoken of. Proof of work is mostly done by then. */
const longMs = 1200;

/** A number, then a code: shared by signing in, signing up and confirming. Nothing of it leaves this memory. */
export function useCodeFlow({ flow, purpose, verify }: CodeFlowOptions) {
  const { t } = useLingui();
  const [step, setStep] = useState<'phone' | 'code'>('phone');
  const [country, setCountry] = useState<string>(defaultCountry);
  const [number, setNumber] = useState('');
  const [phoneError, setPhoneError] = useState<string>();
  const [code, setCode] = useState('');
  const [codeError, setCodeError] = useState<string>();
  const [busyWith, setBusyWith] = useState<'send' | 'resend' | 'verify'>();
  const [isTakingLong, setIsTakingLong] = useState(false);
  const [secondsLeft, lock] = useCountdown();
  const sends = useRef(0);
  const isBusy = useRef(false);
  const firstBox = useRef<HTMLInputElement>(null);

  const phone = buildPhone(country, number);

  /** One thing at a time: a paste can both complete the boxes and submit the form. */
  async function alone(what: 'send' | 'resend' | 'verify', work: () => Promise<void>): Promise<void> {
    if (isBusy.current) return;
    isBusy.current = true;
    setBusyWith(what);
    const patience = setTimeout(setIsTakingLong, longMs, true);
    try {
      await work();
    } finally {
      isBusy.current = false;
      clearTimeout(patience);
      setBusyWith(undefined);
      setIsTakingLong(false);
    }
  }

  async function deliver(): Promise<void> {
    const { resendAfter } = await sendCode(phone, purpose);
    sends.current += 1;
    lock(resendLockSeconds(flow, sends.current, resendAfter));
    setCode('');
    setCodeError(undefined);
  }

  function holdBack(error: unknown): void {
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
    isTakingLong,
    secondsLeft,
    firstBox,
    setCode,

    changePhone(nextCountry: string, nextNumber: string) {
      setCountry(nextCountry);
      setNumber(nextNumber);
      setPhoneError(undefined);
    },

    send: () =>
      alone('send', async () => {
        if (phone === '') return;
        setPhoneError(undefined);
        try {
          sends.current = 0;
          await deliver();
          setStep('code');
        } catch (error) {
          setPhoneError(errorText(error, t`Failed to send OTP`));
        }
      }),

    resend: () =>
      alone('resend', async () => {
        try {
          await deliver();
          toast(t`A new code is on its way.`);
          firstBox.current?.focus();
        } catch (error) {
          holdBack(error);
          setCodeError(errorText(error, flow === 'signup' ? t`Failed to resend OTP` : t`Failed to send OTP`));
        }
      }),

    submit: (otp: string) =>
      alone('verify', async () => {
        setCodeError(undefined);
        try {
          await verify(phone, otp);
        } catch (error) {
          setCodeError(errorText(error, t`Invalid OTP`));
          // A wrong code is of no more use; one that was never looked at still is.
          const isWrong = error instanceof ApiError && error.kind === 'answer' && error.status < 500;
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
