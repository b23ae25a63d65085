import type { SelfUser } from '@unsaid/contract';
import { Menu } from '@base-ui/react/menu';
import { Trans, useLingui } from '@lingui/react/macro';
import { useNavigate } from 'react-router';
import { paths } from '../lib/paths.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon } from '../ui/icon.tsx';
import menuStyles from '../ui/menu.module.css';
import { UserText } from '../ui/user-text.tsx';
import { logOut } from './log-out.ts';
import logoutIcon from '@material-symbols/svg-400/rounded/logout.svg?path';
import settings from '@material-symbols/svg-400/rounded/settings.svg?path';
import styles from './shell.module.css';

export function AccountMenu({ self }: { readonly self: SelfUser }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  return (
    <Menu.Root>
      <Menu.Trigger className={styles.account} aria-label={t`Account menu`}>
        <Avatar src={self.profilePic} size={36} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={menuStyles.positioner} align="end" sideOffset={6}>
          <Menu.Popup className={menuStyles.popup}>
            <Menu.Group>
              <Menu.GroupLabel className={menuStyles.label}>
                <UserText>{self.username ?? t`Anonymous`}</UserText>
              </Menu.GroupLabel>
              <Menu.Item className={menuStyles.item} onClick={() => void navigate(paths.settings)}>
                <Icon path={settings} size={20} />
                <Trans>Settings</Trans>
              </Menu.Item>
              <Menu.Item className={menuStyles.item} onClick={() => void logOut()}>
                <Icon path={logoutIcon} size={20} />
                <Trans>Log out</Trans>
              </Menu.Item>
            </Menu.Group>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
