import { Trans, useLingui } from '@lingui/react/macro';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import styles from './not-found.module.css';

export function NotFoundPage() {
  const { t } = useLingui();
  return (
    <div className={styles.page}>
      <EmptyState
        title={
          <PageHeading title={t`Not here`}>
            <Trans>There is nothing here</Trans>
          </PageHeading>
        }
        action={
          <ButtonLink to={paths.home}>
            <Trans>Go home</Trans>
          </ButtonLink>
        }
      >
        <Trans>The address may be mistyped, or what was here is gone.</Trans>
      </EmptyState>
    </div>
  );
}
