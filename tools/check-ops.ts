/**
 * npm run check:ops: the operator's files agree with the server. Alerts and docs name only metrics and labels
 * that exist, and jobs that exist; deployments name only variables that exist; every alert links to a
 * page of the runbook and rings in a test. promtool, amtool and systemd-analyze validate their files and are installed if they
 * are missing; docker-compose does where it is installed.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
// Loads the features, which define metrics of their own.
import '../server/src/features.ts';
import { createMetrics, serveMetrics } from '../server/src/platform/metrics.ts';
import { conclude, root } from './test-reports.ts';

const problems: string[] = [];
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const summary: string[] = [];

/** The labels of each series of the server, by series name. */
async function seriesOfServer(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics();
  // Serving registers the default metrics of Node.
  const server = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 }, async () => {});
  server.close();
  const series = new Map<string, Set<string>>([['up', new Set()]]);
  for (const metric of metrics.registry.getMetricsAsArray()) {
    const { name, labelNames, buckets } = metric as unknown as {
      name: string;
      labelNames: string[];
      buckets?: number[];
    };
    if (!buckets) series.set(name, new Set(labelNames));
    for (const part of buckets ? ['_bucket', '_sum', '_count'] : [])
      series.set(`${name}${part}`, new Set([...labelNames, ...(part === '_bucket' ? ['le'] : [])]));
  }
  // Those beside the server: the backups', the probe's and, of many, four of the node exporter.
  const beside = read('deploy/backup.sh') + read('deploy/probe.ts');
  for (const [name] of beside.matchAll(/unsaid_(?:backup|probe)_\w+(?= |\{)/gu))
    series.set(name, new Set(['kind']));
  for (const name of ['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'])
    series.set(name, new Set(['fstype', 'mountpoint']));
  for (const name of ['node_timex_sync_status', 'node_timex_offset_seconds']) series.set(name, new Set());
  return series;
}

const series = await seriesOfServer();
/** Labels that Prometheus adds to every scraped target. */
const targetLabels = new Set(['job', 'instance', 'service']);
const words = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'bool', 'offset']);
const grouping = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/gu;

/** Strips strings and durations, then checks the remaining names: selectors, label lists and function names. */
function checkQuery(where: string, query: string): void {
  // Strings first: a label value may contain anything.
  let text = query.replaceAll(/"[^"]*"/gu, '""').replaceAll(/\[[^\]]*\]/gu, '');
  const used: Set<string>[] = [];
  text = text.replaceAll(
    /([a-z_:][\w:]*)?\s*\{([^}]*)\}/giu,
    (_, name: string | undefined, selector: string) => {
      const labels = series.get(name ?? '');
      for (const [, label = ''] of selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/gu)) {
        if (labels && !labels.has(label) && !targetLabels.has(label))
          problems.push(`${where}: ${name} has no label ${label}`);
      }
      return ` ${name ?? ''} `;
    },
  );
  const groups = [...text.matchAll(grouping)].flatMap(([, list = '']) =>
    list.split(/[\s,]+/u).filter(Boolean),
  );
  text = text.replaceAll(grouping, ' ');
  for (const [, name = ''] of text.matchAll(/([a-z_:][\w:]*)\b(?!\s*\()/giu)) {
    if (words.has(name)) continue;
    const labels = series.get(name);
    if (labels) used.push(labels);
    else problems.push(`${where}: the server has no metric ${name}`);
  }
  if (used.length === 0) problems.push(`${where}: uses no metric`);
  for (const label of groups) {
    if (!targetLabels.has(label) && !used.some((labels) => labels.has(label)))
      problems.push(`${where}: none of its metrics has a label ${label}`);
  }
}

/** The anchors that GitHub generates for the headings. */
const anchors = new Set(
  [...read('docs/runbook.md').matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/gu, '')
      .replaceAll(' ', '-'),
  ),
);

const testFiles = globSync('deploy/prometheus/*.test.yml', { cwd: root });
const alertTests = testFiles.map(read).join('');
let alerts = 0;
for (const rule of read('deploy/prometheus/alerts.yml')
  .split(/^ {6}- alert: /mu)
  .slice(1)) {
  const name = rule.split('\n', 1)[0] ?? '';
  const [, block, line] = /^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.+)\n)/mu.exec(rule) ?? [];
  const query = block ?? line;
  alerts += 1;
  if (query === undefined) problems.push(`alert ${name}: expression cannot be parsed`);
  else checkQuery(`alert ${name}`, query);
  if (!new RegExp(`alertname: ${name}\\n +exp_alerts:(?: &\\w+)?\\n`, 'u').test(alertTests))
    problems.push(`alert ${name}: no test rings it`);
  const shared = /annotations: \*(\w+)/u.exec(rule)?.[1];
  const page = shared ?? /runbook: docs\/runbook\.md#(\S+)/u.exec(rule)?.[1];
  if (page === undefined || (!shared && !anchors.has(page)))
    problems.push(`alert ${name}: no such page in the runbook: ${page ?? 'none given'}`);
}
summary.push(`${alerts} alerts`);

