import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { paths } from '../../../lib/paths.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';

/**
 * Empty state of a list: the specification's sentence, a line that depends on the page, and a link to the
 * composer.
 */
export function EmptyList({ children }: { readonly children: ReactNode }) {
  return (
    <EmptyState
      title={<Trans>No vents available.</Trans>}
      action={
        <ButtonLink to={paths.createVent}>
          <Trans>Create Vent</Trans>
        </ButtonLink>
      }
    >
      {children}
    </EmptyState>
  );
}
