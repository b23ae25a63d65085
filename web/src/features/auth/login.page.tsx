import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, Navigate } from 'react-router';
import { signIn, useSession } from '../../lib/current-user.ts';
import { paths } from '../../lib/paths.ts';
import { clearEndReason } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Note } from '../../ui/note.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { checkCode } from './auth.api.ts';
import { CodeStep } from './code-step.tsx';
import { PhoneStep } from './phone-step.tsx';
import { usePageCodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

export function LoginPage({ destination }: { readonly destination: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { isSignedIn, endedBy } = useSession();
  // Read once: the note stays while this page is open.
  const [endReason] = useState(endedBy);
  useEffect(() => clearEndReason, []);
  const flow = usePageCodeFlow({
    flow: 'login',
    purpose: 'signin',
    verify: async (phone, otp) => {
      const { token, user } = await checkCode(phone, otp);
      signIn(client, token, user);
    },
  });

  if (isSignedIn) return <Navigate to={destination} replace />;

  return (
    <Card isFocal>
      {flow.step === 'phone' ? (
        <>
          {endReason === 'deleted' && (
            <div className={styles.notes}>
              <Note>
                <Trans>
                  Your account is deleted. We'll treat your vents and comments the way you chose. You can sign
                  up again any time.
                </Trans>
              </Note>
            </div>
          )}
          {endReason === 'expired' && (
            <div className={styles.notes}>
              <Note>
                <Trans>Your session ended. Sign in again and you will be back where you were.</Trans>
              </Note>
            </div>
          )}
          {(endReason === 'logout' || endReason === 'elsewhere') && (
            <div className={styles.notes}>
              <Note>
                <Trans>You are signed out. Nothing of yours is kept in this browser.</Trans>
              </Note>
            </div>
          )}
          <PageHeading title={t`Login`}>
            {endReason === 'deleted' ? <Trans>Take care of yourself</Trans> : <Trans>Welcome back</Trans>}
          </PageHeading>
          <p className={styles.intro}>
            <Trans>Your number only signs you in. It is never stored and never shown to anyone.</Trans>
          </p>
          <PhoneStep flow={flow} />
          <p className={styles.other}>
            <Trans>
              New here? <Link to={paths.signup}>Create account</Link>
            </Trans>
          </p>
        </>
      ) : (
        <CodeStep flow={flow} pageTitle={t`Login`} />
      )}
    </Card>
  );
}
