import type { SelfUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useId, useState, type ReactNode } from 'react';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { paths } from '../../lib/paths.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { ButtonLink, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Bio, ProfileFacts } from '../../ui/profile-facts.tsx';
import { TeamBadge } from '../../ui/team-badge.tsx';
import { UserText } from '../../ui/user-text.tsx';
import edit from '@material-symbols/svg-400/rounded/edit.svg?path';
import group from '@material-symbols/svg-400/rounded/group.svg?path';
import styles from './home.module.css';

const UpdateProfileDialog = lazyPart(() => import('./update-profile-dialog.tsx')).as('UpdateProfileDialog');

interface ProfileCardProps {
  readonly self: SelfUser;
  readonly closeComments: ReactNode;
}

/** The user's own profile: all of it, in few lines. */
export function ProfileCard({ self, closeComments }: ProfileCardProps) {
  const { t } = useLingui();
  const id = useId();
  const [isEditing, setIsEditing] = useState(false);
  // Stays mounted after the first opening, so that the closing animation is visible.
  const [wasEdited, setWasEdited] = useState(false);

  return (
    <Card className={styles.profile} aria-labelledby={id}>
      <div className={styles.who}>
        <Avatar src={self.profilePic} size={56} />
        <h2 id={id} className={styles.name}>
          <UserText>{self.username ?? t`Anonymous`}</UserText>
        </h2>
        <IconButton
          label={t`Update Profile`}
          icon={edit}
          onClick={() => {
            setWasEdited(true);
            setIsEditing(true);
          }}
        />
      </div>
      <TeamBadge name={self.username} />
      <Bio>{self.bio}</Bio>
      <ProfileFacts user={self} feelings={self.feelings} />
      <dl className={styles.switches}>
        <OnOff label={t`Anonymous chat`} isOn={self.preferences.anonymousChat}>
          <Trans>for when chat opens</Trans>
        </OnOff>
        <OnOff label={t`Allow comments`} isOn={self.allowComments} />
      </dl>
      <ButtonLink to={paths.matches} icon={group} isWide variant="outlined">{t`Find Matches`}</ButtonLink>
      {wasEdited && (
        <Suspense>
          <UpdateProfileDialog
            self={self}
            isOpen={isEditing}
            onClose={() => setIsEditing(false)}
            closeComments={closeComments}
          />
        </Suspense>
      )}
    </Card>
  );
}

interface OnOffProps {
  readonly label: string;
  readonly isOn: boolean;
  /** What it is for. */
  readonly children?: ReactNode;
}

function OnOff({ label, isOn, children }: OnOffProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {isOn ? <Trans>On</Trans> : <Trans>Off</Trans>}
        {children && <span className={styles.purpose}>, {children}</span>}
      </dd>
    </div>
  );
}
