/**
 * npm run check:scripts -- [--only bench:guard,seed] [--list]: runs every bench, drill and measurement of package.json at its smallest
 * size, and prints a table: script, seconds, last line. Also red: a script without a smallest size here; --help or an unknown
 * option that does not end in one line, with the code that says so; anything that is left behind (databases, roles, keys in
 * Redis, temporary files, processes) or overwritten (files in git, reports of tests). --list looks for sizes alone.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable } from '../bench/lib/markdown-table.ts';
import { psql } from '../bench/lib/psql.ts';
import { deleteKeys, dropDatabase } from '../testkit/leftovers.ts';
import { readOptions } from '../testkit/options.ts';
import { migrate, repo } from '../testkit/server-process.ts';
import { findServices, urlOfDatabase } from './services.ts';
import { conclude } from './test-reports.ts';

const small = ['--requests', '20', '--rounds', '1', '--seconds', '1', '--clients', '8'];

/** By script, the options that make it as short as it gets. */
const smallest: Readonly<Record<string, readonly string[]>> = {
  bench: ['--sizes', '1000', '--people', '1000', ...small],
  'bench:matches': ['--people', '1000', ...small],
  'bench:hot-vent': small,
  'bench:pentest': ['--seconds', '20'],
  'bench:live': [
    ...['--sockets', '100', '--vents', '500', '--seconds', '30', '--drain', '2000'],
    ...['--only', 'api killed'],
  ],
  'bench:moderation': ['--cases', '100', '--decisions', '30'],
  'bench:matching-quality': ['--people', '200', '--days', '2'],
  'bench:profile': ['--size', '1000', '--seconds', '1'],
  'bench:search': ['--size', '1000', '--requests', '2'],
  'bench:distributed': ['--size', '2000', '--rounds', '3'],
  'bench:faults': ['--groups', 'stores', '--only', 'worker killed', '--rounds', '1'],
  'bench:heard': ['--days', '4'],
  'bench:guard': ['--times', '1'],
  'bench:cluster': ['--calls', '2000'],
  'bench:compare': ['--old', '.', '--vents', '1000', '--requests', '10', '--seconds', '1'],
  'bench:night': ['--vents', '1000', '--comments', '500', '--reactions', '500', '--seconds', '2'],
  'bench:otp-abuse': ['--hours', '1', '--crowd', '10'],
  'bench:partner': ['--people', '100'],
  'bench:polling': ['--people', '100'],
  'bench:pooler': ['--processes', '2', '--rounds', '5', '--connections', '20'],
  'bench:standby': ['--writes', '60', '--rounds', '1', '--vents', '500'],
  'bench:privacy': ['--runs', '1'],
  'drill:alerts': [],
  'drill:restore': [],
  'drill:rollback': [],
  'drill:runbook': ['Redis'],
  'measure:guard': [],
  'measure:costs': ['--users', '200', '--vents', '1000'],
  'train:crisis': [],
  firefox: [],
  lighthouse: ['--runs', '1', '--only', '/login'],
  phone: ['--runs', '1'],
  seed: ['--users', '5', '--vents', '20'],
  speed: [],
};

/** Scripts that measure nothing, and that neither .ci/run nor another script names. */
const others = new Set([
  ...[
    'check',
    'ci:plan',
    'dev',
    'docs',
    'format',
    'helplines',
    'openapi',
    'start',
    'test',
    'test:full',
    'worker',
  ],
  ...['db:migrate', 'db:schema', 'keys', 'moderators', 'reports', 'switches', 'team'],
]);

