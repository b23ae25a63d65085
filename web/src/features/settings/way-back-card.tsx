import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isPutOff, putOff } from '../../lib/later.ts';
import { useAccountId } from '../../lib/self.ts';
import { Button, ButtonRow } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { recoveryQuery } from './recovery.api.ts';
import { RecoveryCodeDialog } from './recovery-code-dialog.tsx';
import type { SettingsPageProps } from './settings.page.tsx';
import styles from './settings.module.css';

const offer = 'recovery-code';

/** On the home page until there is a code or it was waved away. Never in the way of anything. */
export function WayBackCard({ ReauthForm }: Pick<SettingsPageProps, 'ReauthForm'>) {
  const { t } = useLingui();
  const accountId = useAccountId();
  const { data: madeOn } = useQuery(recoveryQuery);
  const [isOpen, setIsOpen] = useState(false);
  const [isHidden, setIsHidden] = useState(false);
  if (accountId === null || (!isOpen && (madeOn !== null || isHidden || isPutOff(accountId, offer))))
    return null;
  return (
    <Card className={styles.section} aria-label={t`A way back`}>
      <h2>
        <Trans>A way back</Trans>
      </h2>
      <p className={styles.soft}>
        <Trans>
          We do not keep your number. If you lose it one day, a recovery code on paper brings you back here.
        </Trans>
      </p>
      <ButtonRow>
        <Button
          variant="quiet"
          onClick={() => {
            putOff(accountId, offer);
            setIsHidden(true);
          }}
        >
          <Trans>Not now</Trans>
        </Button>
        <Button variant="outlined" onClick={() => setIsOpen(true)}>
          <Trans>Make a recovery code</Trans>
        </Button>
      </ButtonRow>
      <RecoveryCodeDialog isOpen={isOpen} onClose={() => setIsOpen(false)} ReauthForm={ReauthForm} />
    </Card>
  );
}
