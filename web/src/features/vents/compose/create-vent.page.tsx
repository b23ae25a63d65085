import { useLingui } from '@lingui/react/macro';
import { useNavigate } from 'react-router';
import { paths } from '../../../lib/paths.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { Composer } from './composer.tsx';
import { postedElsewhere } from './just-posted.ts';
import styles from '../detail/vent-layout.module.css';

export function CreateVentPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  return (
    <div className={styles.inner}>
      <PageHeading>{t`Create Vent`}</PageHeading>
      <Composer onPosted={() => void navigate(paths.vents, { state: postedElsewhere })} />
    </div>
  );
}
