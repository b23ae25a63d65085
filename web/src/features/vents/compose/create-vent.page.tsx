import { useLingui } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { paths } from '../../../lib/paths.ts';
import { Card } from '../../../ui/card.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { Composer } from './composer.tsx';
import { pinVent } from './just-posted.ts';
import styles from '../detail/vent-layout.module.css';

export function CreateVentPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const text = useRef<HTMLTextAreaElement>(null);
  // After the heading, which takes the focus of a navigation.
  useEffect(() => text.current?.focus(), []);
  return (
    <div className={styles.inner}>
      <PageHeading>{t`Create Vent`}</PageHeading>
      <Card className={styles.composer}>
        <Composer
          textRef={text}
          onPosted={(posted) => void navigate(paths.vents, { state: pinVent(posted) })}
        />
      </Card>
    </div>
  );
}
