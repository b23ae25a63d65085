import { readConfig } from '../config.ts';
import { depsOrRefuse, readOrRefuse } from './refuse.ts';
import { listWaiting } from '../moderation/index.ts';

/** npm run reports: prints the cases that wait, in the order of the queue. No text, no author, no reporter. */
const config = readOrRefuse(readConfig, process.env);
const deps = await depsOrRefuse(config);
const now = new Date(deps.clock.now());
for (const { id, subjectKind: kind, dueAt, ...row } of await listWaiting(
  deps.databases.moderation,
  100,
  now,
)) {
  const { policy, severity, state, reporters } = row;
  const due = dueAt.toISOString();
  console.log(JSON.stringify({ case: String(id), kind, policy, severity, state, reporters, due }));
}
await deps.close();
