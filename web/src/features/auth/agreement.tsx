import { Trans } from '@lingui/react/macro';
import { Link } from 'react-router';
import { paths } from '../../lib/paths.ts';
import styles from './auth.module.css';

/** What continuing means for a new account. */
export function Agreement() {
  return (
    <p className={styles.agree}>
      <Trans>
        <strong>You must be 18 or older.</strong> By continuing, you agree to our{' '}
        <Link to={paths.terms}>Terms</Link> and have read{' '}
        <Link to={paths.privacy}>how we handle your data</Link>.
      </Trans>
    </p>
  );
}
