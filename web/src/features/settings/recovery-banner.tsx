import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCurrentUser } from '../../lib/current-user.ts';
import { formatFull } from '../../lib/format.ts';
import { paths, recoveryHash } from '../../lib/paths.ts';
import { Button, ButtonLink, ButtonRow } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Note } from '../../ui/note.tsx';
import { ReauthDialog } from './reauth-dialog.tsx';
import { cancelCode, reloadUser } from './recovery.api.ts';
import type { SettingsForms } from './settings-forms.ts';
import errorIcon from '@material-symbols/svg-400/rounded/error.svg?path';
import cardStyles from '../../ui/error-card.module.css';
import styles from './settings.module.css';

interface RecoveryBannerProps extends Pick<SettingsForms, 'ReauthForm'> {
  readonly opensAt: string;
}

/** On every page while someone waits to get this account with a recovery code. */
export function RecoveryBanner({ opensAt, ReauthForm }: RecoveryBannerProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const [isStopped, setIsStopped] = useState(false);
  const [now] = useState(() => Date.now());
  const { data: self } = useCurrentUser();
  const days = limits.replacedCodeDays;
  const opening = formatFull(opensAt);
  const close = () => {
    setIsOpen(false);
    // Not before: the banner goes, and the dialog with it.
    if (isStopped) reloadUser(client);
  };
  return (
    <>
      <div className={cardStyles.card}>
        <Icon path={errorIcon} size={22} className={cardStyles.icon} />
        <p>
          {self?.recoveryIsFinal ? (
            <Trans>
              Someone who has this account's old number is getting it back with a recovery code. Your number
              changed in the last {days} days, so it can't stop them.
            </Trans>
          ) : (
            <Trans>
              Someone is getting this account back with a recovery code. If it isn't you, stop it.
            </Trans>
          )}{' '}
          {Date.parse(opensAt) > now ? (
            <Trans>It opens for them on {opening}.</Trans>
          ) : (
            <Trans>They can open it any moment now.</Trans>
          )}
        </p>
        {!self?.recoveryIsFinal && (
          <Button variant="danger" onClick={() => setIsOpen(true)}>{t`Stop it`}</Button>
        )}
      </div>
      <ReauthDialog
        isOpen={isOpen}
        onClose={close}
        title={t`Stop it`}
        ReauthForm={ReauthForm}
        onConfirmed={async () => {
          await cancelCode(client);
          setIsStopped(true);
        }}
        done={
          isStopped ? (
            <div className={styles.sessions}>
              <Note>
                <Trans>Stopped. The recovery code they used doesn't work any more.</Trans>
              </Note>
              <ButtonRow>
                <Button variant="quiet" onClick={close}>{t`Not now`}</Button>
                <ButtonLink to={paths.settings + recoveryHash} onClick={close}>
                  <Trans>Make a new code</Trans>
                </ButtonLink>
              </ButtonRow>
            </div>
          ) : undefined
        }
      >
        <Trans>This stops it. The recovery code they used won't work any more.</Trans>
      </ReauthDialog>
    </>
  );
}
