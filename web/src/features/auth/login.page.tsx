import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { Link, Navigate } from 'react-router';
import { signIn } from '../../lib/current-user.ts';
import { isOneVent, paths } from '../../lib/paths.ts';
import { clearEndReason, useSession, type SessionEnd } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Note } from '../../ui/note.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { checkCode, createAccount } from './auth.api.ts';
import { Entrance } from './entrance.tsx';
import { LazyCodeStep, LazyNoAccountStep } from './lazy-code-steps.ts';
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
    verify: async (phone, otp) => signIn(client, await checkCode(phone, otp, true)),
    join: async (phone, proof) => signIn(client, await createAccount(phone, proof)),
  });

  if (isSignedIn) return <Navigate to={destination} replace />;

  if (flow.step === 'code') {
    return (
      <Card isFocal>
        {flow.needsAccount ? (
          <LazyNoAccountStep flow={flow} pageTitle={t`Log in`} />
        ) : (
          <LazyCodeStep flow={flow} pageTitle={t`Log in`} />
        )}
      </Card>
    );
  }

  const wasHere = endReason !== 'none';
  const isShared = endReason !== 'expired' && isOneVent(destination.split('?')[0] ?? '');
  const form = (
    <Card isFocal>
      <LoginNote endReason={endReason} isShared={isShared} />
      <PageHeading title={t`Log in`}>
        {wasHere && endReason !== 'deleted' ? <Trans>Welcome back</Trans> : <Trans>Log in</Trans>}
      </PageHeading>
      <p className={styles.intro}>
        <Trans>We only use your number to log you in. We don't store it or show it to anyone.</Trans>
      </p>
      <PhoneStep flow={flow} />
      <p className={styles.other}>
        <Trans>
          New here? <Link to={paths.signup}>Create account</Link>
        </Trans>
      </p>
    </Card>
  );
  return wasHere ? form : <Entrance>{form}</Entrance>;
}

interface LoginNoteProps {
  readonly endReason: SessionEnd;
  readonly isShared: boolean;
}

/** Why this page is shown, if the visitor did not come by themselves. */
function LoginNote({ endReason, isShared }: LoginNoteProps) {
  const notes: Readonly<Record<SessionEnd, ReactNode>> = {
    deleted: (
      <Trans>
        Your account is deleted. Your vents and comments will go or stay, as you chose. You can sign up again
        any time.
      </Trans>
    ),
    expired: <Trans>Your session ended. Log in again and you'll be back where you were.</Trans>,
    // What stays: the device settings of lib/session.ts, and the cookie `dev` with no mark of this number.
    logout: (
      <Trans>
        You're logged out, and your drafts are gone from this phone. Your browser history may still show
        Unsaid.
      </Trans>
    ),
    elsewhere: <Trans>You're logged out.</Trans>,
    refused: null,
    none: null,
  };
  const note = isShared ? (
    <Trans>Someone shared a vent with you. Log in to read it.</Trans>
  ) : (
    notes[endReason]
  );
  if (note === null) return null;
  return (
    <div className={styles.notes}>
      <Note>{note}</Note>
    </div>
  );
}
