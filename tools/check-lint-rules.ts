/**
 * Checks that the import rules of oxlint.config.ts work. oxlint ignores a pattern that it cannot compile, and in
 * `overrides` the last match replaces the ones before it, so a rule can stop working without an error. Plants a static
 * and a dynamic import for each case in a temporary folder, and expects oxlint to report both or neither.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import config from '../oxlint.config.ts';
import { schemaNames } from '../server/src/db/schemas.ts';
import { conclude, root } from './test-reports.ts';

type Verdict = 'allowed' | 'refused';

/** From the top: a folder imports those below it. The schemas are one floor and do not see each other. */
const floors = [['bin'], ['person'], schemaNames, ['kernel'], ['platform', 'db']] as const;

/** Every import that goes up or sideways, from files one, two and three folders deep. */
function forbiddenBetweenFolders(): [file: string, specifier: string][] {
  return floors
    .flatMap((floor, n) =>
      floor.flatMap((folder) => {
        const above = floors.slice(0, n).flat();
        const beside = n < floors.length - 1 ? floor.filter((other) => other !== folder) : [];
        return [1, 2, 3].flatMap((depth) =>
          [...above, ...beside].map((other): [string, string] => [
            `server/src/${folder}/${'sub/'.repeat(depth - 1)}planted.ts`,
            `${'../'.repeat(depth)}${other}/planted.ts`,
          ]),
        );
      }),
    )
    .concat(
      floors
        .slice(1)
        .flat()
        .flatMap((folder) =>
          ['app', 'config', 'deps', 'features'].map((file): [string, string] => [
            `server/src/${folder}/planted.ts`,
            `../${file}.ts`,
          ]),
        ),
    );
}

