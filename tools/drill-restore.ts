/**
 * npm run drill:restore: loses a PostgreSQL and brings it back, with deploy/backup.sh. A throwaway cluster, the real
 * server on it, people who vent while the base backup is taken; then kill -9, the disk gone, a new cluster from base
 * and received log, a new server. Fails unless every vent that was acknowledged is there, and if words that people
 * wrote can be read in a backup without the key. Needs age.
 *   -- --async: without waiting for the receiver. Says how much was lost, and fails only if nothing came back.
 */
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { call, run, say, signIn, start, startServer, until } from './drills.ts';
import { findServices } from './services.ts';
import * as postgres from './throwaway-cluster.ts';

const { folder, libpq, query } = postgres;
const root = fileURLToPath(new URL('..', import.meta.url));
const isAsync = process.argv.includes('--async');
const { REDIS_URL } = findServices();
const backup = (...args: string[]) => [...postgres.asPostgres, 'bash', `${root}deploy/backup.sh`, ...args];

const outbox = join(folder, 'outbox.jsonl');
const serverEnv = {
  ...libpq,
  NODE_ENV: 'test',
  DATABASE_URL: postgres.databaseUrl,
  REDIS_URL,
  REDIS_PREFIX: `drill-${process.pid}:`,
  REDIS_TIMEOUT_MS: '2000',
  SMS_OUTBOX_FILE: outbox,
  LIMITS_SCALE: '1000',
  SERVICES: 'api',
  LOG_LEVEL: 'silent',
};

try {
  const data = join(folder, 'data');
  postgres.initCluster(data);
  const settings = run(backup('settings'));
  const conf = isAsync ? settings.replace(/^synchronous_standby_names.*$/mu, '') : settings;
  appendFileSync(`${data}/postgresql.conf`, `\n${conf}\n`);
  const first = await postgres.startCluster(data);
  say(`a cluster of PostgreSQL ${postgres.version}`);

  // Made elsewhere in earnest: the machine that keeps backups has the public half alone.
  const key = join(folder, 'backup.key');
  run([...postgres.asPostgres, 'age-keygen', '-o', key]);
  const toBackup = { ...libpq, BACKUP_RECIPIENT: run([...postgres.asPostgres, 'age-keygen', '-y', key]) };
  const wal = join(folder, 'wal');
  const receiver = start(backup('wal', wal), toBackup, { stderr: 'ignore' });
  run([process.execPath, `${root}server/src/bin/migrate.ts`], serverEnv);
  const before = await startServer(root, serverEnv);
  const phone = '+919812345678';
  const person = await signIn(before.origin, phone, outbox);
  say('migrated, a server runs on it, somebody is signed in');

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
  await until('the first vents', () => acknowledged.length > 20);

  const baseBegun = performance.now();
  const countBefore = acknowledged.length;
  // Not in the foreground: the writers live in this process and must go on.
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
  await until('the log to be encrypted', () => segmentsIn(wal).every((path) => path.endsWith('.age')));
  checkUnreadable(data, [base.trim(), dump, ...segmentsIn(wal)]);

  first.kill('SIGKILL');
  const lostAt = performance.now();
  const sinceLast = lostAt - lastAt;
  over.abort();
  const total = acknowledged.length;
  await Promise.all(writers);
  say(`kill -9 after ${total} acknowledged vents; the last one ${sinceLast.toFixed(0)} ms before`);
  // Its children notice by themselves, a moment later.
  await until('the cluster to be gone', () => postgres.tryToAsk('select 1') === null);
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
  await postgres.startCluster(again);
  query('delete from identity.sessions');
  const after = await startServer(root, serverEnv);
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
  const dumpUrl = new URL(postgres.databaseUrl);
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
  await postgres.cleanUp();
}

/** The pieces that are whole. The one that is being received is in the clear, and the pages say so. */
function segmentsIn(wal: string): string[] {
  return readdirSync(wal)
    .filter((name) => !name.endsWith('.partial'))
    .map((name) => join(wal, name));
}

function checkUnreadable(data: string, backups: readonly string[]): void {
  const words = 'Said while the backup ran';
  const holdsWords = (path: string) =>
    run(['bash', '-c', `grep -rqa "${words}" "$1" && echo yes || true`, 'bash', path]);
  // Compressed words would not be found either: each must begin as what age writes, and the search must find something.
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
