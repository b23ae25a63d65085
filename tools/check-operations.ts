/**
 * npm run operations: what an operator is given fits the server. Alerts, dashboard and documents name only metrics
 * and labels that exist, deployments name only variables that exist, and every alert has its page in the runbook.
 * Where promtool, kubectl or docker-compose are installed they are asked as well; without them the rest still holds.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics, serveMetrics } from '../server/src/platform/metrics.ts';
import { conclude, root } from './test-reports.ts';

const problems: string[] = [];
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const done: string[] = [];

/** By name, the labels that each series of the server may have. */
async function seriesOfServer(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics();
  // Serving adds what Node says of itself.
  const server = await serveMetrics(metrics, 0, async () => {});
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
  return series;
}

const series = await seriesOfServer();
/** Given by Prometheus to everything it scrapes. */
const targetLabels = new Set(['job', 'instance']);
const words = new Set(['and', 'or', 'unless', 'by', 'without', 'on', 'ignoring', 'bool', 'offset']);
const grouping = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/gu;

/** Strings and durations out, then what is left of names: a selector, a list of labels, or a function's name. */
function checkQuery(where: string, query: string): void {
  // A selector's value may hold anything, so it goes first.
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
  if (used.length === 0) problems.push(`${where}: asks for no metric at all`);
  for (const label of groups) {
    if (!targetLabels.has(label) && !used.some((labels) => labels.has(label)))
      problems.push(`${where}: none of its metrics has a label ${label}`);
  }
}

/** Headings as GitHub makes anchors of them. */
const anchors = new Set(
  [...read('docs/runbook.md').matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/gu, '')
      .replaceAll(' ', '-'),
  ),
);

let alerts = 0;
for (const rule of read('deploy/prometheus/alerts.yml')
  .split(/^ {6}- alert: /mu)
  .slice(1)) {
  const name = rule.split('\n', 1)[0] ?? '';
  const [, block, line] = /^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.+)\n)/mu.exec(rule) ?? [];
  const query = block ?? line;
  alerts += 1;
  if (query === undefined) problems.push(`alert ${name}: no query that can be read`);
  else checkQuery(`alert ${name}`, query);
  const shared = /annotations: \*(\w+)/u.exec(rule)?.[1];
  const page = shared ?? /runbook: docs\/runbook\.md#(\S+)/u.exec(rule)?.[1];
  if (page === undefined || (!shared && !anchors.has(page)))
    problems.push(`alert ${name}: the runbook has no page ${page ?? 'for it'}`);
}
done.push(`${alerts} alerts`);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const { panels } = JSON.parse(read('deploy/grafana/unsaid.json')) as { panels: readonly Panel[] };
for (const { title, targets = [] } of panels)
  for (const { expr } of targets) checkQuery(`panel "${title}"`, expr.replaceAll('$__rate_interval', '5m'));
done.push(`${panels.length} panels`);

// Every metric of ours is explained, and what is explained exists.
const explained = read('docs/operations.md') + read('docs/runbook.md');
// In the text they stand after a backtick, in commands after `^`, there also several at once: `^unsaid_(a|b)_total`.
for (const [, head = '', choice, tail = ''] of explained.matchAll(
  /[`^](unsaid_\w*)(?:\(([\w|]+)\)(\w*))?/gu,
)) {
  for (const part of choice?.split('|') ?? ['']) {
    const name = `${head}${part}${tail}`;
    if (!series.has(name) && !series.has(`${name}_count`))
      problems.push(`docs name a metric ${name} that is none`);
  }
}
for (const name of series.keys()) {
  const base = name.replace(/_(?:bucket|sum|count)$/u, '');
  if (base.startsWith('unsaid_') && !explained.includes(`\`${base}\``))
    problems.push(`docs/operations.md has no line for ${base}`);
}

/** Ours are in .env.example; these belong to what stands beside us. */
const variables = new Set(
  [...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gmu)].map(([, name]) => name),
);
const others =
  /^(?:POSTGRES_(?:DB|PASSWORD|INITDB_ARGS)|PGPASSWORD|(?:IDENTITY|CONTENT|MATCHING|JOBS|MIGRATOR)_PASSWORD|SITE|API_HOST|API_PORT|UNSAID_IMAGE)$/u;
