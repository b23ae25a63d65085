/**
 * npm run check:workflows: GitHub's own parser accepts the workflows, and they keep our rules (`judge`). Also tries the
 * path filters of ci-plan.ts on known changes. Each rule is tried on a workflow with a planted fault as well.
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';
import { partsByTier, planFor } from './ci-plan.ts';
import { filesInGit } from './files.ts';
import { conclude, root } from './test-reports.ts';

// The parser imports JSON without saying so, which Node refuses.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { registerLogger, validate } = await import('@actions/languageservice');
// It would only log what it could not parse.
registerLogger({
  error: (message) => {
    throw new Error(message);
  },
  warn: console.warn,
  info: () => {},
  log: () => {},
});

interface Job {
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly container?: { readonly image?: string };
  readonly with?: { readonly part?: string; readonly tier?: string };
  readonly permissions?: Record<string, string>;
  readonly 'timeout-minutes'?: unknown;
  readonly steps?: readonly { readonly name?: string; readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly on: Record<string, unknown>;
  readonly permissions?: Record<string, string>;
  readonly jobs: Record<string, Job>;
}
interface Updates {
  readonly updates: readonly {
    readonly directories: readonly string[];
    readonly cooldown?: { readonly 'default-days'?: number };
  }[];
}

const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
type Files = ReadonlyMap<string, string>;

let parsed = 0;
/** GitHub's parser: syntax, keys, expressions, and the inputs and outputs of other jobs and workflows. */
async function parseAsGitHub(files: Files, file: string): Promise<string[]> {
  // It remembers what it parsed, by address.
  parsed += 1;
  const document = TextDocument.create(`file:///${parsed}/${file}`, 'yaml', 1, files.get(file) ?? '');
  const found = await validate(document, {
    fileProvider: {
      getFileContent: (reference) => {
        const content = files.get(reference.path);
        if (content === undefined) return Promise.reject(new Error(`no such file: ${reference.path}`));
        return Promise.resolve({ name: reference.path, content });
      },
    },
  });
  return found.map(({ range, message }) => {
    const text = typeof message === 'string' ? message : message.value;
    return `${file}:${range.start.line + 1}: ${text}`;
  });
}

/** A `run` calls scripts of the repository, and only those that exist, so that each can be run on any machine. */
function judgeRun(run: string): string[] {
  const problems: string[] = [];
  const called = [...run.matchAll(/(?:^|[\s;&|])(?:bash|node|\.) ([\w./-]+)/gmu)].map(
    ([, file = '']) => file,
  );
  for (const file of called) if (!existsSync(`${root}${file}`)) problems.push(`no such file: ${file}`);
  const ran = [...run.matchAll(/npm run (?:-s )?([\w:-]+)/gu)].map(([, name = '']) => name);
  for (const name of ran) if (!(name in scripts)) problems.push(`no such script: ${name}`);
  if (called.length + ran.length === 0) problems.push('`run` calls no script of the repository');
  return problems;
}

function judgeJob(id: string, job: Job): string[] {
  const problems: string[] = [];
  if (!job.uses && job['timeout-minutes'] === undefined) problems.push('no timeout-minutes');
  if (typeof (job.permissions ?? {}) !== 'object') problems.push('permissions are not listed one by one');
  if ((job.container?.image ?? 'debian:bookworm') !== 'debian:bookworm')
    problems.push(`unknown image ${job.container?.image}`);
  for (const [scope, access] of Object.entries(job.permissions ?? {}))
    if (access === 'write' && !(id === 'issue' && scope === 'issues'))
      problems.push(`may not have the permission ${scope}: write`);
  for (const { name = '', uses, run } of [job, ...(job.steps ?? [])] as {
    name?: string;
    uses?: string;
    run?: string;
  }[]) {
    if (uses !== undefined && !/^\.\/|@[\da-f]{40}$/u.test(uses))
      problems.push(`${uses} is not pinned by its commit`);
    if (run?.includes('${{'))
      problems.push('an expression inside `run` can inject code: pass it through `env`');
    // These three call nothing of the repository: they fetch it, draw a number, or compare one.
    if (run !== undefined && !['checkout', 'seed', 'verdict'].includes(name)) problems.push(...judgeRun(run));
  }
  return problems;
}

const listOf = (needs: Job['needs']) => [needs ?? []].flat();

