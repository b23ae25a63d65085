import { Trans } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { readablePhone } from '../../lib/phone.ts';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Agreement } from './agreement.tsx';
import type { CodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

export interface NoAccountStepProps {
  readonly flow: CodeFlow;
  readonly pageTitle: string;
}

/** After the right code of a number without an account: nothing is made before the person agrees. */
export function NoAccountStep({ flow, pageTitle }: NoAccountStepProps) {
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => said.current?.focus(), []);
  return (
    <>
      <PageHeading title={pageTitle}>
        <Trans>You're new here</Trans>
      </PageHeading>
      <p ref={said} tabIndex={-1} className={styles.intro}>
        <Trans>
          There's no account with{' '}
          <bdi dir="ltr" className={styles.number}>
            {readablePhone(flow.sentTo)}
          </bdi>{' '}
          yet.
        </Trans>
      </p>
      <div className={styles.form}>
        <Agreement />
        {flow.codeError !== undefined && <FieldError>{flow.codeError}</FieldError>}
        <Button isWide isBusy={flow.busyWith === 'verify'} onClick={() => void flow.join()}>
          <Trans>Create account</Trans>
        </Button>
        <div className={styles.again}>
          <Button variant="quiet" onClick={flow.changeNumber} disabled={flow.busyWith !== undefined}>
            <Trans>Try another number</Trans>
          </Button>
        </div>
        <details className={styles.had}>
          <summary>
            <Trans>I had an account</Trans>
          </summary>
          <p>
            <Trans>
              Maybe it was with another number. If you have your recovery code, create an account here first.
              Then go to Settings and get your old one back with the code.
            </Trans>
          </p>
        </details>
      </div>
    </>
  );
}