const deployments = [
  'deploy/compose.yaml',
  'deploy/env.example',
  'deploy/server.env.example',
  ...globSync('deploy/k8s/*.yaml', { cwd: root }),
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
    if (!variables.has(name) && !others.test(name)) problems.push(`${file}: no such variable as ${name}`);
  }
}
done.push(`${named} variables in ${deployments.length} files`);

/** Whoever serves people holds neither the superuser's password nor the migrator's: docs/adr/0003. */
function checkWhoHoldsWhat(): void {
  const [shared = '', services = ''] = read('deploy/compose.yaml').split(/^services:$/mu);
  const holders = new Map([['what services share', shared]]);
  for (const [, name = '', text = ''] of services.matchAll(/^ {2}(\w+):\n((?: {4}.*\n|\n| {2}#.*\n)+)/gmu))
    holders.set(name, text);
  for (const file of globSync('deploy/k8s/*.yaml', { cwd: root }))
    holders.set(file, read(file).replaceAll(/^\s*#.*$/gmu, ''));
  const allowed: readonly (readonly [RegExp, readonly string[]])[] = [
    [/\bPOSTGRES_PASSWORD\b/u, ['logins', 'postgres']],
    [/\bMIGRATOR_PASSWORD\b/u, ['logins', 'migrate']],
    [/\bJOBS_PASSWORD\b/u, ['logins', 'migrate', 'what services share']],
    [/\b(?:IDENTITY|CONTENT|MATCHING)_PASSWORD\b/u, ['logins', 'what services share']],
    [/unsaid-migrator/u, ['deploy/k8s/migrate.yaml']],
    [/\bDATABASE_URL: postgres:.*app_migrator/u, ['migrate']],
    [/env_file: \[server\.env\]/u, ['api', 'worker']],
    [/secretKeyRef: \{ name: unsaid, key: JOBS_DATABASE_URL \}/u, ['deploy/k8s/migrate.yaml']],
    [/secretKeyRef: (?!\{ name: unsaid, key: JOBS_DATABASE_URL \})/u, []],
    [/secretRef: \{ name: unsaid \}/u, ['deploy/k8s/api.yaml', 'deploy/k8s/worker.yaml']],
  ];
  for (const [secret, who] of allowed) {
    const found = [...holders].filter(([, text]) => secret.test(text)).map(([name]) => name);
    if (found.toSorted().join() !== who.join())
      problems.push(`${secret.source} is held by ${found.join(', ')}, not by ${who.join(', ')}`);
  }
  // A file for all would hand everything to everybody.
  if ([...holders.values()].some((text) => /env_file: (?!\[server\.env\])/u.test(text)))
    problems.push('deploy/compose.yaml: env_file may be server.env alone');
  done.push(`${allowed.length} secrets with their holders`);
}

/** Asks a tool of the trade where there is one. */
function ask(tool: string, args: readonly string[], cwd = root): void {
  const { error, status, stdout, stderr } = spawnSync(tool, args, { cwd, encoding: 'utf8' });
  if (error) done.push(`${tool} not here`);
  else if (status === 0) done.push(`${tool} agrees`);
  else problems.push(`${tool} ${args.join(' ')}: ${stderr || stdout}`);
}
ask('promtool', ['check', 'rules', 'deploy/prometheus/alerts.yml']);
ask('promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml']);
ask('kubectl', ['kustomize', 'deploy/k8s']);
const filledIn = mkdtempSync(join(tmpdir(), 'unsaid-compose-'));
copyFileSync(`${root}deploy/compose.yaml`, join(filledIn, 'compose.yaml'));
for (const file of ['.env', 'server.env'])
  writeFileSync(
    join(filledIn, file),
    read(`deploy/${file.replace(/^\./u, '')}.example`).replaceAll(/^(\w+)=$/gmu, '$1=filled-in-$1'),
  );
ask('docker-compose', ['-f', 'compose.yaml', 'config', '-q'], filledIn);
rmSync(filledIn, { recursive: true });
checkWhoHoldsWhat();

conclude(problems, `operations: ${done.join(', ')}`);
