import type { SelfUser } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useState, type ReactNode } from 'react';
import { useCurrentUser } from '../../lib/current-user.ts';
import { lazyNamed } from '../../lib/lazy-named.ts';
import { paths } from '../../lib/paths.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { ButtonLink, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Note } from '../../ui/note.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Bio, ProfileFacts } from '../../ui/profile-facts.tsx';
import { UserText } from '../../ui/user-text.tsx';
import chat from '@material-symbols/svg-400/rounded/chat_bubble.svg?path';
import comment from '@material-symbols/svg-400/rounded/comment.svg?path';
import group from '@material-symbols/svg-400/rounded/group.svg?path';
import settings from '@material-symbols/svg-400/rounded/settings.svg?path';
import styles from './home.module.css';

const UpdateProfileDialog = lazyNamed(() => import('./update-profile-dialog.tsx'), 'UpdateProfileDialog');

interface HomePageProps {
  /** Parts of other features, passed in by the router. */
  readonly recovery: ReactNode;
  readonly vents: ReactNode;
  readonly closeComments: ReactNode;
}

export function HomePage({ recovery, vents, closeComments }: HomePageProps) {
  const { data: self } = useCurrentUser();
  if (!self) return null;
  return (
    <div className={styles.page}>
      <ProfileCard self={self} closeComments={closeComments} />
      <div className={styles.beside}>
        {vents}
        {recovery}
      </div>
    </div>
  );
}

interface ProfileCardProps extends Pick<HomePageProps, 'closeComments'> {
  readonly self: SelfUser;
}

function ProfileCard({ self, closeComments }: ProfileCardProps) {
  const { t } = useLingui();
  const [isEditing, setIsEditing] = useState(false);
  // Stays mounted after the first opening, so that the closing animation is visible.
  const [wasEdited, setWasEdited] = useState(false);

  return (
    <Card className={styles.profile}>
      <IconButton
        className={styles.edit}
        label={t`Update Profile`}
        icon={settings}
        onClick={() => {
          setWasEdited(true);
          setIsEditing(true);
        }}
      />
      <div className={styles.who}>
        <Avatar src={self.profilePic} size={88} />
        <PageHeading title={t`Home`} className={styles.name}>
          <UserText>{self.username ?? t`Anonymous`}</UserText>
        </PageHeading>
      </div>
      <Bio>{self.bio}</Bio>
      {self.suspended && (
        <Note>
          <Trans>This account is paused for now.</Trans>
        </Note>
      )}
      <ButtonLink to={paths.matches} icon={group} isWide>
        <Trans>Find Matches</Trans>
      </ButtonLink>
      <ProfileFacts user={self} feelings={self.feelings} />
      <dl className={styles.switches}>
        <OnOff icon={chat} label={t`Anonymous chat`} isOn={self.preferences.anonymousChat} />
        <OnOff icon={comment} label={t`Allow comments`} isOn={self.allowComments} />
      </dl>
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

function OnOff({
  icon,
  label,
  isOn,
}: {
  readonly icon: string;
  readonly label: string;
  readonly isOn: boolean;
}) {
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
