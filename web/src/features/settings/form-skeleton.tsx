import { Bar, Loading } from '../../ui/skeleton.tsx';
import styles from './settings.module.css';

/** Placeholder of a field and its button, in a dialog. */
export function FormSkeleton() {
  return (
    <Loading className={styles.sessions}>
      <Bar height={52} />
      <Bar height={44} />
    </Loading>
  );
}
