import type { SelfUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useId, useState, type ReactNode } from 'react';
import { lazyNamed } from '../../lib/lazy-named.ts';
import { paths } from '../../lib/paths.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { Bio, ProfileFacts } from '../../ui/profile-facts.tsx';
import { UserText } from '../../ui/user-text.tsx';
import chat from '@material-symbols/svg-400/rounded/chat_bubble.svg?path';
import comment from '@material-symbols/svg-400/rounded/comment.svg?path';
import edit from '@material-symbols/svg-400/rounded/edit.svg?path';
import group from '@material-symbols/svg-400/rounded/group.svg?path';
import styles from './home.module.css';

const UpdateProfileDialog = lazyNamed(() => import('./update-profile-dialog.tsx'), 'UpdateProfileDialog');

interface ProfileCardProps {
  readonly self: SelfUser;
  readonly closeComments: ReactNode;
}

/** The user's own profile. On narrow screens its details are folded. */
export function ProfileCard({ self, closeComments }: ProfileCardProps) {
  const { t } = useLingui();
  const id = useId();
  const [isUnfolded, setIsUnfolded] = useState(false);
  const [isEditing, setIsEditing] = useState(false);
  // Stays mounted after the first opening, so that the closing animation is visible.
  const [wasEdited, setWasEdited] = useState(false);

  return (
    <Card className={styles.profile} aria-labelledby={`${id}-name`}>
      <IconButton
        className={styles.edit}
        label={t`Update Profile`}
        icon={edit}
        onClick={() => {
          setWasEdited(true);
          setIsEditing(true);
        }}
      />
      <div className={styles.who}>
        <Avatar src={self.profilePic} size={88} />
        <h2 id={`${id}-name`} className={styles.name}>
          <UserText>{self.username ?? t`Anonymous`}</UserText>
        </h2>
      </div>
      <Bio>{self.bio}</Bio>
      <div className={styles.actions}>
        <ButtonLink to={paths.matches} icon={group} isWide>{t`Find Matches`}</ButtonLink>
        <Button
          variant="quiet"
          className={styles.fold}
          aria-expanded={isUnfolded}
          aria-controls={id}
          onClick={() => setIsUnfolded(!isUnfolded)}
        >
          {isUnfolded ? <Trans>Hide profile</Trans> : <Trans>Show profile</Trans>}
        </Button>
      </div>
      <div id={id} className={cx(styles.details, !isUnfolded && styles.folded)}>
        <ProfileFacts user={self} feelings={self.feelings} />
        <dl className={styles.switches}>
          <OnOff icon={chat} label={t`Anonymous chat`} isOn={self.preferences.anonymousChat} />
          <OnOff icon={comment} label={t`Allow comments`} isOn={self.allowComments} />
        </dl>
      </div>
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
  readonly icon: string;
  readonly label: string;
  readonly isOn: boolean;
}

function OnOff({ icon, label, isOn }: OnOffProps) {
  return (
    <div className={isOn ? styles.on : undefined}>
      <dt>
        <Icon path={icon} size={20} />
        {label}
      </dt>
      <dd>{isOn ? <Trans>On</Trans> : <Trans>Off</Trans>}</dd>
    </div>
  );
}
