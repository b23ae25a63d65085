import { limits } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';
import { useEffect, useEffectEvent } from 'react';
import { readablePhone } from '../../lib/phone.ts';
import { Button } from '../../ui/button.tsx';
import { CodeField } from '../../ui/code-field.tsx';
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

interface CodeStepProps {
  readonly flow: CodeFlow;
  /** Title of the tab, on a page. A dialog has its own heading. */
  readonly pageTitle?: string;
  /** If set, a complete code does not submit itself, neither typed nor read from the SMS. */
  readonly finalChoice?: FinalChoice | undefined;
}

/** The second step: where the code was sent, and the boxes for it. */
export function CodeStep({ flow, pageTitle, finalChoice }: CodeStepProps) {
  const { firstBox, secondsLeft, code } = flow;
  const isComplete = code.length === limits.otpLength;
  const submitsItself = finalChoice === undefined;

  useEffect(() => firstBox.current?.focus(), [firstBox]);

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
          <Trans>Enter your code</Trans>
        </PageHeading>
      )}
      <p className={styles.intro}>
        <SentTo phone={flow.phone} />
      </p>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && submitsItself) void flow.submit(code);
        }}
      >
        <CodeField
          value={code}
          onChange={flow.setCode}
          onComplete={(complete) => {
            if (submitsItself) void flow.submit(complete);
          }}
          error={flow.codeError}
          isBusy={flow.busyWith === 'verify'}
          firstBox={firstBox}
        />
        {finalChoice === undefined ? (
          <SubmitButton flow={flow} waitsFor="verify" disabled={!isComplete}>
            <Trans>Continue</Trans>
          </SubmitButton>
        ) : (
          // Not submit buttons: Enter in the boxes must not confirm either.
          <div className={styles.finalChoice}>
            <Button variant="outlined" disabled={flow.busyWith !== undefined} onClick={finalChoice.onCancel}>
              {finalChoice.cancelLabel}
            </Button>
            <Button
              variant="danger"
              disabled={!isComplete}
              isBusy={flow.busyWith === 'verify'}
              onClick={() => void flow.submit(code)}
            >
              {finalChoice.confirmLabel}
            </Button>
          </div>
        )}
        <div className={styles.again}>
          <div className={styles.resend}>
            <Button
              variant="quiet"
              disabled={secondsLeft > 0}
              isBusy={flow.busyWith === 'resend'}
              onClick={() => void flow.resend()}
            >
              <Trans>Resend OTP</Trans>
            </Button>
            {secondsLeft > 0 && (
              <span className={styles.countdown}>
                <Trans>in {secondsLeft} s</Trans>
              </span>
            )}
          </div>
          <Button variant="quiet" onClick={flow.changeNumber} disabled={flow.busyWith !== undefined}>
            <Trans>Change number</Trans>
          </Button>
        </div>
      </form>
    </>
  );
}

/** Shows the number, so that a typing mistake is noticed. It is not stored. */
function SentTo({ phone }: { readonly phone: string }) {
  return (
    <Trans>
      We sent six digits to{' '}
      <bdi dir="ltr" className={styles.number}>
        {readablePhone(phone)}
      </bdi>
      .
    </Trans>
  );
}