const imports: Record<Verdict, readonly (readonly [file: string, specifier: string])[]> = {
  refused: [
    ['contract/src/vents.ts', 'kysely'],
    ['contract/src/vents.ts', 'node:crypto'],
    ['contract/src/vents.ts', '@unsaid/server'],
    ['contract/src/vents.ts', '../../server/src/config.ts'],
    ['contract/src/vents.ts', '@unsaid/guard/crisis'],
    ['guard/src/crisis.ts', 'zod'],
    ['guard/src/crisis.ts', 'node:fs'],
    ['guard/src/crisis.ts', '@unsaid/contract'],
    ['guard/src/crisis.ts', '../../contract/src/text.ts'],
    ['guard/test/crisis.test.ts', '@unsaid/contract'],
    ['server/src/app.ts', '../../guard/src/crisis.ts'],
    ['server/src/app.ts', '@unsaid/web'],
    ['server/src/app.ts', '../../web/src/lib/session.ts'],
    ['server/src/app.ts', '../../testkit/server-process.ts'],
    ['server/src/bin/api.ts', '../../../tools/services.ts'],
    ['server/src/app.ts', '../seed/people.ts'],
    ['server/src/bin/api.ts', '../../seed/people.ts'],
    ['server/src/platform/redis.ts', '../../seed/people.ts'],
    ['server/src/content/vents/vents.ts', '../../seed/people.ts'],
    ['server/seed/people.ts', '../../web/src/lib/session.ts'],
    ...forbiddenBetweenFolders(),
    ['server/src/platform/redis.ts', './../app.ts'],
    ['server/src/content/vents/vents.ts', '../../../test/app.ts'],
    ['server/src/person/inbox/inbox.ts', '../../content/comments/threads.queries.ts'],
    ['server/src/person/inbox/inbox.ts', '../../platform/db.ts'],
    ['server/src/content/vents/vents.queries.ts', '../context.ts'],
    ['server/src/identity/accounts/accounts.queries.ts', '../context.ts'],
    ['server/src/content/vents/vents.queries.ts', '../../platform/prepared-sql.ts'],
    ['server/src/content/vents/vents.ts', '../../platform/prepared-sql.ts'],
    ['server/src/matching/matches.queries.ts', '../platform/prepared-sql.ts'],
    ['server/src/content/feed/feed.hot.queries.ts', '../context.ts'],
    ['server/src/content/vents/vents.view.ts', './vents.queries.ts'],
    ['server/src/content/vents/vents.view.ts', '../comments/comments.queries.ts'],
    ['server/test/vents.test.ts', '../../web/src/lib/session.ts'],
    ['web/src/app/router.tsx', '@unsaid/server'],
    ['web/src/app/router.tsx', '../../../server/src/config.ts'],
    ['web/src/ui/button.tsx', '../features/vents/vents.api.ts'],
    ['web/src/ui/button.tsx', '../app/router.tsx'],
    ['web/src/lib/session.ts', '../features/auth/auth.api.ts'],
    ['web/src/features/vents/feed.page.tsx', '../matches/matches.api.ts'],
    ['web/src/features/vents/feed.page.tsx', '../../app/router.tsx'],
    ['web/src/features/vents/feed.page.tsx', '../../main.tsx'],
    ['web/src/features/vents/feed/feed.page.tsx', '../../matches/matches.api.ts'],
    ['web/src/features/vents/feed/feed.page.tsx', '../../../app/router.tsx'],
    ['web/src/app/router.tsx', '../../mod/api.ts'],
    ['web/src/main.tsx', '../mod/main.tsx'],
    ['web/src/main.tsx', '@unsaid/contract/moderation/console'],
    ['web/src/lib/session.ts', '@unsaid/contract/moderation/console'],
    ['web/src/features/vents/feed.page.tsx', '@unsaid/contract/moderation/console'],
    ['web/src/features/vents/feed/feed.page.tsx', '@unsaid/contract/moderation/console'],
    ['web/mod/session.ts', '../src/lib/session.ts'],
    ['web/mod/session.ts', '../../server/src/config.ts'],
    ['web/mod/lib/words.ts', '../screens/cases.tsx'],
    ['web/mod/lib/words.ts', '../session.ts'],
    ['web/mod/lib/words.ts', '../../src/lib/session.ts'],
    ['web/mod/ui/button.tsx', '../../src/ui/button.tsx'],
    ['web/mod/screens/cases.tsx', '../app.tsx'],
    ['web/mod/screens/cases.tsx', '../../src/lib/api-client.ts'],
    ['web/mod/screens/case/texts.tsx', '../../shell.tsx'],
    ['web/mod/screens/case/texts.tsx', '../cases.tsx'],
    ['e2e/tests/journeys.spec.ts', '@unsaid/server'],
    ['e2e/tests/journeys.spec.ts', '../../server/test/app.ts'],
    ['bench/run.ts', '@unsaid/server'],
  ],
  allowed: [
    ['contract/src/vents.ts', 'zod'],
    ['contract/src/vents.ts', './errors.ts'],
    ['guard/src/crisis.ts', './fold.ts'],
    ['guard/test/crisis.test.ts', '../../testkit/growth.ts'],
    ['server/src/app.ts', '@unsaid/contract'],
    ['server/src/app.ts', '@unsaid/guard/crisis'],
    ['web/src/lib/session.ts', '@unsaid/guard/helplines'],
    ['server/src/bin/api.ts', '../app.ts'],
    ['server/src/platform/redis.ts', '@unsaid/contract'],
    ['server/src/platform/redis.ts', './http/bind.ts'],
    ['server/src/platform/http/bind.ts', '../redis.ts'],
    ['server/src/platform/http/bind.ts', '../../db/schema.ts'],
    ['server/src/kernel/viewer.ts', '../platform/crypto/keys.ts'],
    ['server/src/content/vents/vents.ts', './vents.queries.ts'],
    ['server/src/content/vents/vents.ts', '../feed/feed.hot.queries.ts'],
    ['server/src/content/vents/vents.ts', '../../kernel/viewer.ts'],
    ['server/src/content/vents/vents.ts', '../../platform/http/bind.ts'],
    ['server/src/person/inbox/inbox.ts', '../../content/comments/comments.ts'],
    ['server/src/features.ts', './content/index.ts'],
    ['server/src/content/feed/feed.hot.queries.ts', '../../platform/prepared-sql.ts'],
    ['server/src/platform/db.ts', './prepared-sql.ts'],
    ['server/src/content/vents/vents.ts', '../comments/comments.ts'],
    ['server/src/identity/otp/otp.ts', './otp.queries.ts'],
    ['server/src/identity/otp/otp.ts', '../devices.ts'],
    ['server/src/identity/otp/otp.ts', '../../platform/redis.ts'],
    ['server/test/vents.test.ts', '../src/content/vents/vents.queries.ts'],
    ['server/test/vents.test.ts', '../seed/people.ts'],
    ['server/seed/people.ts', '../src/content/vents/vents.queries.ts'],
    ['web/src/ui/button.tsx', '../lib/session.ts'],
    ['web/src/features/vents/feed.page.tsx', './vents.api.ts'],
    ['web/src/features/vents/feed.page.tsx', './feed/pager.tsx'],
    ['web/src/features/vents/feed.page.tsx', '../../ui/button.tsx'],
    ['web/src/features/vents/feed/feed.page.tsx', '../vents.api.ts'],
    ['web/src/features/vents/feed/feed.page.tsx', '../compose/composer.tsx'],
    ['web/src/features/vents/feed/feed.page.tsx', '../../../lib/session.ts'],
    ['web/src/app/router.tsx', '../features/vents/feed.page.tsx'],
    ['web/mod/session.ts', '@unsaid/contract/moderation/console'],
    ['web/mod/lib/words.ts', '../api.ts'],
    ['web/mod/lib/words.ts', '../../src/lib/browser-setting.ts'],
    ['web/mod/ui/button.tsx', '../lib/words.ts'],
    ['web/mod/screens/cases.tsx', '../session.ts'],
    ['web/mod/screens/case/texts.tsx', '../../api.ts'],
    ['web/mod/screens/case/texts.tsx', './draft.ts'],
    ['bench/run.ts', '../server/src/config.ts'],
  ],
};

