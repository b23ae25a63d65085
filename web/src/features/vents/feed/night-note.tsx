import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths } from '../../../lib/paths.ts';

/** From 23 to 7 by the reader's clock. */
function isNight(): boolean {
  const hour = new Date().getHours();
  return hour >= 23 || hour < 7;
}

/** After posting: how long an answer may take at this hour. The same as long as it is on screen. */
export function NightNote() {
  const [isShown] = useState(isNight);
  return (
    isShown && (
      <p>
        <Trans>
          Few people are awake right now. An answer may come in the morning.{' '}
          <Link to={paths.support}>Helplines open now</Link>
        </Trans>
      </p>
    )
  );
}
