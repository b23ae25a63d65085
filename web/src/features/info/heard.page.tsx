import type { HeardWeek } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { formatDate, formatWait } from '../../lib/format.ts';
import { heardQuery } from '../../lib/heard.ts';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Prose } from '../../ui/prose.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { InfoLinks } from './info-links.tsx';
import { Row, Share, TooFew } from './ledger.page.tsx';
import styles from './info.module.css';

export function HeardPage() {
  const { t } = useLingui();
  return (
    <Prose
      title={t`How soon you're heard`}
      lead={
        <Trans>How long vents wait until someone answers. For everyone to see, also when it's bad.</Trans>
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
          Every vent that takes comments counts, also the ones no one answered, and the ones taken back within
          a day. Only the first answer by someone else counts.
        </Trans>
      </p>
      <p>
        <Trans>
          We never store the time of an answer, only sums of many. If a server crashes, a few hours are
          missing.
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
        <Bar />
        <Bar />
      </Loading>
    );
  return week === null ? (
    <p className={styles.callout}>
      <Trans>Too few vents yet to say it honestly. We need at least 100 in a week.</Trans>
    </p>
  ) : (
    <Week figures={week} />
  );
}

function Week({ figures }: { readonly figures: HeardWeek }) {
  const { t } = useLingui();
  const { medianMinutes, nightMedianMinutes, withinHour, byNextDay, byTeam } = figures;
  const time = medianMinutes === null ? null : formatWait(medianMinutes * 60);
  const monday = formatDate(figures.week);
  const name = t`The week from ${monday}`;
  return (
    <>
      <p className={styles.callout}>
        {time === null ? (
          <Trans>Last week {byNextDay}% of all vents were answered by the next day.</Trans>
        ) : (
          <Trans>Last week half of all vents were answered within {time}.</Trans>
        )}
      </p>
      <h2>{name}</h2>
      <table className={styles.ledger} aria-label={name}>
        <tbody>
          <Row label={t`Half of them answered within`}>{time ?? <TooFew />}</Row>
          <Row label={t`At night, 11 pm to 7 am`} isPart>
            {nightMedianMinutes === null ? <TooFew /> : formatWait(nightMedianMinutes * 60)}
          </Row>
          <Row label={t`Answered within an hour`}>
            <Share value={withinHour} />
          </Row>
          <Row label={t`Answered by the next day`}>
            <Share value={byNextDay} />
          </Row>
          <Row label={t`First answers by our team`}>
            <Share value={byTeam} />
          </Row>
        </tbody>
      </table>
    </>
  );
}
