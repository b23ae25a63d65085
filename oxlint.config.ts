import { fileURLToPath } from 'node:url';
import { defineConfig } from 'oxlint';
import { schemaNames } from './server/src/db/schemas.ts';

/**
 * Lint rules. An override replaces the rule of an earlier one for the same file, so each states its whole list. oxlint
 * ignores a regular expression that it cannot compile (lookaheads among them) and reads groups as .gitignore does;
 * tools/check-lint-rules.ts plants imports to prove that every rule below reports what it should.
 */

interface Pattern {
  readonly message: string;
  readonly regex?: string;
  readonly group?: string[];
  readonly allowTypeImports?: boolean;
  readonly importNames?: string[];
}

const restrict = (
  ...patterns: Pattern[]
): { 'no-restricted-imports': ['error', { patterns: Pattern[] }] } => ({
  'no-restricted-imports': ['error', { patterns }],
});
const up = (levels: number) => '../'.repeat(levels);
/** Files that lie `depth` folders below the folder. */
const at = (folder: string, depth: number, files = '*.ts') => `${folder}/${'*/'.repeat(depth - 1)}${files}`;

const workspaceFolders = ['contract', 'guard', 'server', 'web', 'e2e', 'tools', 'bench'];
const noForeignPaths = (...folders: string[]): Pattern => ({
  regex: String.raw`^(?:\.\./)+(?:${folders.join('|')})/`,
  message: 'Workspaces share only the contract and the guard, by their package names.',
});
const noForeignPackages: Pattern = {
  group: ['@unsaid/*', '!@unsaid/contract', '!@unsaid/guard'],
  message: 'Workspaces share only the contract and the guard.',
};
/** `./../` would get around the patterns below, which begin with `../`. */
const noDotDetours: Pattern = { regex: String.raw`^\./+\.\./`, message: 'Write ../ without ./ before it.' };
/** For product code: the test helpers of testkit/ are foreign as well. */
const productBase = [noForeignPaths(...workspaceFolders, 'testkit'), noForeignPackages, noDotDetours];

/** The image has no sample data. */
const noSeed: Pattern = {
  regex: String.raw`^(?:\.\./)+seed/`,
  message: 'The product does not use server/seed.',
};

const serverLayers =
  'Imports go one way: platform <- kernel <- the schemas, which do not see each other <- person <- features.';
/** What a file `depth` folders below server/src may import from beside its own folder. Types count as well. */
const onlyFrom = (depth: number, ...allowed: string[]): Pattern => ({
  group: [`${up(depth)}**`, ...allowed.map((path) => `!${up(depth)}${path}`)],
  message: serverLayers,
});
/** A builder gets the pool of its schema. */
const noPools: Pattern = {
  regex: String.raw`/platform/db\.ts$`,
  importNames: ['Databases', 'openDatabases'],
  message: 'Only deps.ts opens pools, and features.ts hands them out.',
};
/** Another way to write SQL, so only where it pays: in statements that run for every page or search. */
const noPreparedSql: Pattern = {
  regex: String.raw`/prepared-sql\.ts$`,
  message: 'Only *.hot.queries.ts use preparedSql; the others write sql.',
};
/** What takes a context is a service. */
const noServices: Pattern = {
  regex: String.raw`/context\.ts$`,
  message: 'Queries do not call services.',
};
const noQueries: Pattern = {
  regex: String.raw`\.queries\.ts$`,
  allowTypeImports: true,
  message: 'A view does not query: it imports at most the types of queries.',
};

