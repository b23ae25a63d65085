/** The layout of the restore drill with the services of deploy/compose.yaml, run by tools/compose-stand-in.ts. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repo } from '../testkit/server-process.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { run, type Layout, type LayoutOptions } from './drills.ts';

const password = 'password';

export async function prepareCompose(options: LayoutOptions): Promise<Layout> {
  const { folder, port, postgresPort, redisUrl, recipient, isSynchronous } = options;
  const backupFolder = join(folder, 'backup');
  const outbox = join(folder, 'outbox.jsonl');
  const dataFolder = join(folder, 'volumes', 'postgres');
  mkdirSync(backupFolder);
  run(['chown', 'postgres:', backupFolder]);
  const given: Record<string, string> = {
    BACKUP_FOLDER: backupFolder,
    BACKUP_RECIPIENT: recipient,
    SYNCHRONOUS_RECEIVER: isSynchronous ? 'unsaid_wal' : '',
    ALERT_TO: 'https://alerts.example',
    POSTGRES_PASSWORD: password,
  };
  const example = readFileSync(`${repo}deploy/env.example`, 'utf8');
  writeFileSync(
    join(folder, '.env'),
    `${example.replaceAll(/^(\w+)=(.*)$/gmu, (_, name: string, value: string) => {
      const filled = given[name] ?? (value || `filled${name.toLowerCase().replaceAll('_', '')}`);
      return `${name}=${filled}`;
    })}REDIS_URL=${redisUrl}\n`,
  );
  writeFileSync(
    join(folder, 'server.env'),
    [
      ...['NODE_ENV=test', 'REDIS_TIMEOUT_MS=2000', `SMS_OUTBOX_FILE=${outbox}`, 'LIMITS_SCALE=1000'],
      ...['LOG_LEVEL=warn', `PORT=${port}`, 'METRICS_PORT=0', 'HOST=127.0.0.1', ''],
      ...[`DATABASE_URL=postgres://postgres:${password}@127.0.0.1:${postgresPort}/unsaid`, ''],
    ].join('\n'),
  );
  mkdirSync(join(folder, 'bin'));
  const docker = join(folder, 'bin', 'docker');
  writeFileSync(docker, `#!/bin/sh\nexec ${process.execPath} ${repo}tools/compose-stand-in.ts "$@"\n`);
  chmodSync(docker, 0o755);
  // As root in the container would: the socket's folder is the state's.
  run(['chown', 'postgres:', folder]);

  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    COMPOSE_STATE: folder,
    COMPOSE_PORT: String(postgresPort),
    PGHOST: folder,
    PGPORT: String(postgresPort),
  };
  const url = `postgres://postgres:${password}@127.0.0.1:${postgresPort}/unsaid`;
  return {
    blockBegins: 'docker',
    dataFolder,
    backupFolder,
    env,
    outbox,
    names: [],
    sql: (text) => run(['psql', '-XqAt', url, '-c', text]),
    async start() {
      run([docker, 'compose', 'up', '-d'], env);
      await waitUntil('a base backup', () => run(['ls', backupFolder]).includes('base-'));
    },
    async lose() {
      const pid = readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n', 1)[0] ?? '';
      process.kill(Number(pid), 'SIGQUIT');
      await waitUntil(
        'PostgreSQL to be gone',
        () => run(['bash', '-c', 'kill -0 "$1" 2>/dev/null || echo gone', 'bash', pid]) === 'gone',
      );
      rmSync(dataFolder, { recursive: true, force: true });
    },
    async remove() {
      run([docker, 'compose', 'down'], env);
    },
  };
}
