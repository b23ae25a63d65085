import type { getGrievanceOfficer, ResponseOf } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { operatorQuery } from './info.api.ts';
import styles from './info.module.css';

type Setting = keyof ResponseOf<typeof getGrievanceOfficer>['operator'];

/** What the operator of a deployment has set. If it is not set, `children`, highlighted, so that it does not look finished. */
export function Placeholder({ of, children }: { of: Setting; children: ReactNode }) {
  const { i18n } = useLingui();
  const { data: operator } = useQuery(operatorQuery);
  if (operator === undefined) return '…';
  const value = operator[of];
  if (value === null) return <mark className={styles.placeholder}>{children}</mark>;
  return (
    <bdi>
      {of === 'termsFrom' ? i18n.date(new Date(value), { dateStyle: 'long', timeZone: 'UTC' }) : value}
    </bdi>
  );
}
