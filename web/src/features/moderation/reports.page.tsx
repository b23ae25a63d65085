import type { listReports, ReportOutcome, ResponseOf, SubjectKind } from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { dayInIndia, formatDayInIndia } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { reasonLabel } from '../../ui/report-reasons.ts';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { reportsQuery } from './moderation.api.ts';
import styles from './moderation.module.css';

type Report = ResponseOf<typeof listReports>['reports'][number];

function outcomeLabel(outcome: ReportOutcome): string {
  const labels: Readonly<Record<ReportOutcome, string>> = {
    waiting: t`Waiting`,
    broken: t`A rule was broken, and we acted`,
    fine: t`We looked, and it can stay`,
    gone: t`It's gone already`,
  };
  return labels[outcome];
}

function kindLabel(kind: SubjectKind): string {
  const labels: Readonly<Record<SubjectKind, string>> = {
    vent: t`A vent`,
    comment: t`A comment`,
    profile: t`A profile`,
  };
  return labels[kind];
}

/** What the user reported, and what became of it. */
export function ReportsPage() {
  const { t } = useLingui();
  return (
    <div className={styles.page}>
      <PageHeading>{t`Your reports`}</PageHeading>
      <p className={styles.soft}>
        <Trans>Only you can see this list. The people who wrote these things don't know it was you.</Trans>
      </p>
      <Reports />
    </div>
  );
}

function Reports() {
  const { t } = useLingui();
  const { data: reports, error, isFetching, refetch } = useQuery(reportsQuery);
  if (reports) {
    if (reports.length === 0)
      return (
        <Card>
          <EmptyState title={<Trans>You haven't reported anything.</Trans>}>
            <Trans>If something here hurts or worries you, tap the flag beside it.</Trans>
          </EmptyState>
        </Card>
      );
    return (
      <Card>
        <ul role="list" className={styles.reports}>
          {reports.map((report, index) => (
            // A report has no id: nothing should lead back to what it is about.
            // oxlint-disable-next-line react/no-array-index-key
            <ReportRow key={index} report={report} />
          ))}
        </ul>
      </Card>
    );
  }
  if (error)
    return (
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {failureText(error, t`Couldn't load your reports.`)}
      </ErrorCard>
    );
  return (
    <Loading className={styles.reports}>
      <Bar height={44} />
      <Bar height={44} />
    </Loading>
  );
}

function ReportRow({ report }: { readonly report: Report }) {
  const [today] = useState(() => dayInIndia(Date.now()));
  return (
    <li>
      <p className={styles.what}>
        {kindLabel(report.kind)} · {reasonLabel(report.reason)}
      </p>
      <p className={styles.soft}>
        <time dateTime={report.day}>{formatDayInIndia(report.day, today)}</time> ·{' '}
        {outcomeLabel(report.outcome)}
      </p>
    </li>
  );
}
