import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useId } from 'react';
import { failureText } from '../../../lib/error-text.ts';
import { lazyNamed } from '../../../lib/lazy-named.ts';
import { paths } from '../../../lib/paths.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { firstPage } from '../list-params.ts';
import { VentList, VentListSkeleton } from '../vent-list.tsx';
import { useVents, useWeather } from '../vents.api.ts';
import { NewActivity } from './new-activity.tsx';
import styles from './home-vents.module.css';

const Weather = lazyNamed(() => import('../weather/weather.tsx'), 'Weather');

/** Minimum number of vents for the weather to be shown. */
const weatherFrom = 3;

/** The vents on the home page: new activity, the user's emotional weather, and the five newest vents. */
export function HomeVents() {
  const { data: days = [] } = useWeather();
  const vents = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className={styles.column}>
      <NewActivity />
      {vents >= weatherFrom && (
        <Suspense fallback={<Card className={styles.weather} />}>
          <Weather days={days} />
        </Suspense>
      )}
      <LatestVents />
    </div>
  );
}

function LatestVents() {
  const { t } = useLingui();
  const id = useId();
  const { data, error, isFetching, refetch } = useVents(firstPage);
  const ventPage = (
    <ButtonLink to={paths.vents} variant="outlined">
      <Trans>Vent Page</Trans>
    </ButtonLink>
  );
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h2 id={id}>
        <Trans>Latest Vents</Trans>
      </h2>
      {error ? (
        <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
          {failureText(error, t`Failed to fetch vents`)}
        </ErrorCard>
      ) : !data ? (
        <VentListSkeleton count={2} />
      ) : data.vents.length === 0 ? (
        <Card>
          <EmptyState title={<Trans>No vents available.</Trans>} action={ventPage}>
            <Trans>It is quiet here. Words will come.</Trans>
          </EmptyState>
        </Card>
      ) : (
        <VentList vents={data.vents} heading={3} />
      )}
      {data?.vents.length !== 0 && <div>{ventPage}</div>}
    </section>
  );
}
