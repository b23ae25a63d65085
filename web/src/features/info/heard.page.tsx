import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { heardQuery } from '../../lib/heard.ts';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Prose } from '../../ui/prose.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { InfoLinks } from './info-links.tsx';
import styles from './info.module.css';

export function HeardPage() {
  const { t } = useLingui();
  return (
    <Prose
      title={t`How soon you're heard`}
      lead={
        <Trans>How many vents get an answer by the next day. For everyone to see, also when it's bad.</Trans>
      }
    >
      <Figure />
      <h2>
        <Trans>When our team answers</Trans>
      </h2>
      <p>
        <Trans>
          Not many people are here yet. When no one else has answered, our team does, from 8 in the morning to
          midnight. You'll always see “Unsaid team” next to the name.
        </Trans>
      </p>
      <p>
        <strong>
          <Trans>No machine ever answers you.</Trans>
        </strong>
      </p>
      <h2>
        <Trans>How we count</Trans>
      </h2>
      <p>
        <Trans>
          Every vent of a week that takes comments counts, if it is still there when we count. Only answers by
          someone else count. We know the day of an answer, and store no time.
        </Trans>
      </p>
      <InfoLinks />
    </Prose>
  );
}

function Figure() {
  const { t } = useLingui();
  const { data: week, isError, isFetching, refetch } = useQuery(heardQuery);
  if (isError)
    return (
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {t`We couldn't load the figures.`}
      </ErrorCard>
    );
  if (week === undefined)
    return (
      <Loading className={styles.lines}>
        <Bar width="80%" height={28} />
      </Loading>
    );
  const byNextDay = week?.byNextDay;
  return byNextDay === undefined ? (
    <p className={styles.callout}>
      <Trans>Too few vents yet to say it honestly. We need at least 100 in a week.</Trans>
    </p>
  ) : (
    <p className={styles.callout}>
      <Trans>Last week {byNextDay}% of all vents were answered by the next day.</Trans>
    </p>
  );
}
