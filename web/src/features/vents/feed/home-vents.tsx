import { limits } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useDeferredValue, useEffect, useId, type ReactNode } from 'react';
import { Link } from 'react-router';
import { failureText } from '../../../lib/error-text.ts';
import { lazyPart } from '../../../lib/lazy-part.tsx';
import { paths } from '../../../lib/paths.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { firstPage } from '../list-params.ts';
import { VentList, VentListSkeleton } from '../vent-list.tsx';
import { useVents } from '../vents.api.ts';
import { useWeather } from '../weather/weather.api.ts';
import editNote from '@material-symbols/svg-400/rounded/edit_note.svg?path';
import styles from './home-vents.module.css';

const weather = lazyPart(() => import('../weather/weather.tsx'), { isLate: true });
const Weather = weather.as('Weather');

/** Minimum number of vents for the weather to be shown. */
const weatherFrom = 3;

interface HomeVentsProps {
  /** Not beside the welcome of a new account, which has the same link. */
  readonly hasWriteRow: boolean;
  /** Shown once the user has a vent. */
  readonly afterFirst: ReactNode;
}

/** The vents on the home page: a way to write, the five newest vents, and the user's weather. */
export function HomeVents({ hasWriteRow, afterFirst }: HomeVentsProps) {
  const { data: days = [] } = useWeather();
  const vents = days.reduce((sum, { count }) => sum + count, 0);
  // For everybody: loaded at the third vent it would tell that one went out.
  useEffect(() => weather.prepare(), []);
  return (
    <div className={styles.column}>
      {hasWriteRow && (
        <Link to={paths.createVent} className={styles.writeRow}>
          <Icon path={editNote} />
          <Trans>What's on your mind?</Trans>
        </Link>
      )}
      <LatestVents />
      {vents >= weatherFrom && (
        <Suspense fallback={<Card className={styles.weather} />}>
          <Weather days={days} />
        </Suspense>
      )}
      {/* Asked for in either case: a request that only follows a vent would tell that one went out. */}
      <div className={vents > 0 ? styles.afterFirst : undefined} hidden={vents === 0}>
        {afterFirst}
      </div>
    </div>
  );
}

function LatestVents() {
  const { t } = useLingui();
  const id = useId();
  const { data, error, isFetching, refetch } = useVents({ ...firstPage, isLight: true });
  // In slices, as on the feed.
  const isRendered = useDeferredValue(data !== undefined);
  const ventPage = <ButtonLink to={paths.vents} variant="outlined">{t`Vent Page`}</ButtonLink>;
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h2 id={id}>{t`Latest Vents`}</h2>
      {error ? (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, t`Failed to fetch vents`)}
        </ErrorCard>
      ) : !data || !isRendered ? (
        <VentListSkeleton count={limits.feedPageSize} />
      ) : data.vents.length === 0 ? (
        <Card>
          <EmptyState title={<Trans>No vents available.</Trans>} action={ventPage}>
            <Trans>It's quiet here. You could write the first one.</Trans>
          </EmptyState>
        </Card>
      ) : (
        <VentList vents={data.vents} heading={3} />
      )}
      {data?.vents.length !== 0 && <div>{ventPage}</div>}
    </section>
  );
}
