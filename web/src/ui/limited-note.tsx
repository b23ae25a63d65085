import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from 'react-router';
import { ApiError } from '../lib/api-client.ts';
import { sentences } from '../lib/error-sentences.ts';
import { paths } from '../lib/paths.ts';
import { Note } from './note.tsx';

export function isLimitedError(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'ACCOUNT_LIMITED';
}

/** Where a limited account would write. */
export function LimitedNote() {
  const { t } = useLingui();
  return (
    <Note>
      {t(sentences.ACCOUNT_LIMITED)}{' '}
      <Link to={paths.notices}>
        <Trans>See why</Trans>
      </Link>
    </Note>
  );
}
