import { Trans } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { errorText } from '../../lib/error-text.ts';
import { unfoldItem, useIsFolded } from '../../lib/folded-items.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { LazyHiddenLine, LazyReportDialog } from '../../ui/lazy-reporting.ts';
import { Bio, ProfileFacts } from '../../ui/profile-facts.tsx';
import { TeamBadge } from '../../ui/team-badge.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { AnswerButtons, EndMatch } from './answers.tsx';
import type { OpenMatch, Person } from './match-view.ts';
import { isNotFound, refreshMatches, userQuery } from './matches.api.ts';
import styles from './matches.module.css';

const LazyHideName = lazyPart(() => import('../../ui/hide-name-alert.tsx'), { catalogue: 'choices' }).as(
  'HideNameAlert',
);

interface UserProfileDialogProps {
  readonly person: Person;
  /** Set while the match waits for the user's answer, or is mutual. */
  readonly match?: OpenMatch | undefined;
  readonly said?: 'mutual' | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function UserProfileDialog({ person, match, said, isOpen, onClose }: UserProfileDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={person.name}
      footer={
        match && (
          <div className={styles.buttons}>
            {said === 'mutual' ? (
              <EndMatch match={match} onAnswer={onClose} />
            ) : (
              <AnswerButtons match={match} onAnswer={onClose} />
            )}
          </div>
        )
      }
    >
      <Profile person={person} onHidden={onClose} />
    </Dialog>
  );
}

/** Hides what this person says under their name, and ends the match for good. */
function HidePerson({ person, onHidden }: { readonly person: Person; readonly onHidden: () => void }) {
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState<boolean>();
  return (
    <>
      <Button variant="quiet" onClick={() => setIsAsking(true)}>
        <Trans>Hide everything by {person.name}</Trans>
      </Button>
      {isAsking !== undefined && (
        <Suspense fallback={null}>
          <LazyHideName
            name={person.name}
            about={{ kind: 'name', peerId: person.id }}
            isOpen={isAsking}
            onClose={() => setIsAsking(false)}
            onHidden={() => {
              refreshMatches(client);
              onHidden();
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** Mounted only while the dialog is open. */
function Profile({ person, onHidden }: { readonly person: Person; readonly onHidden: () => void }) {
  const { id } = person;
  const { data: user, error, isFetching, refetch } = useQuery(userQuery(id));
  // A 404 is final: no retry, and a cached profile is not shown.
  const isGone = isNotFound(error);
  const isFolded = useIsFolded(id);
  const [isReporting, setIsReporting] = useState<boolean>();
  if (user && !isGone) {
    return (
      <div className={styles.profile}>
        {isFolded ? (
          <Suspense fallback={null}>
            <LazyHiddenLine id={id} reason="reported" onShow={() => unfoldItem(id)} />
          </Suspense>
        ) : (
          <>
            <Avatar src={user.profilePic} size={88} />
            <TeamBadge name={user.username} />
            <Bio>{user.bio}</Bio>
            <ProfileFacts user={user} />
            <Button variant="quiet" onClick={() => setIsReporting(true)}>
              <Trans>Report profile</Trans>
            </Button>
            {user.username !== null && <HidePerson person={person} onHidden={onHidden} />}
          </>
        )}
        {isReporting !== undefined && (
          <Suspense>
            <LazyReportDialog
              about={{ kind: 'profile', id }}
              isOpen={isReporting}
              onClose={() => setIsReporting(false)}
            />
          </Suspense>
        )}
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
