import type { SessionView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { formatDay } from '../../lib/format.ts';
import { Button, ButtonRow } from '../../ui/button.tsx';
import { Alert } from '../../ui/dialog.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { UserText } from '../../ui/user-text.tsx';
import { sessionsQuery, useRevokeOtherSessions, useRevokeSession } from './settings.api.ts';
import computer from '@material-symbols/svg-400/rounded/computer.svg?path';
import mobile from '@material-symbols/svg-400/rounded/mobile_2.svg?path';
import styles from './settings.module.css';

export function Sessions() {
  const { t } = useLingui();
  const sessions = useQuery(sessionsQuery);
  const revoke = useRevokeSession();
  const revokeOthers = useRevokeOtherSessions();
  const [isAsking, setIsAsking] = useState(false);

  if (sessions.isPending) {
    return (
      <Loading className={styles.sessions}>
        <Bar height={44} />
        <Bar height={44} />
      </Loading>
    );
  }
  if (sessions.isError) {
    return (
      <ErrorCard onRetry={() => void sessions.refetch()} isRetrying={sessions.isFetching}>
        {errorText(sessions.error, t`Couldn't load your devices.`)}
      </ErrorCard>
    );
  }

  const failure = revoke.error ?? revokeOthers.error;
  const others = sessions.data.filter(({ isCurrent }) => !isCurrent);
  const ordered = [...sessions.data.filter(({ isCurrent }) => isCurrent), ...others];

  return (
    <>
      <ul role="list" className={styles.sessions}>
        {ordered.map((session) => (
          <SessionRow
            key={session._id}
            session={session}
            isBusy={revoke.isPending && revoke.variables === session._id}
            onRevoke={() =>
              revoke.mutate(session._id, { onSuccess: () => toast(t`That device is logged out.`) })
            }
          />
        ))}
      </ul>
      {failure && <ErrorCard>{errorText(failure, t`That didn't work. Try again.`)}</ErrorCard>}
      {others.length > 0 && (
        <div>
          <Button variant="outlined" isBusy={revokeOthers.isPending} onClick={() => setIsAsking(true)}>
            <Trans>Log out everywhere else</Trans>
          </Button>
        </div>
      )}
      <Alert
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={t`Log out everywhere else?`}
        actions={
          <ButtonRow>
            <Button variant="quiet" onClick={() => setIsAsking(false)}>{t`Cancel`}</Button>
            <Button
              onClick={() => {
                setIsAsking(false);
                revokeOthers.mutate(undefined, {
                  onSuccess: () => toast(t`Only this device is logged in now.`),
                });
              }}
            >
              <Trans>Log out</Trans>
            </Button>
          </ButtonRow>
        }
      >
        <Trans>Your other devices will need a new OTP to log in again.</Trans>
      </Alert>
    </>
  );
}

interface SessionRowProps {
  readonly session: SessionView;
  readonly isBusy: boolean;
  readonly onRevoke: () => void;
}

function SessionRow({ session, isBusy, onRevoke }: SessionRowProps) {
  const { t } = useLingui();
  const { label, isCurrent } = session;
  const since = formatDay(session.createdOn);
  const lastSeen = formatDay(session.lastSeenOn);
  return (
    <li className={styles.session}>
      <Icon path={/android|iphone|ios|mobile/iu.test(label) ? mobile : computer} />
      <div className={styles.device}>
        <p className={styles.deviceName}>
          <UserText>{label}</UserText>
          {isCurrent && (
            <span className={styles.here}>
              <Trans>This device</Trans>
            </span>
          )}
        </p>
        <p className={styles.days}>
          <Trans>
            Since {since}, last used {lastSeen}
          </Trans>
        </p>
      </div>
      {!isCurrent && (
        <Button variant="quiet" isBusy={isBusy} onClick={onRevoke} aria-label={t`Log out ${label}`}>
          <Trans>Log out</Trans>
        </Button>
      )}
    </li>
  );
}
