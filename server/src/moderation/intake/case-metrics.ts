import type { Clock } from '../../platform/clock.ts';
import type { Databases } from '../../platform/db.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { countBacklog } from '../cases/console-figures.queries.ts';

const severities = [1, 2, 3, 4];

/** Sets the number of waiting and overdue cases. If the query fails, the series are removed: a stale value would look healthy. */
export async function measureCases({
  db,
  metrics,
  clock,
}: {
  readonly db: Databases;
  readonly metrics: Metrics;
  readonly clock: Clock;
}): Promise<void> {
  try {
    const rows = await countBacklog(db.moderation, new Date(clock.now()));
    for (const severity of severities) {
      const row = rows.find((one) => one.severity === severity);
      metrics.casesWaiting.set({ severity }, row?.waiting ?? 0);
      metrics.casesOverdue.set({ severity }, row?.overdue ?? 0);
    }
  } catch {
    metrics.casesWaiting.reset();
    metrics.casesOverdue.reset();
  }
}