/** Other rules that hold in some folders only. */
const lines: Record<Verdict, readonly (readonly [file: string, text: string])[]> = {
  refused: [
    [
      'server/src/content/vents/vents.ts',
      "import type { Databases } from '../../platform/db.ts'; export type A = Databases;",
    ],
    [
      'server/src/content/vents/vents.ts',
      "import type { Person } from '../../person/planted.ts'; export type B = Person;",
    ],
    ['server/src/content/vents/vents.ts', 'console.log(1);'],
    ['server/src/platform/redis.ts', 'export const url = process.env.REDIS_URL;'],
    ['web/src/features/vents/vents.api.ts', "void fetch('/');"],
    ['web/src/lib/session.ts', "void fetch('/');"],
    ['web/src/features/vents/vents.api.ts', 'localStorage.clear();'],
    ...[
      'let a;',
      'export let b = 1;',
      'const c = new Map<string, string>();',
      'export const d = new Set();',
    ].map((text) => ['web/src/features/vents/vents.api.ts', text] as const),
    ['web/src/features/vents/feed/feed.page.tsx', 'const store = createStore(0);'],
    ['web/src/features/vents/feed/feed.page.tsx', 'const list: string[] = [];'],
    ['web/mod/session.ts', "void fetch('/');"],
    ['web/mod/screens/cases.tsx', "void fetch('/');"],
    ['web/mod/screens/case/texts.tsx', 'localStorage.clear();'],
    ['web/mod/api.ts', 'localStorage.clear();'],
  ],
  allowed: [
    ['server/src/bin/keys.ts', 'console.log(1);'],
    ['server/src/config.ts', 'export const env = process.env;'],
    ['server/src/content/vents/vents.view.ts', "export type { VentRow } from './vents.queries.ts';"],
    [
      'server/src/content/vents/vents.view.ts',
      "import type { A } from './vents.queries.ts'; export type B = A;",
    ],
    ['web/src/lib/api-client.ts', "void fetch('/');"],
    ['web/src/lib/session.ts', 'localStorage.clear();'],
    ['web/src/lib/session.ts', 'let token;'],
    ['web/src/features/vents/vents.api.ts', 'const hidden = createSessionStore(0);'],
    ['web/src/features/vents/vents.api.ts', 'export function count() { let n = 0; return n; }'],
    ['web/src/features/vents/vents.test.ts', 'let count = 0;'],
    ['web/mod/api.ts', "void fetch('/');"],
  ],
};

interface Probe {
  readonly file: string;
  readonly text: string;
  readonly verdict: Verdict;
}

const probes: Probe[] = (['refused', 'allowed'] as const).flatMap((verdict) => [
  ...imports[verdict].flatMap(([file, specifier]) => [
    { file, verdict, text: `import '${specifier}';` },
    { file, verdict, text: `void import('${specifier}');` },
  ]),
  ...lines[verdict].map(([file, text]) => ({ file, verdict, text })),
]);
const probesByFile = Map.groupBy(probes, ({ file }) => file);

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

const rules =
  /\((?:no-restricted-imports|no-restricted-globals|no-console|no-process-env|no-module-state)\)/u;

/** The reported lines, as file:line. */
function lint(folder: string): Set<string> {
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config));
  for (const [file, planted] of probesByFile) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), planted.map(({ text }) => `${text}\n`).join(''));
  }
  const { stdout, stderr, error } = spawnSync(`${root}node_modules/.bin/oxlint`, ['-f', 'json'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  if (error) throw error;
  if (!stdout.startsWith('{')) throw new Error(`oxlint: ${stderr || stdout}`);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Diagnostic[] };
  return new Set(
    diagnostics
      .filter(({ code }) => rules.test(code))
      .map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'unsaid-lint-rules-'));
const problems: string[] = [];
try {
  const reported = lint(folder);
  for (const [file, planted] of probesByFile)
    for (const [index, { text, verdict }] of planted.entries())
      if (reported.has(`${file}:${index + 1}`) !== (verdict === 'refused'))
        problems.push(`${file}: oxlint should have ${verdict}: ${text}`);
} finally {
  rmSync(folder, { recursive: true });
}
conclude(problems, `lint rules: ${probes.length} planted lines judged as expected`);