const mostMinutes = 30;
const { only, list } = readOptions({ only: Object.keys(smallest), list: false });
const { scripts } = JSON.parse(readFileSync(`${repo}package.json`, 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

function findUnknown(): string[] {
  const ci = readFileSync(`${repo}.ci/run`, 'utf8');
  const texts = [ci, ...Object.values(scripts)].join('\n');
  const isMeasurement = (name: string) => /^(?:bench|drill|measure)\b/u.test(name);
  const isNamed = (name: string) => new RegExp(`npm run (?:-s )?"?${name}(?![\\w:-])`, 'u').test(texts);
  const isKnown = (name: string) =>
    name in smallest || (!isMeasurement(name) && (others.has(name) || isNamed(name)));
  return [
    ...Object.keys(scripts)
      .filter((name) => !isKnown(name))
      .map((name) => `${name}: no smallest size in check-scripts.ts`),
    ...[...Object.keys(smallest), ...others]
      .filter((name) => !(name in scripts))
      .map((name) => `${name}: in check-scripts.ts and not in package.json`),
    ...[...ci.matchAll(/npm run (?:-s )?([\w:-]+)/gu)]
      .map(([, name = '']) => name)
      .filter((name) => !(name in scripts))
      .map((name) => `${name}: in .ci/run and not in package.json`),
  ];
}

const problems = findUnknown();
if (list) conclude(problems, `scripts: ${Object.keys(smallest).length} have a smallest size`);
else checkAll();

function checkAll(): void {
  const services = findServices();
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-scripts-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o1777);
  const ownUrl = urlOfDatabase(services.DATABASE_URL, `unsaid_scripts_${process.pid}`);
  const prefix = 'scripts:';
  const env = {
    ...process.env,
    ...services,
    DATABASE_URL: ownUrl,
    REDIS_PREFIX: prefix,
    TMPDIR: folder,
    CI: undefined,
  };

  const kept = /^database unsaid_bench_(?:vents|matches|old|new)_\d+$/u;

  function processesOfScripts(): string[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
      .flatMap((pid) => {
        try {
          if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`TMPDIR=${folder}\0`)) return [];
          return [
            `process ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').slice(0, 80)}`,
          ];
        } catch {
          return [];
        }
      });
  }

  /** The same list before and after each script. */
  function listTraces(): Set<string> {
    const lines = (text: string, what: string) =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => `${what} ${line}`);
    const run = (file: string, ...args: string[]) =>
      execFileSync(file, args, { cwd: repo, encoding: 'utf8' });
    const diff = createHash('sha256').update(run('git', 'diff')).digest('hex').slice(0, 8);
    return new Set([
      ...lines(psql(ownUrl, 'select datname from pg_database'), 'database'),
      ...lines(psql(ownUrl, 'select rolname from pg_roles'), 'role'),
      ...lines(run('redis-cli', '-u', services.REDIS_URL, '--scan'), 'key'),
      ...readdirSync(folder).map((name) => `temporary file ${name}`),
      ...lines(run('git', 'status', '--porcelain'), `file in git (${diff})`),
      ...globSync(`${repo}reports/{change,full}/*.json`).map(
        (file) => `report ${file.slice(repo.length)} of ${statSync(file).mtime.toISOString()}`,
      ),
      ...processesOfScripts(),
    ]);
  }

  interface Ended {
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }
  function run(name: string, args: readonly string[]): Ended {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', name, '--', ...args], {
      cwd: repo,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
      timeout: mostMinutes * 60_000,
    });
    return { code: status, stdout, stderr };
  }
  const linesOf = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);

  /** --help and an unknown option. */
  function checkOptions(name: string): string[] {
    return (
      [
        ['--help', 0, 'stdout'],
        ['--no-such-option', 64, 'stderr'],
      ] as const
    ).flatMap(([option, wanted, stream]) => {
      const ended = run(name, [option]);
      const count = linesOf(ended.stdout).length + linesOf(ended.stderr).length;
      return ended.code === wanted && count === 1 && linesOf(ended[stream]).length === 1
        ? []
        : [`${name} ${option}: ${count} lines, code ${ended.code}`];
    });
  }

  const rows: string[][] = [];
  function check(name: string, args: readonly string[], mayStay?: RegExp): void {
    const before = listTraces();
    const begunAt = performance.now();
    const { code, stdout, stderr } = run(name, args);
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(0);
    const last = (linesOf(stdout).at(-1) ?? linesOf(stderr).at(-1) ?? '').replaceAll('|', ' ').trim();
    const left = [...listTraces().difference(before)].filter((trace) => !mayStay?.test(trace));
    const isRed = code !== 0 || left.length > 0;
    rows.push([[name, ...args].join(' '), seconds, isRed ? 'RED' : 'green', last.slice(0, 110)]);
    console.log(`${isRed ? 'RED  ' : 'green'} ${seconds.padStart(5)} s  ${name}: ${last.slice(0, 110)}`);
    if (code !== 0) {
      problems.push(`${name}: ended with ${code ?? 'a signal'}`);
      console.log([...stdout.split('\n').slice(-40), ...stderr.split('\n').slice(-40)].join('\n'));
    }
    if (left.length > 0) problems.push(`${name} left: ${left.join('; ')}`);
  }

  try {
    migrate({ ...services, NODE_ENV: 'test', DATABASE_URL: ownUrl });
    for (const name of only) {
      problems.push(...checkOptions(name));
      check(name, smallest[name] ?? [], kept);
    }
    const before = [...listTraces()].filter((trace) => kept.test(trace));
    check('bench', ['--drop']);
    const stayed = before.filter((trace) => listTraces().has(trace));
    if (stayed.length > 0) problems.push(`bench --drop left: ${stayed.join('; ')}`);
  } finally {
    dropDatabase(ownUrl);
    deleteKeys(services.REDIS_URL, prefix);
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\n${markdownTable(['script', 'seconds', 'result', 'last line'], rows)}\n`);
  for (const problem of problems) console.error(problem);
  console.log(`${rows.length} scripts, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
