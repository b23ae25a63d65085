/**
 * In the machine of `npm run shipped`: runs deploy/setup.sh, and asks of each unit or service that it started whether it has
 * done its work. One that has no question here fails, and so does a process with a variable that no example lists.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commentOnVent, createVent, listVents, requestOtp, verifyOtp } from '@unsaid/contract';
import { enrol, enrolOptions, signIn, signInOptions } from '@unsaid/contract/moderation/console';
import { promisify } from 'node:util';
import { PgBoss } from 'pg-boss';
import { parse } from 'yaml';
import { createPasskey } from '../../testkit/passkey.ts';

const [layout = 'units', ...words] = process.argv.slice(2);
/** The first problem is enough. */
const isShort = words[0] === '--short';
/** For a command that asks its own questions. */
const isOnlySetUp = words[0] === '--only';
const then = words.slice(isShort || isOnlySetUp ? 1 : 0);
const isCompose = layout === 'compose';
const site = 'https://unsaid.local';
const console_ = 'https://moderation.unsaid.local';
const code = '123456';
const numbers = Array.from({ length: 6 }, (_, index) => `+9199000000${String(index + 1).padStart(2, '0')}`);
const read = (file: string) => readFileSync(file, 'utf8');
const run = (...[file = '', ...args]: readonly string[]) =>
  execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Polls for up to 40 s. */
async function until<T>(what: string, ask: () => Promise<T | null | false> | T | null | false): Promise<T> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = await ask();
    if (found !== null && found !== false) return found;
    await sleep(200);
  }
  throw new Error(`waited in vain for ${what}`);
}

// How long each takes, while setup.sh runs.
interface Process {
  readonly pid: number;
  readonly address: string;
}
interface Container {
  readonly service: string;
  readonly pid: number;
  readonly addresses: Readonly<Record<string, string>>;
  readonly exitCode?: number;
  readonly healthySeconds?: number;
}
const containersOf = (service: string) =>
  globSync('/run/docker/*.json')
    .map((file) => JSON.parse(read(file)) as Container)
    .filter((one) => one.service === service);
/** The processes of a unit, of a template or of a service. */
function processesOf(name: string): Process[] {
  if (isCompose)
    return containersOf(name).map(({ pid, addresses }) => ({
      pid,
      address: Object.values(addresses)[0] ?? '',
    }));
  return globSync(`/run/unsaid/${name}{,@*}.pid`).map((file) => ({
    pid: Number(read(file)),
    address: `127.0.0.${/@(\d+)/u.exec(file)?.[1] ?? 1}`,
  }));
}
const portOf = (name: string) => {
  if (name.endsWith('api')) return '3000/readyz';
  if (name.endsWith('mod')) return '3001/readyz';
  return name.endsWith('worker') ? `${isCompose ? 9464 : 9465}/metrics` : null;
};
const isOk = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Seconds from the start of each process to its first good answer. */
const healthy = new Map<string, number>();
async function watchUnits(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    for (const name of ['unsaid-api', 'unsaid-worker', 'unsaid-mod'])
      for (const file of globSync(`/run/unsaid/${name}{,@*}.pid`)) {
        const address = `127.0.0.${/@(\d+)/u.exec(file)?.[1] ?? 1}`;
        if (!healthy.has(name) && (await isOk(`http://${address}:${portOf(name)}`)))
          healthy.set(name, (Date.now() - statSync(file).mtimeMs) / 1000);
      }
    await sleep(100);
  }
}
const secondsOf = (name: string) =>
  isCompose
    ? Math.max(...containersOf(name).map((one) => one.healthySeconds ?? 0))
    : (healthy.get(name) ?? 0);

const alerts: string[] = [];
const receiver = createServer((request, response) => {
  request.on('data', (part: Buffer) => alerts.push(part.toString()));
  request.on('end', () => response.end());
}).listen(8444);

