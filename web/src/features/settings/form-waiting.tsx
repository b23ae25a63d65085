import { Bar, Loading } from '../../ui/skeleton.tsx';
import styles from './settings.module.css';

/** In a dialog, where a field and its button are about to stand. */
export function FormWaiting() {
  return (
    <Loading className={styles.sessions}>
      <Bar height={52} />
      <Bar height={44} />
    </Loading>
  );
}