const shared = ['ui', 'lib', 'locales'];
const webLayers = 'Lower layers do not import higher ones: lib and ui <- features <- app.';
const webFeatures = 'Features import only lib, ui and their own files; the router composes them.';
/** Nothing under `from`, apart from the shared folders `depth` levels up. */
const onlyShared = (from: string, depth: number, message: string): Pattern => ({
  group: [`${from}**`, ...shared.map((folder) => `!${up(depth)}${folder}/**`)],
  message,
});
/** The moderation console is a bundle of its own: no user may load any of it. */
const noConsole: Pattern = {
  regex: String.raw`^(?:\.\./)+mod/|^@unsaid/contract/moderation/console$`,
  message: 'The moderation console is in no user bundle.',
};
const webBase = [...productBase, noConsole];
/** What console files import from `up(depth)`. Of web/src only what has neither the state nor the language of the app. */
const consoleRules = (depth: number, ...allowed: string[]) =>
  restrict(...productBase, {
    group: ['../**', ...allowed.map((path) => `!${up(depth)}${path}`)],
    message: 'The console: lib and ui <- screens <- app, and little of web/src.',
  });
const noFetch = { name: 'fetch', message: 'Calls go through the typed client, lib/api-client.ts.' };
const noStorage = {
  name: 'localStorage',
  message: 'Only lib/ touches browser storage: the token has one owner.',
};