async function setUp(): Promise<string> {
  writeFileSync(
    '/trial/more',
    `SMS_TEST_NUMBERS=${numbers.map((one) => `${one}=${code}`).join(',')}\nSMS_TEST_NUMBERS_UNTIL=2099-01-01\n${process.env['SHIPPED_SETTINGS'] ?? ''}`,
  );
  const env = {
    ...process.env,
    SITE: new URL(site).host,
    // What the moderators of compose come from is the machine's address in Caddy's network.
    MOD_ALLOWED: '127.0.0.1/32 172.31.250.1/32',
    OFFICER: 'Asha Rao <officer@unsaid.example>',
    MSG91: 'later',
    PHONE: numbers[0],
    TEST_CODE: code,
    ALERT_TO: `http://${isCompose ? '172.31.1.1' : '127.0.0.1'}:8444/`,
    ALERT_WAIT: '0s',
    BUILT: 'yes',
  };
  let isOver = false;
  const watch = isCompose ? Promise.resolve() : watchUnits(() => isOver);
  const setup = spawn('bash', ['deploy/setup.sh', '--settings', '/trial/more'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  setup.stdout.on('data', (part: Buffer) => {
    said += part.toString();
    process.stdout.write(part.toString().replaceAll(/^(?!ok|==).*\n/gmu, ''));
  });
  const [status] = (await once(setup, 'close')) as [number];
  isOver = true;
  await watch;
  if (status !== 0)
    throw new Error(`deploy/setup.sh ended with ${status}: ${said.split('\n').slice(-4).join(' ')}`);
  return said;
}

interface Call {
  readonly method: string;
  readonly path: string;
}
/** A browser on one of the two sites. */
class Client {
  readonly origin: string;
  token = '';
  private readonly cookies = new Map<string, string>();
  constructor(origin: string) {
    this.origin = origin;
  }
  async call({ method, path }: Call, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.origin}${path}`, {
      method,
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        'sec-fetch-site': 'same-origin',
        origin: this.origin,
        cookie: [...this.cookies].map(([key, value]) => `${key}=${value}`).join('; '),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [key = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=');
      this.cookies.set(key, value);
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }
}
async function newPerson(phone: string): Promise<Client> {
  const person = new Client(site);
  await person.call(requestOtp, { phone });
  person.token = String((await person.call(verifyOtp, { phone, otp: code }))['token']);
  return person;
}
const feedHas = async (reader: Client, title: string) =>
  ((await reader.call(listVents))['vents'] as { title: string }[]).some((vent) => vent.title === title);

const sql = (text: string) => run('deploy/run.sh', 'sql', '-qAt', '-c', text);

async function metricsOf(service: string): Promise<string> {
  const [one] = processesOf(isCompose ? service : `unsaid-${service}`);
  return (await fetch(`http://${one?.address}:${portOf(service)}`)).text();
}

const people = { author: new Client(site), reader: new Client(site) };
async function askApi(): Promise<string> {
  people.author = await newPerson(numbers[1] ?? '');
  people.reader = await newPerson(numbers[2] ?? '');
  await people.author.call(createVent, { title: 'Said to what ships', text: 'and heard', emotion: 'Sad' });
  await until('the vent in the feed of another', () => feedHas(people.reader, 'Said to what ships'));
  await people.author.call(createVent, {
    title: 'Held by what ships',
    text: 'for a while',
    emotion: 'Sad',
    later: true,
  });
  return 'two people signed in, one reads the vent of the other';
}

/** Each queue runs once, now; and it has a schedule, or its next run waits. */
async function askWorker(): Promise<string> {
  const url = isCompose
    ? `postgres://app_jobs:${/^JOBS_PASSWORD=(.*)$/mu.exec(read('deploy/.env'))?.[1]}@${processesOf('postgres')[0]?.address}:5432/unsaid`
    : /^JOBS_DATABASE_URL=['"]?([^'"\n]*)/mu.exec(read('/etc/unsaid/server.env'))?.[1];
  const boss = new PgBoss({
    connectionString: url ?? '',
    schema: 'jobs',
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  const queues = sql("select name from jobs.queue where name !~ '^__'").split('\n');
  const unscheduled = sql(
    "select name from jobs.queue q where name !~ '^__' and not exists (select from jobs.schedule s where s.name = q.name) and not exists (select from jobs.job j where j.name = q.name and state < 'completed')",
  );
  if (unscheduled !== '') throw new Error(`never due: ${unscheduled.split('\n').join(', ')}`);
  // One that is late gets another moment, within the hour.
  sql("update content.held_vents set goes_out_at = now() + interval '25 seconds'");
  sql("update jobs.job set start_after = now() where state = 'created'");
  for (const name of queues) await boss.send(name, {});
  await boss.stop();
  const missing = async () => {
    const metrics = await metricsOf('worker');
    // A run may fail where a machine is slow. What counts is that one is done.
    return queues.filter(
      (name) =>
        !new RegExp(
          `^unsaid_job_runs_total\\{(?=[^}]*outcome="completed")[^}]*queue="${name}"[^}]*\\} [1-9]`,
          'mu',
        ).test(metrics),
    );
  };
  let left = queues;
  await until('every queue', async () => (left = await missing()).length === 0).catch((error: Error) => {
    throw new Error(left.length > 0 ? `never ran: ${left.join(', ')}` : error.message);
  });
  await until('the held vent', () => feedHas(people.reader, 'Held by what ships'));
  return `each of ${queues.length} queues ran, and a held vent went out`;
}

type Options = Parameters<ReturnType<typeof createPasskey>['register']>[0];
async function askMod(): Promise<string> {
  const [link = ''] =
    /https:\S+/u.exec(run('bash', 'deploy/run.sh', 'moderators', 'add', 'asha', '--role', 'lead')) ?? [];
  const token = new URL(link).hash.slice(1);
  const browser = new Client(console_);
  const passkey = createPasskey(new URL(console_));
  const register = await browser.call(enrolOptions, { token });
  await browser.call(enrol, { token, credential: passkey.register(register['options'] as Options) });
  const asked = await browser.call(signInOptions);
  await browser.call(signIn, { credential: passkey.assert(asked['options'] as Options) });
  return 'a moderator enrolled a passkey and signed in';
}

async function askProbe(): Promise<string> {
  const page = isCompose ? 'deploy/status/index.html' : '/var/lib/unsaid-status/index.html';
  const written = await until('the status page', () => existsSync(page) && read(page));
  const [, says = ''] = /<h1>([^<]*)/u.exec(written) ?? [];
  return `its page says: ${says}`;
}

function askBackup(said: string): string {
  return /^ok {2}(restored .* vents)/mu.exec(said)?.[1] ?? fail('setup.sh restored nothing');
}
function askLog(): string {
  if (sql('select count(*) from pg_stat_replication') !== '1') fail('nobody receives the log');
  return `receives into ${readdirSync('/backup/wal').length} files`;
}
function fail(message: string): never {
  throw new Error(message);
}

const atPrometheus = async (path: string) => {
  const address = isCompose ? processesOf('prometheus')[0]?.address : '127.0.0.1';
  return (await (await fetch(`http://${address}:9090/api/v1/${path}`)).json()) as {
    data: { activeTargets?: { health: string; scrapeUrl: string; lastError: string }[]; result?: unknown[] };
  };
};
async function askPrometheus(): Promise<string> {
  let seen = '';
  const count = await until('every target', async () => {
    const targets = (await atPrometheus('targets')).data.activeTargets ?? [];
    seen = targets
      .filter(({ health }) => health !== 'up')
      .map((one) => `${one.scrapeUrl} ${one.lastError}`)
      .join(', ');
    return targets.length >= 4 && seen === '' && targets.length;
  }).catch(() => fail(`targets are down: ${seen}`));
  return `scrapes ${count} targets`;
}
async function askNode(): Promise<string> {
  for (const name of ['unsaid_probe_success', 'unsaid_backup_last_success_timestamp_seconds'])
    await until(name, async () => ((await atPrometheus(`query?query=${name}`)).data.result ?? []).length > 0);
  return 'has what backup and probe wrote';
}

async function askCaddy(): Promise<string> {
  if (!(await isOk(`${site}/`)) || !(await isOk(`${console_}/`))) fail('does not answer');
  return 'serves both sites over TLS';
}
/** By hand, into an empty folder, as docs/runbook.md says. The last question: it wants the service stopped. */
function askRestore(): string {
  const compose = ['docker', 'compose', '-f', 'deploy/compose.yaml'];
  run(...compose, 'down');
  const words = [...compose, 'run', '--rm', '-T', '-v', 'restored:/var/lib/postgresql/data', 'restore'];
  const text = execFileSync(words[0] ?? '', words.slice(1), {
    encoding: 'utf8',
    input: read('/root/unsaid-backup.key'),
  });
  return /^restored.*vents/mu.exec(text)?.[0] ?? fail(text);
}
const ended = (name: string) => () =>
  containersOf(name)[0]?.exitCode === 0 ? 'ended with 0' : fail('has not ended with 0');

type Question = (said: string) => Promise<string> | string;
const questions: Readonly<Record<string, Question>> = isCompose
  ? {
      logins: ended('logins'),
      migrate: ended('migrate'),
      postgres: () => `${sql('select count(*) from content.vents')} vents`,
      redis: () => `${run('docker', 'compose', 'exec', '-T', 'redis', 'redis-cli', 'dbsize')} keys`,
      api: askApi,
      worker: askWorker,
      mod: askMod,
      caddy: askCaddy,
      'backup-log': askLog,
      backup: askBackup,
      probe: askProbe,
      prometheus: askPrometheus,
      alertmanager: () => (alerts.length > 0 ? 'an alert arrived' : fail('no alert arrived')),
      node: askNode,
      restore: askRestore,
    }
  : {
      'unsaid-api': askApi,
      'unsaid-worker': askWorker,
      'unsaid-mod': askMod,
      caddy: askCaddy,
      'unsaid-wal': askLog,
      'unsaid-daily': askBackup,
      'unsaid-daily.timer': () => 'starts unsaid-daily',
      'unsaid-probe': askProbe,
      prometheus: askPrometheus,
      'prometheus-alertmanager': () => (alerts.length > 0 ? 'an alert arrived' : fail('no alert arrived')),
      'prometheus-node-exporter': askNode,
    };

const problems: string[] = [];
const shipped = isCompose
  ? Object.keys((parse(read('deploy/compose.yaml'), { merge: true }) as { services: object }).services)
  : readdirSync('deploy/systemd').map((file) => file.replace(/@?\.service$/u, ''));
for (const name of shipped) if (!(name in questions)) problems.push(`${name}: nothing here knows it`);

/** What the examples list, and what belongs to the programs beside ours. */
const listed = new Set([
  ...['.env.example', 'deploy/env.example', 'deploy/backup.env.example']
    .flatMap((file) => [...read(file).matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gmu)])
    .map(([, name = '']) => name),
  ...['PGPORT', 'POSTGRES_DB', 'POSTGRES_INITDB_ARGS', 'GODEBUG', 'ARGS', 'API_FOUND', 'MOD_HOST'],
]);
/** Of systemd, of the image and of machine.sh. */
const given = /^(?:PATH|HOME|NODE_EXTRA_CA_CERTS|PGDATA|PGSYSCONFDIR|XDG_\w+_HOME|PWD|OLDPWD|SHLVL|_)$/u;
function checkProcesses(name: string): void {
  for (const { pid } of processesOf(name)) {
    if (pid === 0) continue;
    if (!existsSync(`/proc/${pid}`) || read(`/proc/${pid}/stat`).includes(') Z ')) {
      problems.push(`${name}: has ended${lastWordsOf(name)}`);
      continue;
    }
    for (const pair of read(`/proc/${pid}/environ`).split('\0').filter(Boolean)) {
      const variable = pair.split('=', 1)[0] ?? '';
      if (!given.test(variable) && !listed.has(variable))
        problems.push(`${name}: no example lists ${variable}`);
    }
  }
}

/** Every command of the server that an operator runs, as documented. */
async function askCommands(): Promise<string> {
  const commands: Readonly<Record<string, readonly string[][]>> = {
    keys: [['keys'], ['keys', 'replace'], ['keys', 'turn']],
    moderators: [['moderators', 'list']],
    reports: [['reports']],
    switches: [['switches'], ['switches', 'off', 'sign-up'], ['switches', 'on', 'sign-up']],
    team: [['team', numbers[1] ?? '']],
  };
  const own = new Set(['api', 'migrate', 'refuse']);
  const names = readdirSync('server/src/bin').map((file) => basename(file, '.ts'));
  let isOver = false;
  const work = Promise.all(
    names
      .filter((name) => !own.has(name))
      .map(async (name) => {
        for (const words of commands[name] ?? [fail(`deploy/run.sh ${name}: nothing here knows it`)])
          await runPatiently(words);
      }),
  ).finally(() => (isOver = true));
  const [calls] = await Promise.all([callUntil(() => isOver), work]);
  const asked = Object.values(commands).flat();
  return `${asked.map((words) => words.join(' ')).join(', ')}; beside them ${calls} calls, 0 failed`;
}

/** Tried again where a slow machine gave no connection in time: it says so in one line, and changed nothing. */
async function runPatiently(words: readonly string[], tries = 3): Promise<void> {
  await promisify(execFile)('bash', ['deploy/run.sh', ...words]).catch((error: { stderr?: string }) => {
    if (tries === 1 || !/cannot start: .*connection timeout$/mu.test(error.stderr ?? '')) throw error;
    return runPatiently(words, tries - 1);
  });
}

/** Somebody signs in, writes and reads meanwhile: throws if anything fails. */
async function callUntil(isOver: () => boolean): Promise<number> {
  await newPerson(numbers[0] ?? '');
  const vents = (await people.reader.call(listVents))['vents'] as { _id: string }[];
  let calls = 3;
  // Fewer than the limit.
  for (let n = 1; n <= 15 && !isOver(); n += 1, calls += 2) {
    await people.reader.call(commentOnVent, { ventId: vents[0]?._id, text: `I hear you, ${n}` });
    await people.author.call(listVents);
    await sleep(200);
  }
  return calls;
}

const row = (name: string, seconds: string, work: string) =>
  console.log(`${layout.padEnd(8)} ${name.padEnd(26)} ${seconds.padStart(6)}  ${work}`);
/** Its log says why. */
const lastWordsOf = (name: string) =>
  globSync([`/run/unsaid/${name}{,@*}.log`, `/run/docker/${name}-*.log`])
    .map(
      (file) =>
        read(file)
          .trim()
          .split('\n')
          .findLast((line) => /cannot|error/iu.test(line)) ?? '',
    )
    .map((line) => (line === '' ? '' : `; its log: ${line.slice(0, 300)}`))
    .join('');
async function attempt(name: string, ask: () => Promise<string> | string): Promise<void> {
  try {
    const work = await ask();
    const seconds = secondsOf(name);
    row(name, seconds > 0 ? `${seconds.toFixed(1)} s` : '', work);
  } catch (error) {
    const { message, stderr } = error as { message: string; stderr?: string };
    problems.push(`${name}: ${stderr?.trim() || message}${lastWordsOf(name)}`);
  }
}

const begun = performance.now();
let said = '';
await attempt('setup.sh', async () => {
  said = await setUp();
  return `in ${((performance.now() - begun) / 1000).toFixed(0)} s`;
});
if (said !== '') {
  // Restoring stops the service.
  const last = 'restore';
  for (const [name, ask] of Object.entries(questions))
    if (name !== last && !isOnlySetUp && !(isShort && problems.length > 0)) {
      await attempt(name, () => ask(said));
      checkProcesses(name);
    }
  if (!isShort && !isOnlySetUp) await attempt('run.sh', askCommands);
  const [file, ...args] = then;
  if (problems.length === 0 && file !== undefined) {
    const child = spawn(file, args, { stdio: 'inherit' });
    const [status] = (await once(child, 'close')) as [number];
    if (status !== 0) problems.push(`${then.join(' ')}: ended with ${status}`);
  }
  if (isCompose && then.length === 0) await attempt(last, () => questions[last]?.(said) ?? '');
}
receiver.close();
for (const problem of problems) console.log(`${layout}: ${problem}`);
console.log(
  `${layout}: ${problems.length === 0 ? 'ok' : `${problems.length} failed`}, ${((performance.now() - begun) / 1000).toFixed(0)} s`,
);
process.exit(problems.length === 0 ? 0 : 1);
