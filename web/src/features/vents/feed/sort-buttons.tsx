import { sorts, type Sort } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { Icon } from '../../../ui/icon.tsx';
import recent from '@material-symbols/svg-400/rounded/schedule.svg?path';
import trending from '@material-symbols/svg-400/rounded/trending_up.svg?path';
import styles from './sort-buttons.module.css';

interface SortButtonsProps {
  /** Null while search results are shown: they have their own order. */
  readonly sort: Sort | null;
  readonly onChange: (sort: Sort) => void;
}

export function SortButtons({ sort, onChange }: SortButtonsProps) {
  const { t } = useLingui();
  const looks: Readonly<Record<Sort, readonly [label: string, icon: string]>> = {
    recent: [t`Recent`, recent],
    trending: [t`Trending`, trending],
  };
  return (
    <div role="group" aria-label={t`Order`} className={styles.group}>
      {sorts.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === sort}
          className={styles.button}
          onClick={() => onChange(one)}
        >
          <Icon path={looks[one][1]} size={20} />
          {looks[one][0]}
        </button>
      ))}
    </div>
  );
}