/** The folders of server/src, each with what it may import beside itself. */
const below = { platform: ['db'], db: ['platform'], kernel: ['platform', 'db'] };
const serverFolders: Record<string, { readonly from: readonly string[]; readonly rules?: Pattern[] }> = {
  platform: { from: below.platform },
  db: { from: below.db },
  kernel: { from: below.kernel, rules: [noPools] },
  ...Object.fromEntries(
    schemaNames.map((schema) => [schema, { from: ['kernel', ...below.kernel], rules: [noPools] }]),
  ),
  person: {
    from: [...schemaNames, 'kernel', 'platform'],
    rules: [
      { regex: String.raw`\.queries\.ts$`, message: "A schema's queries are its own: call its service." },
      {
        regex: String.raw`/platform/db\.ts$`,
        message: 'person/ has services of all schemas, and no database.',
      },
    ],
  },
};
/** By folder, and by role: an override replaces the ones before it. For files one to three folders below server/src. */
const serverRules = Object.entries(serverFolders).flatMap(([folder, { from, rules = [] }]) =>
  [1, 2, 3].flatMap((depth) => {
    // A group that allows a path ends the search, so it comes last.
    const allowed = onlyFrom(depth, ...[folder, ...from].map((other) => `${other}/**`));
    const base = [...productBase, noSeed, ...rules];
    const byRole: [files: string, rules: Pattern[]][] =
      folder === 'platform'
        ? [['*.ts', base]]
        : [
            ['*.ts', [...base, noPreparedSql]],
            ['*.queries.ts', [...base, noServices, noPreparedSql]],
            ['*.hot.queries.ts', [...base, noServices]],
            ['*.view.ts', [...base, noQueries, noPreparedSql]],
          ];
    return byRole.map(([files, patterns]) => ({
      files: [at(`server/src/${folder}`, depth, files)],
      rules: restrict(...patterns, allowed),
    }));
  }),
);

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'react', 'jsx-a11y', 'node'],
  jsPlugins: [fileURLToPath(new URL('tools/lint-plugin.ts', import.meta.url))],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'no-eval': 'error',
    'no-implied-eval': 'error',
    'no-restricted-globals': 'off',
    eqeqeq: 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'off',
    'import/no-unassigned-import': 'off',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/no-array-sort': 'error',
    'react/no-danger': 'error',
    'react/jsx-no-target-blank': 'error',
    'react/react-in-jsx-scope': 'off',
    'import/no-named-as-default-member': 'off',
    'import/no-named-as-default': 'off',
    'no-underscore-dangle': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'promise/always-return': 'off',
    'typescript/no-misused-spread': 'off',
    'typescript/consistent-return': 'off',
    'typescript/unbound-method': 'off',
    'unicorn/no-useless-spread': 'off',
    'jsx-a11y/prefer-tag-over-role': 'off',
    'jsx-a11y/no-redundant-roles': 'off',
    'typescript/require-array-sort-compare': 'off',
    'typescript/no-unsafe-enum-comparison': 'off',
  },
  ignorePatterns: ['**/dist/**', '**/dist-mod/**', '/reports/**', 'tools/node/**', 'web/src/locales/**/*.po'],
  overrides: [
    {
      files: ['server/**', 'web/**', 'e2e/**'],
      rules: restrict(noForeignPaths(...workspaceFolders), noForeignPackages),
    },
    { files: ['tools/**', 'bench/**', 'testkit/**'], rules: restrict(noForeignPackages) },
    // The list of schemas and logins is the server's.
    { files: ['e2e/test-env.ts'], rules: restrict(noForeignPackages) },
    {
      files: ['contract/**', 'guard/**'],
      rules: restrict(noForeignPaths(...workspaceFolders), {
        group: ['@unsaid/*'],
        message: 'The contract and the guard depend on no other workspace.',
      }),
    },
    {
      files: ['guard/src/**'],
      rules: restrict({ group: ['**', '!./**'], message: 'The guard imports only its own files.' }),
    },
    {
      files: ['contract/src/**'],
      rules: restrict({
        group: ['**', '!./**', '!zod', '!zod/**'],
        message: 'The contract imports only zod and its own files.',
      }),
    },
    {
      files: ['contract/src/moderation/*.ts'],
      rules: restrict({
        group: ['**', '!./**', '!../*.ts', '!zod', '!zod/**'],
        message: 'The contract imports only zod and its own files.',
      }),
    },

    {
      files: ['server/src/**'],
      rules: { ...restrict(...productBase, noSeed), 'no-console': 'error', 'node/no-process-env': 'error' },
    },
    { files: ['server/src/config.ts', 'server/src/bin/**'], rules: { 'node/no-process-env': 'off' } },
    {
      files: ['reports', 'keys', 'moderators', 'team', 'switches'].map((name) => `server/src/bin/${name}.ts`),
      rules: { 'no-console': 'off' },
    },
    ...serverRules,
    { files: ['server/src/bin/*.ts'], rules: restrict(...productBase, noSeed) },

    {
      files: ['web/src/**'],
      rules: { ...restrict(...webBase), 'no-restricted-globals': ['error', noFetch, noStorage] },
    },
    {
      files: shared.map((folder) => `web/src/${folder}/*`),
      rules: restrict(...webBase, onlyShared(up(1), 1, webLayers)),
    },
    {
      files: ['web/src/features/*/*'],
      rules: restrict(...webBase, onlyShared(up(1), 2, webFeatures)),
    },
    {
      files: ['web/src/features/*/*/*'],
      rules: restrict(...webBase, onlyShared(up(2), 3, webFeatures)),
    },
    { files: ['web/src/features/**'], rules: { 'unsaid/no-module-state': 'error' } },
    { files: ['web/src/lib/**'], rules: { 'no-restricted-globals': ['error', noFetch] } },
    { files: ['web/mod/**'], rules: { 'no-restricted-globals': ['error', noFetch, noStorage] } },
    { files: ['web/mod/*'], rules: consoleRules(1) },
    {
      files: ['web/mod/lib/*', 'web/mod/ui/*'],
      rules: consoleRules(1, 'lib/**', 'ui/**', 'api.ts', '../src/lib/browser-setting.ts'),
    },
    { files: ['web/mod/screens/*'], rules: consoleRules(1, 'lib/**', 'ui/**', '*.ts') },
    { files: ['web/mod/screens/*/*'], rules: consoleRules(2, 'lib/**', 'ui/**', '*.ts') },
    { files: ['web/mod/api.ts'], rules: { 'no-restricted-globals': ['error', noStorage] } },
    {
      files: ['web/src/lib/{api-client,release}.ts', 'web/src/**/*.test.ts', 'web/src/**/*.test.tsx'],
      rules: { 'no-restricted-globals': 'off' },
    },
    { files: ['web/src/**/*.test.ts', 'web/src/**/*.test.tsx'], rules: { 'unsaid/no-module-state': 'off' } },
  ],
});
