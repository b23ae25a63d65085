import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** The specification's sentence, a soft line of the place it stands in, and the way to be the first. */
export function NoVents({ children }: { readonly children: ReactNode }) {
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
