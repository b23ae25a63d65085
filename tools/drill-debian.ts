/** The layout of the restore drill with Debian's packages: a cluster of pg_createcluster, and the units of deploy/systemd. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repo } from '../testkit/server-process.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { run, type Layout, type LayoutOptions } from './drills.ts';

const version = '15';

export async function prepareDebian(options: LayoutOptions): Promise<Layout> {
  const { folder, port, postgresPort, redisUrl, recipient, isSynchronous } = options;
  const cluster = `drill${process.pid}`;
  const dataFolder = `/var/lib/postgresql/${version}/${cluster}`;
  const backupFolder = join(folder, 'backup');
  const outbox = join(folder, 'sent', 'outbox.jsonl');
  const settings = run([
    ...['bash', `${repo}deploy/backup.sh`, 'settings'],
    ...(isSynchronous ? ['synchronous'] : []),
  ]);
  const password = (name: string) => `password-of-${name}`;
  const url = `postgres://postgres:${password('postgres')}@127.0.0.1:${postgresPort}/unsaid`;

  for (const name of ['backup', 'sent', 'units', 'state', 'bin', 'metrics']) mkdirSync(join(folder, name));
  run(['chown', 'postgres:', backupFolder, join(folder, 'sent'), join(folder, 'metrics')]);
  writeFileSync(
    join(folder, 'server.env'),
    [
      ...['NODE_ENV=test', `DATABASE_URL=${url}`, `REDIS_URL=${redisUrl}`, 'REDIS_TIMEOUT_MS=2000'],
      ...[`SMS_OUTBOX_FILE=${outbox}`, 'LIMITS_SCALE=1000', 'LOG_LEVEL=warn', `PORT=${port}`, ''],
    ].join('\n'),
  );
  writeFileSync(join(folder, 'mod.env'), '');
  writeFileSync(
    join(folder, 'backup.env'),
    readFileSync(`${repo}deploy/backup.env.example`, 'utf8')
      .replace('PGPASSWORD=', `PGPASSWORD=${password('backup')}\nPGPORT=${postgresPort}`)
      .replace('BACKUP_RECIPIENT=', `BACKUP_RECIPIENT=${recipient}`)
      .replace(/^BACKUP_METRICS=.*$/mu, `BACKUP_METRICS=${join(folder, 'metrics')}`),
  );
  for (const name of readdirSync(`${repo}deploy/systemd`))
    writeFileSync(
      join(folder, 'units', name),
      readFileSync(`${repo}deploy/systemd/${name}`, 'utf8')
        .replaceAll('/opt/unsaid/', repo)
        .replaceAll('/opt/unsaid', repo)
        .replaceAll('/etc/unsaid', folder)
        .replaceAll(/ \/backup\b/gu, ` ${backupFolder}`)
        .replaceAll(/^User=.*$/gmu, 'User=postgres')
        // Ports of metrics that nobody else has.
        .replaceAll(/METRICS_PORT=\d+/gu, 'METRICS_PORT=0')
        .replace('Environment=SERVICES=api', 'Environment=SERVICES=api METRICS_PORT=0'),
    );
  const systemctl = join(folder, 'bin', 'systemctl');
  writeFileSync(systemctl, `#!/bin/sh\nexec ${process.execPath} ${repo}deploy/units.ts "$@"\n`);
  chmodSync(systemctl, 0o755);

  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    PGPORT: String(postgresPort),
    UNITS: join(folder, 'units'),
    UNITS_STATE: join(folder, 'state'),
  };
  const sql = (text: string, database = 'unsaid', more: Record<string, string> = {}) =>
    run(['psql', '-XqAt', url.replace(/unsaid$/u, database), '-c', text], more);
  const installPostgres = () => {
    run(['pg_createcluster', version, cluster, '--port', String(postgresPort), '--', '--data-checksums']);
    writeFileSync(`/etc/postgresql/${version}/${cluster}/conf.d/unsaid.conf`, settings);
    run([systemctl, 'start', `postgresql@${version}-${cluster}`], env);
  };
  const names = ['unsaid-api', 'unsaid-worker', 'unsaid-mod', 'unsaid-wal'];

  return {
    blockBegins: 'systemctl',
    dataFolder,
    backupFolder,
    env,
    outbox,
    names: [
      [`${version}-main`, `${version}-${cluster}`],
      [`/${version}/main`, `/${version}/${cluster}`],
      ['deploy/backup.sh', `${repo}deploy/backup.sh`],
      [' /backup ', ` ${backupFolder} `],
    ],
    sql,
    async start() {
      installPostgres();
      const asOwner = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', 'psql', '-Xq'];
      // Until the receiver is there a commit would wait for it.
      const local = { ...env, PGOPTIONS: '-c synchronous_commit=local' };
      run([...asOwner, '-c', `alter role postgres password '${password('postgres')}'`], local);
      run([...asOwner, '-c', 'create database unsaid'], local);
      const logins = [
        'identity',
        'content',
        'matching',
        'moderation',
        'jobs',
        'migrator',
        'mod',
        'console',
        'backup',
      ];
      run(['psql', '-X', url, '-f', `${repo}deploy/logins.sql`], {
        ...local,
        ...Object.fromEntries(logins.map((name) => [`${name.toUpperCase()}_PASSWORD`, password(name)])),
      });
      run([systemctl, 'start', 'unsaid-wal'], env);
      const isReceiving = () => sql(`select count(*) from pg_stat_replication`, 'postgres') === '1';
      await waitUntil('the receiver', isReceiving);
      run([process.execPath, `${repo}server/src/bin/migrate.ts`], {
        ...env,
        NODE_ENV: 'test',
        DATABASE_URL: url,
      });
      run([systemctl, 'start', 'unsaid-daily', 'unsaid-api', 'unsaid-worker', 'unsaid-mod'], env);
    },
    async lose() {
      const pid = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n', 1)[0] ?? '';
      process.kill(Number(pid), 'SIGQUIT');
      await waitUntil('PostgreSQL to be gone', () => {
        try {
          process.kill(Number(pid), 0);
          return false;
        } catch {
          return true;
        }
      });
      rmSync(dataFolder, { recursive: true, force: true });
      rmSync(`/etc/postgresql/${version}/${cluster}`, { recursive: true, force: true });
      rmSync(`${dataFolder}-before`, { recursive: true, force: true });
      installPostgres();
    },
    async remove() {
      run([systemctl, 'stop', ...names, `postgresql@${version}-${cluster}`], env);
      for (const path of [dataFolder, `${dataFolder}-before`, `/etc/postgresql/${version}/${cluster}`])
        rmSync(path, { recursive: true, force: true });
      rmSync(`/var/log/postgresql/postgresql-${version}-${cluster}.log`, { force: true });
    },
  };
}
