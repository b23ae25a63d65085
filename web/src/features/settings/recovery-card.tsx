import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountId } from '../../lib/current-user.ts';
import { isDismissed, dismiss } from '../../lib/dismissals.ts';
import { Button, ButtonRow } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { RecoveryCodeDialog } from './recovery-code-dialog.tsx';
import { recoveryQuery } from './recovery.api.ts';
import type { SettingsForms } from './settings-forms.ts';
import styles from './settings.module.css';

const dismissalName = 'recovery-code';

/** Offer on the home page, until a recovery code exists or the offer is dismissed. */
export function RecoveryCard({ ReauthForm }: Pick<SettingsForms, 'ReauthForm'>) {
  const { t } = useLingui();
  const accountId = useAccountId();
  const { data: recovery } = useQuery(recoveryQuery);
  const [isOpen, setIsOpen] = useState(false);
  const [isHidden, setIsHidden] = useState(false);
  if (
    accountId === null ||
    (!isOpen && (recovery?.madeOn !== null || isHidden || isDismissed(accountId, dismissalName)))
  )
    return null;
  return (
    <Card className={styles.section} aria-label={t`Account recovery`}>
      <h2>{t`Account recovery`}</h2>
      <p className={styles.soft}>
        <Trans>
          We don't keep your number. If you ever lose it, a recovery code on paper gets you back in.
        </Trans>
      </p>
      <ButtonRow>
        <Button
          variant="quiet"
          onClick={() => {
            dismiss(accountId, dismissalName);
            setIsHidden(true);
          }}
        >
          <Trans>Not now</Trans>
        </Button>
        <Button variant="outlined" onClick={() => setIsOpen(true)}>{t`Make a recovery code`}</Button>
      </ButtonRow>
      <RecoveryCodeDialog isOpen={isOpen} onClose={() => setIsOpen(false)} ReauthForm={ReauthForm} />
    </Card>
  );
}
