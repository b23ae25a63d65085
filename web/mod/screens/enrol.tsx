import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { enrolToken, forgetEnrolToken } from '../lib/enrol-token.ts';
import { failureWords } from '../lib/failure-words.ts';
import { registerPasskey } from '../passkeys.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import styles from './door.module.css';

export function EnrolScreen() {
  const navigate = useNavigate();
  const [token] = useState(enrolToken);
  const register = useMutation({ mutationFn: registerPasskey, onSuccess: forgetEnrolToken });
  return (
    <main className={styles.door}>
      <div className={styles.card}>
        <p className={styles.brand}>Unsaid moderation</p>
        {register.isSuccess ? (
          <PageTitle key="done" title="Your passkey is registered" />
        ) : (
          <PageTitle key="open" title="Register your passkey" />
        )}
        {register.isError && (
          <Banner tone="alarm" isAlert>
            {failureWords(register.error)}
          </Banner>
        )}
        {register.isSuccess ? (
          <>
            <p>The link is used up. From now on you sign in with this passkey.</p>
            <Button variant="primary" onClick={() => void navigate('/', { replace: true })}>
              Go to sign-in
            </Button>
          </>
        ) : token === null ? (
          <p>
            This page needs the whole link that you were given, and it works once. Open it again, or ask a
            lead for a new one.
          </p>
        ) : (
          <>
            <p>
              A passkey stays on this device or in your password manager. It replaces a password and cannot be
              given to a false site.
            </p>
            <Button variant="primary" isBusy={register.isPending} onClick={() => register.mutate(token)}>
              Register a passkey
            </Button>
          </>
        )}
      </div>
    </main>
  );
}
