import { Trans } from '@lingui/react/macro';
import { useId } from 'react';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import styles from './latest-vents.module.css';

/** The five newest vents on `/`. There is no call for them yet: its query and its cards go where the list is. */
export function LatestVents() {
  const id = useId();
  const vents: readonly never[] = [];
  const ventPage = (
    <ButtonLink to={paths.vents} variant="outlined">
      <Trans>Vent Page</Trans>
    </ButtonLink>
  );
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h2 id={id}>
        <Trans>Latest Vents</Trans>
      </h2>
      {vents.length === 0 && (
        <Card>
          <EmptyState title={<Trans>No vents available.</Trans>} action={ventPage}>
            <Trans>It is quiet here. Words will come.</Trans>
          </EmptyState>
        </Card>
      )}
      {vents.length > 0 && ventPage}
    </section>
  );
}
