import { limits, type OtpPurpose } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../lib/api-client.ts';
import { errorText } from '../../lib/error-text.ts';
import { buildPhone, defaultCountry } from '../../lib/phone.ts';
import { readSentCode, storeSentCode, type SentCode } from '../../lib/sent-code.ts';
import { useCountdown } from '../../lib/use-countdown.ts';
import { toast } from '../../ui/toast.tsx';
import { sendCode } from './auth.api.ts';
import { codeSteps } from './lazy-code-steps.ts';
import { resendLockSeconds } from './resend-lock.ts';
import { useDialogSteps, usePageSteps, type Steps } from './use-steps.ts';

interface CodeFlowOptions {
  readonly flow: 'signup' | 'login';
  readonly purpose: OtpPurpose;
  /** Exchanges a correct code. Throws the server's error for a wrong one. */
  readonly verify: (phone: string, otp: string) => Promise<void>;
  /** Makes an account for a verified number without one. */
  readonly join?: (phone: string, proof: string) => Promise<void>;
}

/** Delay before the status line is shown. Proof of work usually finishes earlier. */
const slowMs = 1200;

/** Number and code on a page. What was sent outlives a reload. */
export function usePageCodeFlow(options: CodeFlowOptions) {
  const [sent, setSent] = useState(() => {
    const stored = readSentCode();
    return stored?.flow === options.flow ? stored : null;
  });
  const steps = usePageSteps(sent !== null);
  const { verify, join } = options;
  return useCodeFlow({
    ...options,
    steps,
    sent,
    setSent(next) {
      setSent(next);
      storeSentCode(next);
    },
    async verify(phone, otp) {
      await verify(phone, otp);
      storeSentCode(null);
    },
    async join(phone, proof) {
      await join?.(phone, proof);
      storeSentCode(null);
    },
  });
}

/** Number and code in a dialog. All of its state is in memory only. */
export function useDialogCodeFlow(options: CodeFlowOptions) {
  const [sent, setSent] = useState<SentCode | null>(null);
  return useCodeFlow({ ...options, steps: useDialogSteps(), sent, setSent });
}

interface CodeFlowParts extends CodeFlowOptions {
  readonly steps: Steps;
  readonly sent: SentCode | null;
  readonly setSent: (sent: SentCode | null) => void;
}

