/**
 * node tools/scratch-postgres.ts: a PostgreSQL for tests, in a folder of its own. What they write may be lost, so neither
 * a commit nor a checkpoint waits for the disk. Prints DATABASE_URL=… when it is ready, and removes it at SIGTERM or when
 * its parent is gone. .ci/run starts one: each test file creates and drops a database, and each drop is a checkpoint.
 */
import { startTempPostgres } from '../testkit/temp-postgres.ts';

let end = (): void => process.exit(1);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end());
const parent = process.ppid;

const server = await startTempPostgres({
  settings: [
    'max_connections = 300',
    'fsync = off',
    'synchronous_commit = off',
    'full_page_writes = off',
    'max_wal_size = 4GB',
    'shared_buffers = 256MB',
    "log_min_messages = 'fatal'",
  ],
});

end = () => {
  clearInterval(timer);
  void server.remove().then(() => process.exit());
};
const timer = setInterval(() => process.ppid === parent || end(), 1000);

console.log(`DATABASE_URL=${server.url}`);
