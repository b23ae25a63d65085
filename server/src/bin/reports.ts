import { readConfig } from '../config.ts';
import { buildDeps } from '../deps.ts';
import { listReports } from '../reports/reports.queries.ts';

/** npm run reports: prints the newest reports with the reported text, without reporters or authors. */
const config = readConfig(process.env);
const deps = await buildDeps({ ...config, logLevel: 'warn' });
for (const { id, ventId, reason, snapshot, reportedOn } of await listReports(deps.db.content, 100)) {
  console.log(
    JSON.stringify({
      report: id,
      vent: deps.publicIds.vent.encode(ventId),
      on: reportedOn,
      reason,
      snapshot,
    }),
  );
}
await deps.close();
