/**
 * Rules of this house that no general linter knows: which way imports point, who may say what.
 * Prints each breach as file:line and fails. Tests are held to the direction of workspaces only.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { filesInGit } from './files.ts';

const files = filesInGit('*.ts', '*.tsx');

const breaches: string[] = [];
const report = (file: string, line: number, why: string) => breaches.push(`${file}:${line}  ${why}`);

/** Where a file stands in its workspace, and how high: a file may import what stands lower or beside it in its own place. */
interface Place {
  readonly workspace: string;
  readonly layer: string;
  readonly feature: string | null;
  readonly role: string | null;
}

function placeOf(path: string): Place {
  const [workspace = '', second = '', third = '', fourth = ''] = path.split('/');
  const name = path.split('/').at(-1) ?? '';
  const role =
    /\.(routes|service|queries|view|state|score|jobs|privacy|registry|seed)\.ts$/u.exec(name)?.[1] ?? null;
  if (workspace === 'server' && second === 'src') {
    if (!third.includes('.') && third === 'platform')
      return { workspace, layer: 'platform', feature: null, role };
    if (third === 'db') return { workspace, layer: 'platform', feature: null, role };
    if (third === 'config.ts') return { workspace, layer: 'platform', feature: null, role };
    if (third === 'bin' || third.endsWith('.ts')) return { workspace, layer: 'app', feature: null, role };
    return { workspace, layer: 'feature', feature: third, role };
  }
  if (workspace === 'web' && second === 'src') {
    if (third === 'features') return { workspace, layer: 'feature', feature: fourth, role };
    if (third === 'ui' || third === 'lib' || third === 'locales')
      return { workspace, layer: 'platform', feature: null, role };
    return { workspace, layer: 'app', feature: null, role };
  }
  return { workspace, layer: 'tool', feature: null, role };
}

const height: Record<string, number> = { platform: 0, feature: 1, app: 2, tool: 3 };

function checkImport(file: string, line: number, target: string): void {
  const from = placeOf(file);
  if (target.startsWith('@unsaid/')) {
    if (target !== '@unsaid/contract') report(file, line, 'workspaces share the contract alone');
    if (from.workspace === 'contract') report(file, line, 'the contract stands on nothing of ours');
    return;
  }
  if (!target.startsWith('.')) {
    if (from.workspace === 'contract' && file.includes('/src/') && !target.startsWith('zod')) {
      report(file, line, 'the contract depends on zod alone');
    }
    return;
  }
  const path = normalize(join(dirname(file), target));
  const to = placeOf(path);
  if (to.workspace !== from.workspace && !['tools', 'bench'].includes(from.workspace)) {
    report(file, line, 'another workspace is reached by its package, not by its path');
    return;
  }
  if (from.layer === 'tool') return;
  const isTest = /\.test\.tsx?$/u.test(file);
  if ((height[to.layer] ?? 0) > (height[from.layer] ?? 0))
    report(file, line, `${from.layer} must not know ${to.layer}`);
  if (from.layer === 'feature' && to.layer === 'feature' && from.feature !== to.feature) {
    if (from.workspace === 'web')
      report(file, line, 'features do not import each other: compose them in the router');
    else if (to.role === 'queries' && !isTest)
      report(file, line, "another feature's queries are its own: call its service");
  }
  if (from.role === 'queries' && to.role === 'service') report(file, line, 'queries do not call services');
  if (from.role === 'view' && to.role === 'queries' && !isTypeImport(file, line))
    report(file, line, 'a view does not query');
}

function isTypeImport(file: string, line: number): boolean {
  return (readFileSync(file, 'utf8').split('\n')[line - 1] ?? '').startsWith('import type');
}

/** Words that may stand in few places or none. `only` names the files that may. */
const bans: { pattern: RegExp; why: string; in: RegExp; only?: RegExp }[] = [
  {
    pattern: /Math\.random\(/u,
    why: 'codes, ids and seeds come from node:crypto',
    in: /^(?:server|contract)\/src\//,
  },
  {
    pattern: /process\.env/u,
    why: 'only config.ts reads the environment',
    in: /^server\/src\//,
    only: /src\/config\.ts$|src\/bin\//,
  },
  {
    pattern: /['"`]\/api\//u,
    why: 'paths are written once, in the contract',
    in: /^(?:server|web)\/src\//,
    only: /platform\/http\/(?:guards|pages)\.ts$/,
  },
  {
    pattern:
      /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|new Function\(/u,
    why: 'text never becomes markup or code',
    in: /^web\/(?:src|public)\//,
  },
  { pattern: /target="_blank"/u, why: 'links open where one expects', in: /^web\/src\// },
  {
    pattern: /localStorage/u,
    why: 'the token has one home, and preferences another',
    in: /^web\/src\//,
    only: /lib\/(?:session|later|since-cursor|scheme|drafts|locale|discreet)\.ts$|\.test\.tsx?$/,
  },
  {
    pattern: /\bfetch\(/u,
    why: 'calls go through the typed client',
    in: /^web\/src\//,
    only: /lib\/api-client\.ts$|\.test\.tsx?$/,
  },
  { pattern: /sql\.raw\(|sql\.lit\(/u, why: 'values are bound, never spliced', in: /^server\/src\// },
  {
    pattern: /console\./u,
    why: 'the logger has an allow-list, the console has none',
    in: /^server\/src\//,
    only: /src\/bin\/(?:seed|reports|keys)\.ts$/,
  },
];

for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const [index, text] of lines.entries()) {
    const target = /^(?:import|export)\b.*?from '([^']+)'|^import '([^']+)'|^\} from '([^']+)'/u.exec(text);
    const specifier = target?.[1] ?? target?.[2] ?? target?.[3];
    if (specifier) checkImport(file, index + 1, specifier);
    for (const ban of bans) {
      if (ban.in.test(file) && !ban.only?.test(file) && ban.pattern.test(text))
        report(file, index + 1, ban.why);
    }
  }
}

/** Every direct dependency has a line of reason. */
const reasons = readFileSync('docs/dependencies.md', 'utf8');
for (const manifest of [
  'package.json',
  ...['contract', 'server', 'web', 'e2e'].map((name) => `${name}/package.json`),
]) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >;
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    if (!name.startsWith('@unsaid/') && !reasons.includes(`\`${name}\``)) {
      report(manifest, 1, `${name} has no line in docs/dependencies.md`);
    }
  }
}

if (breaches.length > 0) {
  console.error(breaches.join('\n'));
  process.exit(1);
}
console.log(`house rules: ${files.length} files, no breach`);
