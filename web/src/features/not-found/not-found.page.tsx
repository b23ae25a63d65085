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
        title={<PageHeading>{t`Page not found`}</PageHeading>}
        action={<ButtonLink to={paths.home}>{t`Go to Home`}</ButtonLink>}
      >
        <Trans>The link may be wrong, or the page isn't here any more.</Trans>
      </EmptyState>
    </div>
  );
}
