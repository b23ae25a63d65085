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
import { conclude, root } from './test-reports.ts';

type Verdict = 'allowed' | 'refused';

const imports: Record<Verdict, readonly (readonly [file: string, specifier: string])[]> = {
  refused: [
    ['contract/src/vents.ts', 'kysely'],
    ['contract/src/vents.ts', 'node:crypto'],
    ['contract/src/vents.ts', '@unsaid/server'],
    ['contract/src/vents.ts', '../../server/src/config.ts'],
    ['server/src/app.ts', '@unsaid/web'],
    ['server/src/app.ts', '../../web/src/lib/session.ts'],
    ['server/src/app.ts', '../../testkit/server-process.ts'],
    ['server/src/bin/api.ts', '../../../tools/services.ts'],
    ['server/src/platform/redis.ts', '../app.ts'],
    ['server/src/platform/redis.ts', './../app.ts'],
    ['server/src/platform/http/sub/deep.ts', '../../../features.ts'],
    ['server/src/slots/sub/sub/deep.ts', '../../../vents/vents.queries.ts'],
    ['server/src/vents/vents.service.ts', './../comments/comments.queries.ts'],
    ['server/src/platform/redis.ts', '../deps.ts'],
    ['server/src/platform/redis.ts', '../auth/devices.ts'],
    ['server/src/platform/redis.ts', '../pseudonyms/authors.ts'],
    ['server/src/platform/http/bind.ts', '../../auth/viewer.ts'],
    ['server/src/platform/http/bind.ts', '../../features.ts'],
    ['server/src/db/schema.ts', '../vents/vents.queries.ts'],
    ['server/src/pseudonyms/authors.ts', '../auth/devices.ts'],
    ['server/src/pseudonyms/authors.ts', '../deps.ts'],
    ['server/src/vents/vents.service.ts', '../deps.ts'],
    ['server/src/vents/vents.service.ts', '../bin/api.ts'],
    ['server/src/vents/vents.service.ts', '../../test/app.ts'],
    ['server/src/vents/vents.service.ts', '../comments/comments.queries.ts'],
    ['server/src/vents/vents.service.ts', '../auth/sessions/sessions.queries.ts'],
    ['server/src/auth/otp/otp.service.ts', '../../features.ts'],
    ['server/src/auth/otp/otp.service.ts', '../../vents/vents.queries.ts'],
    ['server/src/vents/vents.queries.ts', './vents.service.ts'],
    ['server/src/vents/vents.queries.ts', '../comments/comments.queries.ts'],
    ['server/src/vents/vents.queries.ts', '../deps.ts'],
    ['server/src/vents/vents.view.ts', './vents.queries.ts'],
    ['server/src/vents/vents.view.ts', '../comments/comments.queries.ts'],
    ['server/src/vents/vents.view.ts', '../features.ts'],
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
    ['server/src/app.ts', '@unsaid/contract'],
    ['server/src/app.ts', './vents/vents.queries.ts'],
    ['server/src/bin/api.ts', '../app.ts'],
    ['server/src/platform/redis.ts', '@unsaid/contract'],
    ['server/src/platform/redis.ts', '../config.ts'],
    ['server/src/platform/redis.ts', './http/bind.ts'],
    ['server/src/platform/http/bind.ts', '../redis.ts'],
    ['server/src/platform/http/bind.ts', '../../db/schema.ts'],
    ['server/src/pseudonyms/authors.ts', '../platform/crypto/keys.ts'],
    ['server/src/vents/vents.service.ts', './vents.queries.ts'],
    ['server/src/vents/vents.service.ts', '../comments/comments.service.ts'],
    ['server/src/vents/vents.service.ts', '../platform/http/bind.ts'],
    ['server/src/vents/vents.service.ts', '../pseudonyms/authors.ts'],
    ['server/src/vents/vents.service.ts', '../config.ts'],
    ['server/src/auth/otp/otp.service.ts', './otp.queries.ts'],
    ['server/src/auth/otp/otp.service.ts', '../devices.ts'],
    ['server/src/auth/otp/otp.service.ts', '../../platform/redis.ts'],
    ['server/test/vents.test.ts', '../src/vents/vents.queries.ts'],
    ['web/src/ui/button.tsx', '../lib/session.ts'],
    ['web/src/features/vents/feed.page.tsx', './vents.api.ts'],
    ['web/src/features/vents/feed.page.tsx', './feed/pager.tsx'],
    ['web/src/features/vents/feed.page.tsx', '../../ui/button.tsx'],
    ['web/src/features/vents/feed/feed.page.tsx', '../vents.api.ts'],
    ['web/src/features/vents/feed/feed.page.tsx', '../compose/composer.tsx'],
    ['web/src/features/vents/feed/feed.page.tsx', '../../../lib/session.ts'],
    ['web/src/app/router.tsx', '../features/vents/feed.page.tsx'],
    ['web/mod/session.ts', '@unsaid/contract/moderation/console'],
    ['web/mod/main.tsx', '../src/lib/zod-config.ts'],
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
    ['server/src/vents/vents.service.ts', 'console.log(1);'],
    ['server/src/platform/redis.ts', 'export const url = process.env.REDIS_URL;'],
    ['web/src/features/vents/vents.api.ts', "void fetch('/');"],
    ['web/src/lib/session.ts', "void fetch('/');"],
    ['web/src/features/vents/vents.api.ts', 'localStorage.clear();'],
    ['web/mod/session.ts', "void fetch('/');"],
    ['web/mod/screens/cases.tsx', "void fetch('/');"],
    ['web/mod/screens/case/texts.tsx', 'localStorage.clear();'],
    ['web/mod/api.ts', 'localStorage.clear();'],
  ],
  allowed: [
    ['server/src/bin/keys.ts', 'console.log(1);'],
    ['server/src/config.ts', 'export const env = process.env;'],
    ['server/src/vents/vents.view.ts', "export type { VentRow } from './vents.queries.ts';"],
    ['server/src/vents/vents.view.ts', "import type { A } from './vents.queries.ts'; export type B = A;"],
    ['web/src/lib/api-client.ts', "void fetch('/');"],
    ['web/src/lib/session.ts', 'localStorage.clear();'],
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

const rules = /\((?:no-restricted-imports|no-restricted-globals|no-console|no-process-env)\)/u;

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
