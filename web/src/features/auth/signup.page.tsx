import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useState, type ComponentType } from 'react';
import { flushSync } from 'react-dom';
import { Link, Navigate, useNavigate } from 'react-router';
import { signIn, useSession } from '../../lib/current-user.ts';
import { paths } from '../../lib/paths.ts';
import { Card } from '../../ui/card.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { checkCode } from './auth.api.ts';
import { CodeStep } from './code-step.tsx';
import { PhoneStep } from './phone-step.tsx';
import { usePageCodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

interface SignupPageProps {
  /** The optional third step, from the profile feature. */
  readonly ProfileStep: ComponentType<{ readonly onDone: () => void }>;
}

export function SignupPage({ ProfileStep }: SignupPageProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { isSignedIn } = useSession();
  const [isNew, setIsNew] = useState(false);
  const flow = usePageCodeFlow({
    flow: 'signup',
    purpose: 'signin',
    verify: async (phone, otp) => {
      const { token, user, isNewUser } = await checkCode(phone, otp);
      // Before the session starts: otherwise this page would redirect home.
      flushSync(() => setIsNew(isNewUser));
      signIn(client, token, user);
    },
  });

  if (isSignedIn && isNew) {
    return (
      <Card isFocal>
        <StepCount step={3} />
        <PageHeading title={t`Sign Up`}>
          <Trans>A little about you</Trans>
        </PageHeading>
        <p className={styles.intro}>
          <Trans>All of it is optional, and none of it is ever shown beside what you vent.</Trans>
        </p>
        <div className={styles.form}>
          <Suspense
            fallback={
              <Loading className={styles.form}>
                <Bar height={52} />
                <Bar height={84} />
                <Bar height={52} />
              </Loading>
            }
          >
            <ProfileStep onDone={() => void navigate(paths.home, { replace: true })} />
          </Suspense>
        </div>
      </Card>
    );
  }

  if (isSignedIn) return <Navigate to={paths.home} replace />;

  return (
    <Card isFocal>
      {flow.step === 'phone' ? (
        <>
          <StepCount step={1} />
          <PageHeading title={t`Sign Up`}>
            <Trans>Create account</Trans>
          </PageHeading>
          <p className={styles.intro}>
            <Trans>
              A number is all it takes: no name, no email. It is never stored and never shown to anyone.
            </Trans>
          </p>
          <PhoneStep flow={flow}>
            <p className={styles.agree}>
              <Trans>
                <strong>You must be 18 or older.</strong> By going on you agree to the{' '}
                <Link to={paths.terms}>Terms</Link> and have read <Link to={paths.privacy}>Privacy</Link>.
              </Trans>
            </p>
          </PhoneStep>
          <p className={styles.other}>
            <Trans>
              Been here before? <Link to={paths.login}>Login</Link>
            </Trans>
          </p>
        </>
      ) : (
        <>
          <StepCount step={2} />
          <CodeStep flow={flow} pageTitle={t`Sign Up`} />
        </>
      )}
    </Card>
  );
}

function StepCount({ step }: { readonly step: number }) {
  return (
    <p className={styles.step}>
      <Trans>Step {step} of 3</Trans>
    </p>
  );
}