/** All problems of the workflows and of dependabot.yml. */
async function judge(files: Files): Promise<string[]> {
  const problems: string[] = [];
  const checkouts = new Set<string>();
  for (const [file, text] of files) {
    if (!file.includes('/workflows/')) continue;
    problems.push(...(await parseAsGitHub(files, file)));
    const { on, permissions, jobs } = parse(text) as Workflow;
    if (JSON.stringify(permissions) !== '{"contents":"read"}')
      problems.push(`${file}: permissions are not contents: read`);
    const events = typeof on === 'object' && !Array.isArray(on) ? Object.keys(on) : [on].flat().map(String);
    if (events.includes('pull_request_target'))
      problems.push(`${file}: pull_request_target gives a stranger's code our token`);
    if (text.includes('continue-on-error')) problems.push(`${file}: continue-on-error hides a failure`);
    if (/\bsecrets\b/u.test(text)) problems.push(`${file}: uses secrets; github.token is enough`);
    for (const [id, job] of Object.entries(jobs)) {
      problems.push(...judgeJob(id, job).map((problem) => `${file}: job ${id}: ${problem}`));
      for (const step of job.steps ?? []) if (step.name === 'checkout') checkouts.add(JSON.stringify(step));
    }
  }
  const known = new Set(
    [...(files.get('.ci/run') ?? '').matchAll(/\bhas (\w+)/gu)].map(([, part = '']) => part),
  );
  const unknown = known.symmetricDifference(new Set<string>(partsByTier.full));
  if (unknown.size > 0) problems.push(`.ci/run and ci-plan.ts disagree about: ${[...unknown].join(', ')}`);
  if (checkouts.size !== 1) problems.push('the steps called checkout differ');

  for (const [tier, last] of [
    ['change', 'change'],
    ['full', 'issue'],
  ] as const) {
    const { jobs } = parse(files.get(`.github/workflows/${tier}.yml`) ?? '') as Workflow;
    for (const part of partsByTier[tier])
      if (
        !(
          jobs[part]?.steps ??
          (jobs[part]?.with?.part === part && (jobs[part].with.tier ?? 'change') === tier)
        )
      )
        problems.push(`${tier}.yml: no job runs ${part}`);
    // A job that is skipped by mistake must not count as passed.
    if (tier === 'change') {
      if (jobs['change']?.if !== 'always()') problems.push('change.yml: job change does not always run');
      for (const part of partsByTier.change.filter((one) => one !== 'checks'))
        if (jobs[part]?.if !== `contains(fromJSON(needs.plan.outputs.parts), '${part}')`)
          problems.push(`change.yml: job ${part} does not follow the plan`);
    }
    for (const id of Object.keys(jobs))
      if (id !== last && !listOf(jobs[last]?.needs).includes(id))
        problems.push(`${tier}.yml: job ${last} does not wait for ${id}`);
  }

  const age = Number(/^min-release-age=(\d+)$/mu.exec(read('.npmrc'))?.[1]);
  for (const { directories, cooldown } of (parse(files.get('.github/dependabot.yml') ?? '') as Updates)
    .updates) {
    if (cooldown?.['default-days'] !== age) problems.push(`dependabot.yml: not ${age} days, as in .npmrc`);
    for (const directory of directories)
      if (!existsSync(`${root}${directory}`)) problems.push(`dependabot.yml: no such folder: ${directory}`);
  }
  return problems;
}

const files: Files = new Map(
  filesInGit('.github/*.yml', '.github/workflows/*.y*ml', '.ci/run').map((file) => [file, read(file)]),
);
const problems = await judge(files);

