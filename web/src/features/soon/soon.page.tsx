import { Trans, useLingui } from '@lingui/react/macro';
import { paths } from '../../lib/paths.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import styles from './soon.module.css';

type SoonPageName = 'vents' | 'vent' | 'myVents' | 'matches';

/** Stands where a page of the specification will be, until its issue lands. */
export function SoonPage({ page }: { readonly page: SoonPageName }) {
  const { t } = useLingui();
  const titles: Record<SoonPageName, string> = {
    vents: t`Vents`,
    vent: t`Vent`,
    myVents: t`My Vents`,
    matches: t`Matches`,
  };
  const lines: Record<SoonPageName, string> = {
    vents: t`Vents open soon.`,
    vent: t`Writing and reading vents opens soon.`,
    myVents: t`Your vents will be here soon.`,
    matches: t`Matches open soon.`,
  };
  return (
    <div className={styles.page}>
      <PageHeading>{titles[page]}</PageHeading>
      <EmptyState
        title={lines[page]}
        action={
          <ButtonLink to={paths.home} variant="outlined">
            <Trans>Back home</Trans>
          </ButtonLink>
        }
      />
    </div>
  );
}
