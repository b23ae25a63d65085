import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { toast } from '../../ui/toast.tsx';
import { DeleteAccountDialog } from './delete-account.tsx';
import { CancelledCodeWords, ReauthDialog } from './reauth-dialog.tsx';
import { cancelCode, reloadUser } from './recovery.api.ts';
import { useRevokeOtherSessions } from './settings.api.ts';
import type { SettingsForms } from './settings-forms.ts';
import styles from './settings.module.css';

interface FirstVisitProps extends Pick<SettingsForms, 'ReauthForm'> {
  /** As lib/first-visit.ts stores it. */
  readonly visit: string;
  readonly onAnswer: () => void;
}

/** In place of a page, until answered: whose account is this? */
export function FirstVisit({ visit, onAnswer, ReauthForm }: FirstVisitProps) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const revokeOthers = useRevokeOtherSessions();
  const [open, setOpen] = useState<'others' | 'fresh' | null>(null);
  const close = () => setOpen(null);
  const [since = '', code, sessions] = visit.split(' ');
  const hasCode = code === '1';
  const others = Number(sessions) || 0;
  const made = new Date(`${since}-01`);
  const [thisYear] = useState(() => new Date().getUTCFullYear());
  const month = i18n.date(made, {
    month: 'long',
    timeZone: 'UTC',
    ...(made.getUTCFullYear() !== thisYear && { year: 'numeric' }),
  });
  const lockOut =
    others === 0
      ? t`It's mine, but cancel the code`
      : hasCode
        ? t`It's mine, but log out everywhere else and cancel the code`
        : t`It's mine, but log out everywhere else`;
  return (
    <Card isFocal className={styles.sessions}>
      <PageHeading>{t`Is this account yours?`}</PageHeading>
      <p>
        <Trans>This number already has an account from {month}.</Trans>{' '}
        {hasCode && <Trans>A recovery code was made for it.</Trans>}{' '}
        {others > 0 &&
          plural(others, {
            one: "It's logged in on # other device.",
            other: "It's logged in on # other devices.",
          })}
      </p>
      <p className={styles.soft}>
        <Trans>
          If it isn't yours, someone had this number before you, or used it without asking. They may still get
          in. If you start fresh, this account is deleted and you sign up again.
        </Trans>
      </p>
      <Button isWide onClick={onAnswer}>{t`It's mine`}</Button>
      <Button isWide variant="outlined" onClick={() => setOpen('others')}>
        {lockOut}
      </Button>
      <Button isWide variant="dangerQuiet" onClick={() => setOpen('fresh')}>{t`Start fresh`}</Button>
      <ReauthDialog
        isOpen={open === 'others'}
        onClose={close}
        title={t`Lock others out`}
        ReauthForm={ReauthForm}
        onConfirmed={async () => {
          await revokeOthers.mutateAsync();
          await cancelCode(client);
          reloadUser(client);
          toast(t`Done. Nobody else is logged in now.`);
          onAnswer();
        }}
      >
        <Trans>Your other devices will need a new OTP to log in again.</Trans>{' '}
        {hasCode && <CancelledCodeWords />}
      </ReauthDialog>
      <DeleteAccountDialog isOpen={open === 'fresh'} onClose={close} ReauthForm={ReauthForm} />
    </Card>
  );
}
