import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, Navigate } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { signIn, useSession } from '../../lib/self.ts';
import { forgetEnding } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Note } from '../../ui/note.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { checkCode } from './auth.api.ts';
import { CodeStep, SentTo } from './code-step.tsx';
import { PhoneStep } from './phone-step.tsx';
import { useCodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

export function LoginPage({ destination }: { readonly destination: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { isSignedIn, endedBy } = useSession();
  // Read once: the line stays while the person is on this page.
  const [ending] = useState(endedBy);
  useEffect(() => forgetEnding, []);
  const flow = useCodeFlow({
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
          {ending === 'deleted' && (
            <div className={styles.notes}>
              <Note>
                <Trans>Your account is gone, and your vents are fading out. The door stays open.</Trans>
              </Note>
            </div>
          )}
          {ending === 'expired' && (
            <div className={styles.notes}>
              <Note>
                <Trans>Your session ended. Sign in again and you will be back where you were.</Trans>
              </Note>
            </div>
          )}
          {(ending === 'logout' || ending === 'elsewhere') && (
            <div className={styles.notes}>
              <Note>
                <Trans>You are signed out. Nothing of yours is kept in this browser.</Trans>
              </Note>
            </div>
          )}
          <PageHeading key="phone" title={t`Login`}>
            {ending === 'deleted' ? <Trans>Take care of yourself</Trans> : <Trans>Welcome back</Trans>}
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
        <>
          <PageHeading key="code" title={t`Login`}>
            <Trans>Enter your code</Trans>
          </PageHeading>
          <p className={styles.intro}>
            <SentTo phone={flow.phone} />
          </p>
          <CodeStep flow={flow} />
        </>
      )}
    </Card>
  );
}
