import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import { Button } from '../../ui/button.tsx';
import { agreementQuery, useAgree } from './info.api.ts';
import styles from './info.module.css';

/** What changed, by version of the privacy notice: a sentence or two. Versions without one have only the link. */
const changes: Readonly<Record<number, ReactNode>> = {};

/** Asks a person who agreed to an earlier version of the privacy notice. Everything works meanwhile. */
export function NoticeBanner({ version }: { readonly version: number }) {
  const { t } = useLingui();
  const { data: agreed } = useQuery(agreementQuery);
  const [isLater, setIsLater] = useState(false);
  const agree = useAgree(version);
  if (agreed === undefined || agreed >= version || isLater) return null;
  return (
    <aside aria-label={t`Privacy has changed`} data-above-bar className={styles.notice}>
      <p>
        <strong>
          <Trans>Privacy has changed.</Trans>
        </strong>{' '}
        {changes[version]} <Link to={paths.privacy}>{t`Read it`}</Link>
      </p>
      <p className={styles.small}>
        <Trans>
          If you don't agree, you can delete your account in <Link to={paths.settings}>Settings</Link>, or
          write to the <Link to={paths.grievance}>grievance officer</Link>.
        </Trans>
      </p>
      <div className={styles.calls}>
        <Button variant="quiet" onClick={() => setIsLater(true)}>{t`Later`}</Button>
        <Button isBusy={agree.isPending} onClick={() => agree.mutate()}>{t`I agree`}</Button>
      </div>
    </aside>
  );
}
