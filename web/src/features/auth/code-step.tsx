import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useEffectEvent, useRef } from 'react';
import { readablePhone } from '../../lib/phone.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { CodeField } from '../../ui/code-field.tsx';
import { FieldError } from '../../ui/field.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { readCodeFromSms } from './read-code-from-sms.ts';
import { SubmitButton } from './submit-button.tsx';
import type { CodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

/** The two buttons in place of Continue when the code leads to something that cannot be undone. */
export interface FinalChoice {
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly onCancel: () => void;
}

export interface CodeStepProps {
  readonly flow: CodeFlow;
  /** Title of the tab, on a page. A dialog has its own heading. */
  readonly pageTitle?: string;
  /** If set, a complete code does not submit itself, neither typed nor read from the SMS. */
  readonly finalChoice?: FinalChoice | undefined;
}

/** The second step: where the code was sent, and the boxes for it. */
export function CodeStep({ flow, pageTitle, finalChoice }: CodeStepProps) {
  const { code, codeEnd } = flow;
  const isComplete = code.length === limits.otpLength;
  const submitsItself = finalChoice === undefined;

  const take = useEffectEvent((sent: string) => {
    flow.setCode(sent);
    if (submitsItself) void flow.submit(sent);
  });
  useEffect(() => {
    const page = new AbortController();
    void readCodeFromSms(page.signal).then((sent) => sent !== undefined && take(sent));
    return () => page.abort();
  }, []);

  return (
    <>
      {pageTitle !== undefined && (
        <PageHeading title={pageTitle}>
          <Trans>Enter the OTP</Trans>
        </PageHeading>
      )}
      <p className={styles.intro}>
        <SentTo phone={flow.sentTo} />
      </p>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && submitsItself) void flow.submit(code);
        }}
      >
        {codeEnd !== undefined ? (
          <CodeEnded flow={flow} />
        ) : (
          <>
            <CodeBoxes flow={flow} submitsItself={submitsItself} />
            {finalChoice === undefined ? (
              <SubmitButton flow={flow} waitsFor="verify" disabled={!isComplete}>
                <Trans>Continue</Trans>
              </SubmitButton>
            ) : (
              <FinalButtons flow={flow} choice={finalChoice} isComplete={isComplete} />
            )}
          </>
        )}
        <div className={styles.again}>
          {codeEnd === undefined && (
            <div className={styles.resend}>
              <ResendButton flow={flow} variant="quiet" />
              <Countdown flow={flow} />
            </div>
          )}
          <Button variant="quiet" onClick={flow.changeNumber} disabled={flow.busyWith !== undefined}>
            <Trans>Change number</Trans>
          </Button>
        </div>
      </form>
    </>
  );
}

interface PartProps {
  readonly flow: CodeFlow;
}

interface FinalButtonsProps extends PartProps {
  readonly choice: FinalChoice;
  readonly isComplete: boolean;
}

/** Not submit buttons: Enter in the boxes must not confirm either. */
function FinalButtons({ flow, choice, isComplete }: FinalButtonsProps) {
  const row = useRef<HTMLDivElement>(null);
  // In a long dialog they are below the visible part.
  useEffect(() => {
    if (isComplete) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isComplete]);
  return (
    <div ref={row} className={styles.finalChoice}>
      <Button variant="outlined" disabled={flow.busyWith !== undefined} onClick={choice.onCancel}>
        {choice.cancelLabel}
      </Button>
      <Button
        variant="danger"
        disabled={!isComplete}
        isBusy={flow.busyWith === 'verify'}
        onClick={() => void flow.submit(flow.code)}
      >
        {choice.confirmLabel}
      </Button>
    </div>
  );
}

function CodeBoxes({ flow, submitsItself }: PartProps & { readonly submitsItself: boolean }) {
  const { firstBox } = flow;
  useEffect(() => firstBox.current?.focus(), [firstBox]);
  return (
    <CodeField
      value={flow.code}
      onChange={flow.setCode}
      onComplete={(complete) => {
        if (submitsItself) void flow.submit(complete);
      }}
      error={flow.codeError ?? flow.resendError}
      isBusy={flow.busyWith === 'verify'}
      firstBox={firstBox}
    />
  );
}

/** In place of the boxes, when no try is left or the code has expired: Resend is the main button. */
function CodeEnded({ flow }: PartProps) {
  const { t } = useLingui();
  const message = useRef<HTMLDivElement>(null);
  useEffect(() => message.current?.focus(), []);
  const why =
    flow.codeEnd === 'used-up'
      ? t`Too many wrong tries. This OTP no longer works. Send a new one.`
      : t`This OTP has expired. Send a new one.`;
  return (
    <>
      <div ref={message} tabIndex={-1} className={styles.ended}>
        <FieldError>{flow.resendError ?? why}</FieldError>
      </div>
      <div className={styles.resendFirst}>
        <ResendButton flow={flow} isWide />
        <Countdown flow={flow} />
      </div>
    </>
  );
}

function ResendButton({ flow, ...look }: PartProps & Pick<ButtonProps, 'variant' | 'isWide'>) {
  return (
    <Button
      {...look}
      disabled={flow.secondsLeft > 0}
      isBusy={flow.busyWith === 'resend'}
      onClick={() => void flow.resend()}
    >
      <Trans>Resend OTP</Trans>
    </Button>
  );
}

function Countdown({ flow: { secondsLeft } }: PartProps) {
  if (secondsLeft === 0) return null;
  return (
    <span className={styles.countdown}>
      <Trans>in {secondsLeft} s</Trans>
    </span>
  );
}

/** Shows the number, so that a typing mistake is noticed. */
function SentTo({ phone }: { readonly phone: string }) {
  return (
    <Trans>
      We sent a 6-digit OTP to{' '}
      <bdi dir="ltr" className={styles.number}>
        {readablePhone(phone)}
      </bdi>
      .
    </Trans>
  );
}
