/**
 * npm run drill:restore: loses a PostgreSQL cluster and restores it with deploy/backup.sh. Runs the real server on a
 * temporary cluster, writes vents during the base backup, kills the cluster with SIGKILL, deletes its data, restores from
 * base backup and WAL, and starts a new server. Fails unless every acknowledged vent is restored, and if stored text
 * can be read in a backup without the key. Needs age.
 *   -- --async: does not wait for the WAL receiver. Prints how much was lost, and fails only if nothing was restored.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killChildren } from '../testkit/child-processes.ts';
import { startServer } from '../testkit/server-process.ts';
import { asPostgres, startTempPostgres } from '../testkit/temp-postgres.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { call, run, say, signIn, start } from './drills.ts';
import { findServices } from './services.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const isAsync = process.argv.includes('--async');
const { REDIS_URL } = findServices();
const backup = (...args: string[]) => [...asPostgres, 'bash', `${root}deploy/backup.sh`, ...args];

const settings = run(backup('settings'));
const postgres = await startTempPostgres({
  user: 'unsaid',
  settings: [isAsync ? settings.replace(/^synchronous_standby_names.*$/mu, '') : settings],
});
const { folder, dataFolder: data, libpq, sql: query } = postgres;
const outbox = join(folder, 'outbox.jsonl');
const serverEnv = {
  ...process.env,
  ...libpq,
  NODE_ENV: 'test',
  DATABASE_URL: postgres.url,
  REDIS_URL,
  REDIS_PREFIX: `drill-${process.pid}:`,
  REDIS_TIMEOUT_MS: '2000',
  SMS_OUTBOX_FILE: outbox,
  LIMITS_SCALE: '1000',
  SERVICES: 'api',
  LOG_LEVEL: 'silent',
};

try {
  say(`a cluster of PostgreSQL ${postgres.version}`);

  // In production the key is made elsewhere: the backup machine has only the public half.
  const key = join(folder, 'backup.key');
  run([...asPostgres, 'age-keygen', '-o', key]);
  const toBackup = { ...libpq, BACKUP_RECIPIENT: run([...asPostgres, 'age-keygen', '-y', key]) };
  const wal = join(folder, 'wal');
  const receiver = start(backup('wal', wal), toBackup, { stderr: 'ignore' });
  run([process.execPath, `${root}server/src/bin/migrate.ts`], serverEnv);
  const before = await startServer({ env: serverEnv });
  const phone = '+919812345678';
  const person = await signIn(before.origin, phone, outbox);
  say('migrated, a server runs on it, one person is signed in');

  const acknowledged: string[] = [];
  const over = new AbortController();
  let lastAt = 0;
  const vent = async (n: string) => {
    const said = { title: `Drill ${n}`, text: `Said while the backup ran: ${n}`, emotion: 'Sad' };
    const { vent: made } = await call(person, 'POST', '/api/vent/create', said);
    acknowledged.push((made as { _id: string })._id);
    lastAt = performance.now();
  };
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; !over.signal.aborted; n += 1) await vent(`${writer}-${n}`).catch(() => {});
  });
  await waitUntil('the first vents', () => acknowledged.length > 20);

  const baseBegun = performance.now();
  const countBefore = acknowledged.length;
  // Asynchronous: the writers run in this process.
  let base = '';
  const taking = start(backup('base', folder), toBackup);
  taking.stdout?.on('data', (part: Buffer) => (base += part.toString()));
  await new Promise((resolve) => void taking.on('close', resolve));
  if (taking.exitCode !== 0) throw new Error('the base backup failed');
  say(
    `base backup taken and encrypted in ${((performance.now() - baseBegun) / 1000).toFixed(1)} s, ` +
      `${acknowledged.length - countBefore} vents acknowledged meanwhile`,
  );
  const dump = run(backup('dump', folder), toBackup);
  query('select pg_switch_wal()');
  await sleep(2000);
  await waitUntil('the log to be encrypted', () => segmentsIn(wal).every((path) => path.endsWith('.age')));
  checkUnreadable(data, [base.trim(), dump, ...segmentsIn(wal)]);

  const lostAt = performance.now();
  const isKilled = postgres.killHard();
  const sinceLast = lostAt - lastAt;
  over.abort();
  const total = acknowledged.length;
  await Promise.all([isKilled, ...writers]);
  say(`kill -9 after ${total} acknowledged vents; the last one ${sinceLast.toFixed(0)} ms before`);
  // The backends end a moment later.
  await waitUntil('the cluster to be gone', () => !postgres.isUp());
  const { status } = await fetch(`${before.origin}/api/vent/all`, {
    headers: { authorization: `Bearer ${person.token}` },
  });
  if (status !== 503) throw new Error(`without PostgreSQL the server answered ${status}`);
  say('the server is still there, and answers 503');
  before.child.kill('SIGKILL');
  receiver.kill('SIGTERM');
  rmSync(data, { recursive: true, force: true });
  say('its disk is gone too');

  const again = join(folder, 'again');
  run(backup('restore', base.trim(), wal, again, key));
  await postgres.start(again);
  query('delete from identity.sessions');
  const after = await startServer({ env: serverEnv });
  const backSeconds = (performance.now() - lostAt) / 1000;
  say('a new cluster from base and log, and a server that is ready');

  const personAgain = await signIn(after.origin, phone, outbox);
  const found = await Promise.all(
    acknowledged.slice(0, total).map((id) =>
      call(personAgain, 'GET', `/api/vent/${id}`).then(
        () => true,
        () => false,
      ),
    ),
  );
  const lost = found.filter((isThere) => !isThere).length;
  const isLastThere = found.at(-1) === true;
  query('create database from_dump', 'postgres');
  const unpack = 'set -o pipefail; age --decrypt --identity "$1" "$2" | pg_restore --dbname from_dump';
  run(['bash', '-c', unpack, 'bash', key, dump], libpq);
  const dumped = Number(query('select count(*) from content.vents', 'from_dump'));
  if (dumped < countBefore) throw new Error(`the dump has ${dumped} vents of ${countBefore}`);
  const hasQueue = () => query(`select to_regnamespace('jobs') is not null`, 'from_dump') === 't';
  if (hasQueue()) throw new Error('the dump has the queue, which its own login could have changed');
  const dumpUrl = new URL(postgres.url);
  dumpUrl.pathname = '/from_dump';
  run([process.execPath, `${root}server/src/bin/migrate.ts`], { ...serverEnv, DATABASE_URL: dumpUrl.href });
  if (!hasQueue()) throw new Error('migrating did not make the queue again');
  say(`the dump restores too, with ${dumped} vents, and migrating adds a queue`);
  say(
    `the same number signs in to the same account; ${query('select count(*) from content.vents')} vents are back`,
  );
  console.log(
    `\nlost of what was acknowledged (RPO): ${lost} of ${total}; the last one is ${isLastThere ? 'there' : 'GONE'}` +
      `\nfrom the loss to a ready server (RTO): ${backSeconds.toFixed(1)} s, for ${du(again)}`,
  );
  if (isAsync ? lost === total : lost > 0 || !isLastThere) process.exitCode = 1;
} finally {
  await killChildren();
  await postgres.remove();
}

/** Complete WAL segments. The one being received is not encrypted, as the docs say. */
function segmentsIn(wal: string): string[] {
  return readdirSync(wal)
    .filter((name) => !name.endsWith('.partial'))
    .map((name) => join(wal, name));
}

function checkUnreadable(data: string, backups: readonly string[]): void {
  const words = 'Said while the backup ran';
  const holdsWords = (path: string) =>
    run(['bash', '-c', `grep -rqa "${words}" "$1" && echo yes || true`, 'bash', path]);
  // Compressed words would not be found either: so each file must start with the header of age, and the search must find
  // the words in the database itself.
  if (!holdsWords(data)) throw new Error('the search finds nothing even in the files of the database');
  for (const path of backups) {
    const isEncrypted = readFileSync(path).subarray(0, 21).toString('latin1') === 'age-encryption.org/v1';
    if (!isEncrypted || holdsWords(path)) throw new Error(`${path} is in the clear`);
  }
  if (!backups.some((path) => path.startsWith(join(folder, 'wal')))) throw new Error('no log was encrypted');
  say(`${backups.length} backups, each unreadable without the key`);
}

function du(path: string): string {
  return run(['du', '-sh', path]).split('\t')[0] ?? '';
}
