import { sorts, type Sort } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import styles from './sort-buttons.module.css';

interface SortButtonsProps {
  /** Null while search results are shown: they have their own order. */
  readonly sort: Sort | null;
  readonly onChange: (sort: Sort) => void;
}

export function SortButtons({ sort, onChange }: SortButtonsProps) {
  const { t } = useLingui();
  const labels: Readonly<Record<Sort, string>> = { recent: t`Recent`, trending: t`Trending` };
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
          {labels[one]}
        </button>
      ))}
    </div>
  );
}