/** A fault, planted by replacing text in a file, and what must be reported. */
const faults: readonly (readonly [file: string, from: string, to: string, report: RegExp])[] = [
  ['workflows/change.yml', 'runs-on:', 'runs_on:', /Unexpected value 'runs_on'/u],
  [
    'workflows/change.yml',
    'needs.server.outputs.results',
    'needs.server.outputs.result',
    /invalid: result$/u,
  ],
  ['workflows/change.yml', '{ part: server }', '{ part: server, speed: 3 }', /speed/u],
  ['workflows/full.yml', "'30 20 * * *'", "'30 25 * * *'", /cron/iu],
  ['workflows/part.yml', 'contents: read', 'contents: write', /permissions are not/u],
  ['workflows/full.yml', 'actions: read', 'actions: write', /may not have the permission actions/u],
  ['workflows/change.yml', '  pull_request:', '  pull_request_target:', /pull_request_target/u],
  ['workflows/change.yml', 'github.token', 'secrets.DEPLOY_KEY', /uses secrets/u],
  ['workflows/change.yml', 'timeout-minutes: 5', 'continue-on-error: true', /no timeout-minutes/u],
  ['workflows/change.yml', 'timeout-minutes: 5', 'continue-on-error: true', /hides a failure/u],
  ['workflows/change.yml', "parts), 'proofs')", "parts), 'proof')", /proofs does not follow the plan/u],
  ['workflows/change.yml', 'if: always()', 'if: success()', /does not always run/u],
  ['workflows/part.yml', 'image: debian:bookworm', 'image: someone/else:latest', /unknown image/u],
  ['workflows/change.yml', '- id: plan', '- uses: actions/checkout@v6\n      - id: plan', /not pinned/u],
  ['workflows/change.yml', '--base "$BASE"', '--base ${{ github.head_ref }}', /inject code/u],
  ['workflows/change.yml', 'jq -en', 'jq -en ${{ github.head_ref }}', /inject code/u],
  ['workflows/change.yml', 'node tools/ci-plan.ts', 'node tools/ci-plans.ts', /no such file/u],
  ['workflows/part.yml', 'bash .ci/run "$PART"', 'npm run tests', /no such script/u],
  ['workflows/part.yml', 'run: bash .ci/results', 'run: echo', /calls no script/u],
  ['workflows/part.yml', 'git init -q', 'git init', /checkout differ/u],
  ['workflows/change.yml', 'with: { part: proofs }', 'with: { part: server }', /no job runs proofs/u],
  ['workflows/full.yml', 'part: image, tier: full', 'part: image', /no job runs image/u],
  [
    'workflows/change.yml',
    'needs: [plan, checks, server, proofs, journeys, shipped, requirements]',
    'needs: [plan, checks]',
    /does not wait for proofs/u,
  ],
  ['.ci/run', 'has supply', 'has deliveries', /disagree about: deliveries, supply/u],
  ['dependabot.yml', 'default-days: 7', 'default-days: 1', /not 7 days/u],
];
for (const [name, from, to, report] of problems.length === 0 ? faults : []) {
  const file = name.startsWith('.') ? name : `.github/${name}`;
  const text = files.get(file) ?? '';
  const found = await judge(
    new Map(files).set(
      file,
      text.replace(from, () => to),
    ),
  );
  if (!text.includes(from)) problems.push(`planted fault: ${name} no longer has: ${from}`);
  else if (!found.some((problem) => report.test(problem)))
    problems.push(`planted fault not found: ${from} -> ${to}; reported: ${found.join('; ') || 'nothing'}`);
}

/** Changed files, and the parts that they need. `server/test/a.proof.test.ts` of the planted sources reads one page. */
const planted = new Map([
  ['server/test/a.proof.test.ts', "readFileSync(new URL('../../docs/read.md', import.meta.url))"],
  ['server/test/b.test.ts', "globSync('../deploy/systemd/*.service')"],
  ['e2e/tests/c.spec.ts', "join(root, 'docs', 'joined.md')"],
  ['testkit/d.ts', "spawn('bench/tool.ts')"],
]);
const everything = partsByTier.change.join(' ');
const plans: readonly (readonly [changed: string, parts: string])[] = [
  ['docs/page.md', 'checks'],
  ['README.md', 'checks'],
  ['docs/read.md', 'checks proofs'],
  ['docs/joined.md', 'checks journeys'],
  ['deploy/Caddyfile', 'checks shipped'],
  ['deploy/systemd/unsaid-api@.service', 'checks server shipped'],
  ['bench/run.ts', 'checks'],
  ['bench/tool.ts', 'checks server proofs journeys requirements'],
  ['web/src/main.tsx', 'checks journeys'],
  ['web/src/main.tsx docs/read.md', 'checks proofs journeys'],
  ['e2e/tests/fixtures.ts', 'checks journeys'],
  ['e2e/tests/c.spec.ts', everything],
  ['server/src/app.ts', everything],
  ['contract/src/vents.ts', everything],
  ['guard/src/crisis.ts', everything],
  ['testkit/d.ts', everything],
  ['tools/dev.ts', everything],
  ['.ci/run', everything],
  ['.github/workflows/change.yml', everything],
  ['package-lock.json', everything],
  ['web/package.json', everything],
  ['docs/proofs.json', everything],
  ['docs/page.md new-folder/file', everything],
  ['', everything],
];
for (const [changed, expected] of plans) {
  const parts = planFor(changed.split(' ').filter(Boolean), planted).parts.join(' ');
  if (parts !== expected) problems.push(`plan for «${changed}»: ${parts}, not ${expected}`);
}
// The sources as they are: this page is read by a proof.
if (planFor(['docs/known-exceptions.md']).parts.join(' ') !== 'checks proofs')
  problems.push('plan for docs/known-exceptions.md: the test that reads it was not found');

conclude(
  problems,
  `workflows: ${files.size} files, ${faults.length} planted faults found, ${plans.length + 1} plans as expected`,
);
