/**
 * npm run check:advisories: asks the registry for advisories on the locked packages (`npm audit`) and verifies the
 * registry's signatures (`npm audit signatures`). Fails for production dependencies from moderate, for development
 * dependencies from high, and when the registry does not answer. security/exceptions.json may except a package from one
 * advisory: { "GHSA-…": { "package": "…", "because": "…", "until": "2027-01-31" } }.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { conclude, root } from './test-reports.ts';

const severities = ['info', 'low', 'moderate', 'high', 'critical'] as const;
type Severity = (typeof severities)[number];
const isAtLeast = (severity: Severity, least: Severity) =>
  severities.indexOf(severity) >= severities.indexOf(least);

interface Advisory {
  readonly name: string;
  readonly severity: Severity;
  readonly title: string;
  readonly url: string;
}
/** The output of `npm audit --json`. `via` holds advisories, and names of packages that depend on a vulnerable one. */
interface Audit {
  readonly auditReportVersion?: number;
  readonly message?: string;
  readonly vulnerabilities?: Record<string, { readonly via: readonly (Advisory | string)[] }>;
  readonly metadata?: { readonly dependencies: { readonly total: number } };
}
interface Exception {
  readonly package: string;
  readonly because: string;
  readonly until: string;
}
type Exceptions = Record<string, Exception>;

function advisoriesOf(audit: Audit): Map<string, Advisory> {
  const all = Object.values(audit.vulnerabilities ?? {}).flatMap(({ via }) => via);
  return new Map(
    all
      .filter((entry) => typeof entry !== 'string')
      .map((advisory) => [`${advisory.url.split('/').at(-1)} ${advisory.name}`, advisory]),
  );
}

/** Problems of one lock file: `production` is the audit without development dependencies. */
function judge(whole: Audit, production: Audit, exceptions: Exceptions, today: string): string[] {
  // Without this field the answer is an error, and no advisories would look like no problems.
  for (const audit of [whole, production])
    if (audit.auditReportVersion !== 2)
      return [`the registry gave no advisories: ${audit.message ?? 'no reason'}`];
  const problems: string[] = [];
  const shipped = advisoriesOf(production);
  const found = advisoriesOf(whole);
  for (const [key, { name, severity, title, url }] of found) {
    const [id = ''] = key.split(' ');
    if (!isAtLeast(severity, shipped.has(key) ? 'moderate' : 'high')) continue;
    const exception = exceptions[id];
    if (exception?.package === name && exception.until >= today) continue;
    const ended = exception?.package === name ? ` (its exception ended on ${exception.until})` : '';
    problems.push(
      `${name}: ${severity}, ${shipped.has(key) ? 'production' : 'development'}: ${title}, ${url}${ended}`,
    );
  }
  return problems;
}

/** Each exception has a reason, ends within half a year, and is still needed. */
function judgeExceptions(exceptions: Exceptions, found: ReadonlySet<string>, today: string): string[] {
  const latest = new Date(Date.parse(today) + 183 * 86_400_000).toISOString().slice(0, 10);
  return Object.entries(exceptions).flatMap(([id, { package: name, because, until }]) => [
    ...(because.length < 20 ? [`${id}: says no reason`] : []),
    ...(/^\d{4}-\d\d-\d\d$/u.test(until) && until <= latest ? [] : [`${id}: must end by ${latest}`]),
    ...(found.has(`${id} ${name}`)
      ? []
      : [`${id}: no advisory for ${name} any more, so delete the exception`]),
  ]);
}

/** Tries the rules on planted answers, so that an audit that finds nothing means something. */
function selfCheck(): string[] {
  const answer = (...severityByName: readonly (readonly [string, Severity])[]): Audit => ({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      severityByName.map(([name, severity]) => [
        name,
        { via: ['other', { name, severity, title: 'planted', url: `https://example.org/GHSA-${name}` }] },
      ]),
    ),
  });
  const because = 'a reason that is long enough';
  const day = '2026-11-17';
  const none = answer();
  const cases: readonly (readonly [name: string, problems: readonly string[], expected: number])[] = [
    ['nothing', judge(none, none, {}, day), 0],
    ['production, low', judge(answer(['a', 'low']), answer(['a', 'low']), {}, day), 0],
    ['production, moderate', judge(answer(['a', 'moderate']), answer(['a', 'moderate']), {}, day), 1],
    ['development, moderate', judge(answer(['a', 'moderate']), none, {}, day), 0],
    ['development, high', judge(answer(['a', 'high'], ['b', 'critical']), none, {}, day), 2],
    [
      'excepted',
      judge(answer(['a', 'high']), none, { 'GHSA-a': { package: 'a', because, until: day } }, day),
      0,
    ],
    [
      'ended',
      judge(answer(['a', 'high']), none, { 'GHSA-a': { package: 'a', because, until: '2026-11-16' } }, day),
      1,
    ],
    [
      'another package',
      judge(answer(['a', 'high']), none, { 'GHSA-a': { package: 'b', because, until: day } }, day),
      1,
    ],
    ['no answer', judge({ message: '405' }, none, {}, day), 1],
    ['no answer for production', judge(none, {}, {}, day), 1],
    ['not needed', judgeExceptions({ 'GHSA-a': { package: 'a', because, until: day } }, new Set(), day), 1],
    [
      'too long',
      judgeExceptions(
        { 'GHSA-a': { package: 'a', because, until: '2030-01-01' } },
        new Set(['GHSA-a a']),
        day,
      ),
      1,
    ],
    [
      'no reason',
      judgeExceptions({ 'GHSA-a': { package: 'a', because: '', until: day } }, new Set(['GHSA-a a']), day),
      1,
    ],
  ];
  return cases
    .filter(([, { length }, expected]) => length !== expected)
    .map(([name, found, expected]) => `planted answer «${name}»: ${found.length} problems, not ${expected}`);
}

function npm(
  folder: string,
  ...args: string[]
): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  return spawnSync('npm', [...args, '--loglevel=error'], {
    cwd: `${root}${folder}`,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}
function audit(folder: string, ...args: string[]): Audit {
  const { stdout, stderr } = npm(folder, 'audit', '--json', '--package-lock-only', ...args);
  try {
    return JSON.parse(stdout) as Audit;
  } catch {
    return { message: stderr.trim().split('\n').at(-1) ?? '' };
  }
}

const problems = selfCheck();
const exceptions = JSON.parse(readFileSync(`${root}security/exceptions.json`, 'utf8')) as Exceptions;
const today = new Date().toISOString().slice(0, 10);
const known = new Set<string>();
const summary: string[] = [];
for (const folder of ['', 'tools/node']) {
  const whole = audit(folder);
  problems.push(
    ...judge(whole, audit(folder, '--omit=dev'), exceptions, today).map(
      (text) => `${folder || '.'}: ${text}`,
    ),
  );
  for (const key of advisoriesOf(whole).keys()) known.add(key);
  summary.push(`${whole.metadata?.dependencies.total ?? 0} packages of ${folder || '.'}`);
}
problems.push(...judgeExceptions(exceptions, known, today));
const signatures = npm('', 'audit', 'signatures');
if (signatures.status !== 0)
  problems.push(`signatures could not be verified: ${(signatures.stdout + signatures.stderr).trim()}`);

conclude(
  problems,
  `advisories: ${summary.join(', ')}; ${Object.keys(exceptions).length} exceptions; signatures verified`,
);
