import { readConfig } from '../config.ts';
import { buildDeps } from '../deps.ts';
import { listReports } from '../reports/reports.queries.ts';

/** npm run reports: the newest reports, each with what was reported. No reporter and no author is in sight. */
const config = readConfig(process.env);
const deps = await buildDeps({ ...config, logLevel: 'warn' });
for (const { id, ventId, reason, snapshot, reportedOn } of await listReports(deps.db.content, 100)) {
  console.log(
    JSON.stringify({
      report: id,
      vent: deps.seals.vent.seal(ventId),
      on: reportedOn,
      reason,
      snapshot,
    }),
  );
}
await deps.close();
