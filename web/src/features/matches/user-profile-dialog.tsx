import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../lib/api-client.ts';
import { errorText } from '../../lib/error-text.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Bio, ProfileFacts } from '../../ui/profile-facts.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import type { Person } from './match-view.ts';
import { userQuery } from './matches.api.ts';
import styles from './matches.module.css';

interface UserProfileDialogProps {
  readonly person: Person;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function UserProfileDialog({ person, isOpen, onClose }: UserProfileDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={person.name}>
      <Profile id={person.id} />
    </Dialog>
  );
}

/** Lives only while the dialog is open. */
function Profile({ id }: { readonly id: string }) {
  const { data: user, error, isFetching, refetch } = useQuery(userQuery(id));
  if (user) {
    return (
      <div className={styles.profile}>
        <Avatar src={user.profilePic} size={88} />
        <Bio>{user.bio}</Bio>
        <ProfileFacts user={user} />
      </div>
    );
  }
  if (!error) {
    return (
      <Loading className={styles.profile}>
        <Bar height={88} isRound />
        <Bar width="70%" />
        <Bar height={96} />
        <Bar height={48} />
      </Loading>
    );
  }
  // Whoever is not there any more will not come by asking again.
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <div className={styles.profile}>
      <p className={styles.soft}>
        <Trans>No user details available.</Trans>
      </p>
      {!isGone && (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {errorText(error, '')}
        </ErrorCard>
      )}
    </div>
  );
}