// Every documented metric exists. What each is, `# HELP` says beside its value.
const explained = read('docs/operations.md') + read('docs/runbook.md');
// Names follow a backtick in the text, or `^` in commands, there also as alternatives: `^unsaid_(a|b)_total`.
for (const [, head = '', choice, tail = ''] of explained.matchAll(
  /[`^](unsaid_\w*)(?:\(([\w|]+)\)(\w*))?/gu,
)) {
  for (const part of choice?.split('|') ?? ['']) {
    const name = `${head}${part}${tail}`;
    if (!series.has(name) && !series.has(`${name}_count`))
      problems.push(`docs name a metric that does not exist: ${name}`);
  }
}

// Every job that a document or an alert names exists.
const jobTable = /^## Jobs$(.*?)^## /msu.exec(read('docs/operations.md'))?.[1] ?? '';
const documentedJobs = [...jobTable.matchAll(/^- `([a-z-]+)` \(/gmu)].map(([, name = '']) => name);
const watchedJobs = [...read('deploy/prometheus/alerts.yml').matchAll(/queue=~?"([^"]+)"/gu)].flatMap(
  ([, names = '']) => names.split('|'),
);
const jobs = new Set(
  globSync('server/src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/\bname: '([a-z-]+)',\s*(?:cron|jitteredIntervalSeconds):/gu)].map(
      ([, name = '']) => name,
    ),
  ),
);
if (jobs.size === 0) problems.push('no jobs were found in server/src');
for (const name of [...documentedJobs, ...watchedJobs])
  if (!jobs.has(name))
    problems.push(`docs/operations.md or an alert names a job that does not exist: ${name}`);
summary.push(`${jobs.size} jobs`);

/** The server's variables are in .env.example; `others` belong to the containers beside it. */
const variables = new Set(
  [...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gmu)].map(([, name]) => name),
);
const others =
  /^(?:POSTGRES_(?:DB|PASSWORD|INITDB_ARGS)|PGPASSWORD|(?:IDENTITY|CONTENT|MATCHING|MODERATION|CONSOLE|JOBS|MIGRATOR|BACKUP)_PASSWORD|PGHOST|PGUSER|BACKUP_(?:RECIPIENT|FOLDER|METRICS)|SYNCHRONOUS_RECEIVER|ALERT_(?:TO|FROM|SMTP|SMTP_PASSWORD)|STATUS_FOLDER|SITE|MOD_SITE|MOD_ALLOWED|MOD_HOST|API_HOST|API_FOUND|API_PORT|UNSAID_IMAGE|GODEBUG)$/u;
const deployments = [
  'deploy/compose.yaml',
  'deploy/env.example',
  'deploy/server.env.example',
  'deploy/backup.env.example',
  ...globSync('deploy/systemd/*.service', { cwd: root }),
];
let named = 0;
for (const file of deployments) {
  const text = read(file).replaceAll(/^\s*#.*$/gmu, '');
  const found = [
    ...text.matchAll(/(?:^|[\s{,])([A-Z][A-Z0-9_]{2,})(?::|=)/gmu),
    ...text.matchAll(/\bname: ([A-Z][A-Z0-9_]{2,})\b/gu),
    ...text.matchAll(/\$\{([A-Z][A-Z0-9_]+)/gu),
  ];
  for (const [, name = ''] of found) {
    named += 1;
    if (!variables.has(name) && !others.test(name)) problems.push(`${file}: no such variable: ${name}`);
  }
}
summary.push(`${named} variables in ${deployments.length} files`);

/** Services that handle requests have neither the superuser's nor the migrator's password: docs/adr/0003. */
function checkSecretHolders(): void {
  const [shared = '', services = ''] = read('deploy/compose.yaml').split(/^services:$/mu);
  const holders = new Map([['shared settings', shared]]);
  for (const [, name = '', text = ''] of services.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n|\n| {2}#.*\n)+)/gmu))
    holders.set(name, text);
  const allowed: readonly (readonly [RegExp, readonly string[]])[] = [
    [/\bPOSTGRES_PASSWORD\b/u, ['logins', 'postgres']],
    [/\bCONSOLE_PASSWORD\b/u, ['logins', 'mod']],
    [/\bMIGRATOR_PASSWORD\b/u, ['logins', 'migrate']],
    // Shared by the services of the backups.
    [/\bBACKUP_PASSWORD\b/u, ['logins', 'shared settings']],
    [/<<: \*backup/u, ['backup', 'backup-log', 'restore']],
    [/\bJOBS_PASSWORD\b/u, ['logins', 'migrate', 'shared settings']],
    [/\b(?:IDENTITY|CONTENT|MATCHING|MODERATION)_PASSWORD\b/u, ['logins', 'shared settings']],
    [/\bDATABASE_URL: postgres:.*app_migrator/u, ['migrate']],
    [/env_file: \[server\.env\]/u, ['api', 'mod', 'worker']],
  ];
  for (const [secret, who] of allowed) {
    const found = [...holders].filter(([, text]) => secret.test(text)).map(([name]) => name);
    if (found.toSorted().join() !== who.join())
      problems.push(`${secret.source} is held by ${found.join(', ')}, not by ${who.join(', ')}`);
  }
  // A shared env_file would give every secret to every service.
  if ([...holders.values()].some((text) => /env_file: (?!\[server\.env\])/u.test(text)))
    problems.push('deploy/compose.yaml: env_file may be server.env alone');
  summary.push(`${allowed.length} secrets with their holders`);
}

/** Debian's validators. One that is missing is installed; it is not skipped. */
const packages = { promtool: 'prometheus', amtool: 'prometheus-alertmanager', 'systemd-analyze': 'systemd' };
const missing = Object.entries(packages)
  .filter(([tool]) => spawnSync(tool, ['--version']).error)
  .map(([, name]) => name);
if (missing.length > 0) {
  const install = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${missing.join(' ')}`;
  const { status, stderr } = spawnSync('bash', ['-c', install], { encoding: 'utf8' });
  if (status !== 0) problems.push(`${missing.join(', ')} cannot be installed: ${stderr}`);
}
function validate(tool: string, args: readonly string[], { isOptional = false, cwd = root } = {}): void {
  const { error, status, stdout, stderr } = spawnSync(tool, args, { cwd, encoding: 'utf8' });
  if (error && isOptional) summary.push(`${tool} not installed`);
  else if (status === 0) summary.push(`${tool} ok`);
  else problems.push(`${tool} ${args.join(' ')}: ${error?.message ?? (stderr || stdout)}`);
}
validate('promtool', ['check', 'rules', 'deploy/prometheus/alerts.yml']);
validate('promtool', ['test', 'rules', ...testFiles]);
for (const file of ['prometheus.yml', 'debian.yml', 'second.yml'])
  validate('promtool', ['check', 'config', '--lint=all', `deploy/prometheus/${file}`]);
const folder = mkdtempSync(join(tmpdir(), 'unsaid-ops-'));
const receivers = [
  { ALERT_TO: 'https://alerts.example/hook' },
  {
    ALERT_TO: 'asha@unsaid.example,ravi@unsaid.example',
    ALERT_FROM: 'alerts@unsaid.example',
    ALERT_SMTP: 'mail.example:587',
    ALERT_SMTP_PASSWORD: `a'b"c\\d: #`,
  },
];
for (const env of receivers) {
  const config = spawnSync('sh', [`${root}deploy/prometheus/alertmanager.sh`], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });
  writeFileSync(join(folder, 'alertmanager.yml'), config.stdout);
  validate('amtool', ['check-config', join(folder, 'alertmanager.yml')]);
}
// Verifying needs the programs where the units name them.
const units = globSync('deploy/systemd/*', { cwd: root });
for (const file of units)
  writeFileSync(
    join(folder, basename(file)),
    read(file).replaceAll('/opt/unsaid/', root).replaceAll('/opt/unsaid', root),
  );
validate('systemd-analyze', ['verify', ...units.map((file) => join(folder, basename(file)))]);
rmSync(folder, { recursive: true });
const composeFolder = mkdtempSync(join(tmpdir(), 'unsaid-compose-'));
copyFileSync(`${root}deploy/compose.yaml`, join(composeFolder, 'compose.yaml'));
for (const file of ['.env', 'server.env'])
  writeFileSync(
    join(composeFolder, file),
    read(`deploy/${file.replace(/^\./u, '')}.example`).replaceAll(/^(\w+)=$/gmu, '$1=filled-in-$1'),
  );
validate('docker-compose', ['-f', 'compose.yaml', 'config', '-q'], { isOptional: true, cwd: composeFolder });
rmSync(composeFolder, { recursive: true });
checkSecretHolders();

conclude(problems, `operations: ${summary.join(', ')}`);
