import type { ModeratorView } from '@unsaid/contract/moderation/console';
import { useMutation } from '@tanstack/react-query';
import { failureWords } from '../lib/failure-words.ts';
import { signInWithPasskey } from '../passkeys.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import styles from './door.module.css';

interface SignInScreenProps {
  readonly hasEnded: boolean;
  readonly onSignedIn: (me: ModeratorView) => void;
}

export function SignInScreen({ hasEnded, onSignedIn }: SignInScreenProps) {
  const signIn = useMutation({ mutationFn: signInWithPasskey, onSuccess: onSignedIn });
  return (
    <main className={styles.door}>
      <div className={styles.card}>
        <p className={styles.brand}>Unsaid moderation</p>
        <PageTitle title="Sign in" />
        {hasEnded && (
          <Banner tone="calm">Your session has ended. Sign in, and you are back where you were.</Banner>
        )}
        {signIn.isError && (
          <Banner tone="alarm" isAlert>
            {failureWords(signIn.error)}
          </Banner>
        )}
        <Button variant="primary" isBusy={signIn.isPending} onClick={() => signIn.mutate()}>
          Sign in with your passkey
        </Button>
        <p className={styles.quiet}>
          No passkey yet? Ask a lead for a link. A session lasts ten hours, or half an hour without a click.
        </p>
      </div>
    </main>
  );
}