/** Phone number, then code: shared by sign-in, sign-up and reauthentication. */
function useCodeFlow({ flow, purpose, verify, join, steps, sent, setSent }: CodeFlowParts) {
  const { t } = useLingui();
  const [country, setCountry] = useState<string>(sent?.country ?? defaultCountry);
  const [number, setNumber] = useState(sent?.number ?? '');
  const [phoneError, setPhoneError] = useState<string>();
  const [code, setCode] = useState('');
  const [codeError, setCodeError] = useState<string>();
  const [resendError, setResendError] = useState<string>();
  const [busyWith, setBusyWith] = useState<'send' | 'resend' | 'verify'>();
  const [isSlow, setIsSlow] = useState(false);
  const [secondsLeft, lock] = useCountdown(sent?.resendAt);
  const isExpired = useHasPassed(sent?.until);
  const isBusy = useRef(false);
  const firstBox = useRef<HTMLInputElement>(null);

  const phone = buildPhone(country, number);
  // Another number may have been typed since.
  const sentTo = sent ? buildPhone(sent.country, sent.number) : '';
  // Counted here, because the server's response is the same for a wrong code and for one that is used up.
  const isUsedUp = sent !== null && sent.tries >= limits.otpTries;

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

  async function requestCode(to: Pick<SentCode, 'country' | 'number'>, sends: number): Promise<void> {
    const { resendAfter, expiresIn } = await sendCode(buildPhone(to.country, to.number), purpose);
    const lockSeconds = resendLockSeconds(flow, sends, resendAfter);
    const now = Date.now();
    lock(lockSeconds);
    setSent({
      flow,
      country: to.country,
      number: to.number,
      until: now + expiresIn * 1000,
      resendAt: now + lockSeconds * 1000,
      sends,
      tries: 0,
    });
    setCode('');
    setCodeError(undefined);
    setResendError(undefined);
  }

  function lockResend(error: unknown): void {
    if (!(error instanceof ApiError) || error.status !== 429 || !error.retryAfterSeconds) return;
    lock(error.retryAfterSeconds);
    if (sent) setSent({ ...sent, resendAt: Date.now() + error.retryAfterSeconds * 1000 });
  }

  return {
    step: steps.isCode ? ('code' as const) : ('phone' as const),
    country,
    number,
    phone,
    sentTo,
    phoneError,
    code,
    codeError,
    resendError,
    busyWith,
    isSlow,
    secondsLeft,
    firstBox,
    setCode,
    /** Why no code can be entered any more. */
    codeEnd: isUsedUp ? ('used-up' as const) : isExpired ? ('expired' as const) : undefined,
    /** Whether a code was sent to this number and can still be entered. */
    hasCode: sent !== null && !isUsedUp && !isExpired && sentTo === phone,

    changePhone(nextCountry: string, nextNumber: string) {
      codeSteps.prepare();
      setCountry(nextCountry);
      setNumber(nextNumber);
      setPhoneError(undefined);
    },

    send: () =>
      runExclusive('send', async () => {
        if (phone === '') return;
        setPhoneError(undefined);
        try {
          // Before the code is on its way: without it there would be no field for the code.
          await codeSteps.load();
          await requestCode({ country, number }, 1);
          steps.toCode();
        } catch (error) {
          setPhoneError(errorText(error, t`Failed to send OTP`));
        }
      }),

    enterCode: steps.toCode,

    resend: () =>
      runExclusive('resend', async () => {
        if (!sent) return;
        try {
          await requestCode(sent, sent.sends + 1);
          toast(t`A new OTP is on its way.`);
          firstBox.current?.focus();
        } catch (error) {
          lockResend(error);
          setCodeError(undefined);
          setResendError(
            errorText(error, flow === 'signup' ? t`Failed to resend OTP` : t`Failed to send OTP`),
          );
        }
      }),

    submit: (otp: string) =>
      runExclusive('verify', async () => {
        if (!sent || isUsedUp || isExpired) return;
        setCodeError(undefined);
        setResendError(undefined);
        try {
          await verify(sentTo, otp);
        } catch (error) {
          if (error instanceof ApiError && error.proof !== undefined) {
            setSent({ ...sent, proof: error.proof, until: Date.now() + limits.joinMinutes * 60_000 });
            setCode('');
            return;
          }
          const sentence = errorText(error, t`Invalid OTP`);
          const isTry = error instanceof ApiError && error.code === 'OTP_INVALID';
          setCodeError(isTry ? t`Invalid OTP. That code didn't match. Try again.` : sentence);
          // Clears a code that the server rejected. One that the server never checked can still be valid.
          const isWrong = error instanceof ApiError && error.kind === 'response' && error.status < 500;
          if (isWrong) setCode('');
          if (isTry) setSent({ ...sent, tries: sent.tries + 1 });
          firstBox.current?.focus();
        }
      }),

    /** The code was right, and the number has no account. */
    needsAccount: sent?.proof !== undefined && !isExpired,

    join: () =>
      runExclusive('verify', async () => {
        if (sent?.proof === undefined) return;
        setCodeError(undefined);
        try {
          await join?.(sentTo, sent.proof);
        } catch (error) {
          // A proof that is used or too old: the code step asks for a new code.
          if (error instanceof ApiError && error.code === 'OTP_INVALID')
            setSent({ ...sent, until: Date.now() });
          else setCodeError(errorText(error, t`That didn't go through. Please try again.`));
        }
      }),

    changeNumber() {
      // Verified, but not theirs or not to be used: the next person at this tab must not see it.
      if (sent?.proof !== undefined) {
        setSent(null);
        setNumber('');
      }
      setCode('');
      setCodeError(undefined);
      setResendError(undefined);
      steps.toPhone();
    },
  };
}

export type CodeFlow = ReturnType<typeof useCodeFlow>;

/** Whether a moment has passed, in milliseconds. */
function useHasPassed(moment: number | undefined): boolean {
  const [passed, setPassed] = useState<number>();
  useEffect(() => {
    if (moment === undefined) return;
    const timer = setTimeout(setPassed, Math.max(0, moment - Date.now()), moment);
    return () => clearTimeout(timer);
  }, [moment]);
  return moment !== undefined && passed === moment;
}
