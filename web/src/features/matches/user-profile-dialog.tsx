import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { errorText } from '../../lib/error-text.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Bio, ProfileFacts } from '../../ui/profile-facts.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { AnswerButtons } from './answers.tsx';
import type { OpenMatch, Person } from './match-view.ts';
import { isNotFound, userQuery } from './matches.api.ts';
import styles from './matches.module.css';

interface UserProfileDialogProps {
  readonly person: Person;
  /** Set while the match waits for the user's answer. */
  readonly match?: OpenMatch | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function UserProfileDialog({ person, match, isOpen, onClose }: UserProfileDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={person.name}
      footer={
        match && (
          <div className={styles.buttons}>
            <AnswerButtons match={match} onAnswer={onClose} />
          </div>
        )
      }
    >
      <Profile id={person.id} />
    </Dialog>
  );
}

/** Mounted only while the dialog is open. */
function Profile({ id }: { readonly id: string }) {
  const { data: user, error, isFetching, refetch } = useQuery(userQuery(id));
  // A 404 is final: no retry, and a cached profile is not shown.
  const isGone = isNotFound(error);
  if (user && !isGone) {
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
  return (
    <div className={styles.profile}>
      <p>
        <Trans>No user details available.</Trans>
      </p>
      {isGone ? (
        <p className={styles.soft}>
          <Trans>
            You can see a profile only while you two are still deciding, or after you've both said yes.
          </Trans>
        </p>
      ) : (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {errorText(error, '')}
        </ErrorCard>
      )}
    </div>
  );
}
