import type { Clock } from '../platform/clock.ts';
import type { ModerationDb } from '../platform/db.ts';
import type { Metrics } from '../platform/metrics.ts';
import { countBacklog } from './cases/console-figures.queries.ts';
import { moderationMetrics } from './moderation.metrics.ts';

const severities = [1, 2, 3, 4];

/** Sets the number of waiting and overdue cases. If the query fails, the series are removed: a stale value would look healthy. */
export async function measureCases({
  db,
  metrics,
  clock,
}: {
  readonly db: ModerationDb;
  readonly metrics: Metrics;
  readonly clock: Clock;
}): Promise<void> {
  const { casesWaiting, casesOverdue } = moderationMetrics(metrics);
  try {
    const rows = await countBacklog(db, new Date(clock.now()));
    for (const severity of severities) {
      const row = rows.find((one) => one.severity === severity);
      casesWaiting.set({ severity }, row?.waiting ?? 0);
      casesOverdue.set({ severity }, row?.overdue ?? 0);
    }
  } catch {
    casesWaiting.reset();
    casesOverdue.reset();
  }
}
