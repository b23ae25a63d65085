import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useState, type ComponentType } from 'react';
import { flushSync } from 'react-dom';
import { Link, Navigate, useNavigate } from 'react-router';
import { signIn } from '../../lib/current-user.ts';
import { paths } from '../../lib/paths.ts';
import { useSession } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { checkCode } from './auth.api.ts';
import { Agreement } from './agreement.tsx';
import { Entrance } from './entrance.tsx';
import { LazyCodeStep } from './lazy-code-steps.ts';
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
      const answer = await checkCode(phone, otp, false);
      // Before the session starts: otherwise this page would redirect home.
      flushSync(() => setIsNew(answer.isNewUser));
      signIn(client, answer);
    },
  });

  if (isSignedIn && isNew) {
    return (
      <Card isFocal>
        <StepCount step={3} />
        <PageHeading title={t`Create account`}>{t`About you`}</PageHeading>
        <p className={styles.intro}>
          <Trans>It's all optional. We never show it next to your vents.</Trans>
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

  if (flow.step === 'code') {
    return (
      <Card isFocal>
        <StepCount step={2} />
        <LazyCodeStep flow={flow} pageTitle={t`Create account`} />
      </Card>
    );
  }

  return (
    <Entrance>
      <Card isFocal>
        <StepCount step={1} />
        <PageHeading title={t`Create account`}>{t`Create account`}</PageHeading>
        <p className={styles.intro}>
          <Trans>All you need is a phone number. We don't store it or show it to anyone.</Trans>
        </p>
        <PhoneStep flow={flow}>
          <Agreement />
        </PhoneStep>
        <p className={styles.other}>
          <Trans>
            Already have an account? <Link to={paths.login}>Log in</Link>
          </Trans>
        </p>
      </Card>
    </Entrance>
  );
}

function StepCount({ step }: { readonly step: number }) {
  return (
    <p className={styles.step}>
      <Trans>Step {step} of 3</Trans>
    </p>
  );
}
