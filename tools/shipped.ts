/**
 * npm run shipped: starts every unit of deploy/systemd and every service of deploy/compose.yaml from its file and by
 * deploy/setup.sh, each layout on a machine of its own (tools/shipped/machine.sh), and asks each whether it has done its work
 * (tools/shipped/questions.ts). With the units, people and a moderator then use it in a browser (e2e/roles), at night.
 *   -- units|compose [COMMAND…]   one layout; COMMAND runs beside it
 *   -- --planted                  faults in what is shipped, each of which must be found
 * Needs root, and installs the packages of Debian that setup.sh would.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnChild } from '../testkit/child-processes.ts';
import { conclude, root } from './test-reports.ts';

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

const packages = [
  ...[
    'postgresql',
    'redis-server',
    'caddy',
    'prometheus',
    'prometheus-alertmanager',
    'prometheus-node-exporter',
  ],
  ...[
    'age',
    'ca-certificates',
    'curl',
    'iproute2',
    'libnss3-tools',
    'openssh-client',
    'openssl',
    'systemd-timesyncd',
    'wget',
  ],
];

/** What is not started here as it is in production. */
const standIns = [
  'systemd: tools/shipped/systemctl.ts reads the units; it restarts nothing and filters no system calls',
  'docker: tools/shipped/docker.ts reads compose.yaml; images are not built (deploy/try-image.sh does), and nothing is restarted',
  'caddy, prometheus, alertmanager, node exporter, redis of compose: the versions of Debian. UDP 443 and IPv6 are not tried',
  'the public authority and DNS: an authority of the machine, and its /etc/hosts. MSG91: numbers that need no SMS',
];

interface Fault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** What the runner says then. */
  readonly found: RegExp;
}
const faults: readonly Fault[] = [
  {
    name: 'a variable that the server does not read, in one unit',
    file: 'deploy/systemd/unsaid-worker.service',
    from: 'Environment=',
    to: 'Environment=DATABASE_TIMEOUT_MS=60000 ',
    found: /unsaid-worker: no example lists DATABASE_TIMEOUT_MS/u,
  },
  {
    name: 'logins without a timeout',
    file: 'deploy/logins.sql',
    from: "(null, 'statement_timeout', '2000'),",
    to: '',
    found: /no statement_timeout/u,
  },
  {
    name: 'a login without its grant',
    file: 'deploy/logins.sql',
    from: "select format('grant %I to %I', granted, login) from login_roles",
    to: "select format('grant %I to %I', granted, login) from login_roles where role <> 'content'",
    found: /CONTENT_DATABASE_URL/u,
  },
  {
    name: 'a folder that does not exist',
    file: 'deploy/systemd/unsaid-probe.service',
    from: 'StateDirectory=unsaid-status',
    to: 'StateDirectory=unsaid-state',
    found: /unsaid-probe.*(?:EROFS|ENOENT|does not run)/u,
  },
  {
    name: 'a job that never runs',
    file: 'server/src/platform/jobs.ts',
    from: 'await boss.work(job.name,',
    to: "if (job.name !== 'purge-forgotten-accounts') await boss.work(job.name,",
    found: /never ran: purge-forgotten-accounts$/mu,
  },
];

/** Everything that it says, at the end, or as it comes. */
async function start(layout: string, command: readonly string[], edited = '', isQuiet = false) {
  const script = [join(root, 'tools/shipped/machine.sh'), layout, edited];
  const unshare = '--mount --net --pid --uts --fork --kill-child bash'.split(' ');
  const child = spawnChild(
    'unshare',
    [...unshare, ...script, 'node', 'tools/shipped/questions.ts', layout, ...command],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => {
      said += part.toString();
      if (!isQuiet) process.stdout.write(part);
    });
  const status = await new Promise<number | null>((resolve) => void child.on('close', resolve));
  return { said, status };
}

async function plant({ name, file, from, to, found }: Fault): Promise<string[]> {
  const edited = mkdtempSync(join(tmpdir(), 'unsaid-planted-'));
  const text = readFileSync(join(root, file), 'utf8');
  if (!text.includes(from)) return [`${name}: ${file} has no longer: ${from}`];
  mkdirSync(join(edited, dirname(file)), { recursive: true });
  writeFileSync(join(edited, file), text.replace(from, to));
  const { said, status } = await start('units', ['--short'], edited, true);
  rmSync(edited, { recursive: true });
  const line = said.split('\n').find((one) => found.test(one));
  console.log(`planted, ${name}: ${line ?? `not found\n${said}`}`);
  return status !== 0 && line !== undefined ? [] : [`${name} was not found`];
}

if (process.getuid?.() !== 0) {
  console.error('shipped: needs root, for a machine of its own (unshare)');
  process.exit(1);
}
if (spawnSync('dpkg', ['-s', ...packages]).status !== 0) {
  const install = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${packages.join(' ')} >/dev/null`;
  if (spawnSync('bash', ['-c', install], { stdio: 'inherit' }).status !== 0) process.exit(1);
}
const [first, ...command] = process.argv.slice(2);
const problems: string[] = [];
if (first === '--planted') {
  // Two at a time.
  const waiting = [...faults];
  const lane = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) problems.push(...(await plant(fault)));
  };
  await Promise.all([lane(), lane()]);
  conclude(problems, `shipped: ${faults.length} planted faults, each found`);
} else if (first === undefined) {
  for (const line of standIns) console.log(`stands in for ${line}`);
  const journeys = ['npx', 'playwright', 'test', '--config', 'e2e/roles/playwright.config.ts'];
  const isNight = process.env['TEST_TIER'] === 'full';
  const both = await Promise.all([start('units', isNight ? journeys : []), start('compose', [])]);
  for (const [index, { status }] of both.entries())
    if (status !== 0) problems.push(index === 0 ? 'units' : 'compose');
  conclude(problems, 'shipped: both layouts start and do their work');
} else if (first === 'units' || first === 'compose') {
  process.exitCode = (await start(first, command)).status ?? 1;
} else {
  console.error('shipped: units|compose [COMMAND…], --planted, or nothing');
  process.exitCode = 64;
}
