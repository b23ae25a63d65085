import { Trans, useLingui } from '@lingui/react/macro';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import styles from './soon.module.css';

/** Stands where the matches of the specification will be, until their issue lands. */
export function SoonPage() {
  const { t } = useLingui();
  return (
    <div className={styles.page}>
      <PageHeading>{t`Matches`}</PageHeading>
      <EmptyState
        title={<Trans>Matches open soon.</Trans>}
        action={
          <ButtonLink to={paths.home} variant="outlined">
            <Trans>Back home</Trans>
          </ButtonLink>
        }
      />
    </div>
  );
}
