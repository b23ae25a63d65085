import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { paths } from '../src/lib/paths.ts';

/**
 * Reads from the source how the parts of the application are delivered: each call of `lazyPart` (src/lib/lazy-part.tsx)
 * declares it. vite.config.ts makes the lists of files of it, lingui.config.ts the catalogues.
 */

// Not imported: Lingui reads its configuration with a loader of its own, which cannot load Vite.
const { parseSync, Visitor } = createRequire(import.meta.url)('vite') as typeof import('vite');

const web = `${dirname(import.meta.dirname)}/`;
const entry = `${web}src/main.tsx`;

export interface Part {
  /** The file that it loads. */
  readonly file: string;
  readonly catalogues: readonly string[];
  readonly route: string | undefined;
  readonly isOffline: boolean;
}

interface Source {
  /** Files that are loaded with this one. */
  readonly imports: readonly string[];
  readonly parts: readonly Part[];
}

/** As much of a syntax tree as is read here. */
interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function valueOf(node: Node): unknown {
  if (node.type === 'Literal') return node['value'];
  if (node.type === 'ArrayExpression') return (node['elements'] as Node[]).map(valueOf);
  const { object, property } = node as { object?: { name?: string }; property?: { name?: string } };
  if (node.type === 'MemberExpression' && object?.name === 'paths' && property?.name)
    return paths[property.name as keyof typeof paths];
  return undefined;
}

function readPart(file: string, load: Node | undefined, options: Node | undefined): Part {
  const target = (load?.['body'] as Node | undefined)?.['source'] as Node | undefined;
  if (load?.type !== 'ArrowFunctionExpression' || typeof target?.['value'] !== 'string')
    throw new Error(`${relative(web, file)}: lazyPart is given () => import('…') and nothing else`);
  const properties = ((options?.['properties'] ?? []) as Node[]).map((one) => {
    const name = (one['key'] as { name: string }).name;
    const value = name === 'also' ? [] : valueOf(one['value'] as Node);
    if (value === undefined)
      throw new Error(`${relative(web, file)}: the build cannot read the ${name} of a lazyPart`);
    return [name, value] as const;
  });
  const { catalogue = [], route, offline } = Object.fromEntries(properties);
  return {
    file: resolve(dirname(file), target['value']),
    catalogues: [catalogue].flat() as string[],
    route: route as string | undefined,
    isOffline: offline === true,
  };
}

function readSource(file: string, code = readFileSync(file, 'utf8')): Source {
  const { program } = parseSync(file, code);
  const imports: string[] = [];
  const parts: Part[] = [];
  const follow = ({ source, ...kind }: { readonly source: { readonly value: string } | null }) => {
    const { importKind, exportKind } = kind as { importKind?: string; exportKind?: string };
    if (source && /^\..*\.tsx?$/u.test(source.value) && importKind !== 'type' && exportKind !== 'type')
      imports.push(resolve(dirname(file), source.value));
  };
  new Visitor({
    ImportDeclaration: follow,
    ExportNamedDeclaration: follow,
    ExportAllDeclaration: follow,
    CallExpression({ callee, arguments: [load, options] }) {
      if (callee.type === 'Identifier' && callee.name === 'lazyPart')
        parts.push(readPart(file, load as unknown as Node, options as unknown as Node));
    },
  }).visit(program);
  return { imports, parts };
}

export const readParts = (file: string, code: string): readonly Part[] => readSource(file, code).parts;

const sources = new Map(
  globSync('src/**/*.{ts,tsx}', { cwd: web })
    .filter((name) => !/\.test\.tsx?$|\.d\.ts$/u.test(name))
    .map((name) => [`${web}${name}`, readSource(`${web}${name}`)]),
);

/** All that are declared. A file may be declared in several places. */
export const parts: readonly Part[] = [...sources.values()].flatMap((source) => source.parts);

/** The file and all that it imports, but for lazy parts. */
function closure(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !sources.has(file)) return seen;
  seen.add(file);
  for (const next of sources.get(file)?.imports ?? []) closure(next, seen);
  return seen;
}

/**
 * The files of each catalogue but `app`: those that are loaded only by parts which have it. A file that also belongs to
 * another part, or to the entry, is in `app`, which every page has.
 */
export function splitCatalogues(): ReadonlyMap<string, readonly string[]> {
  const of = new Map<string, readonly string[]>();
  const claim = (file: string, catalogues: readonly string[]) => {
    for (const one of closure(file))
      of.set(
        one,
        (of.get(one) ?? catalogues).filter((name) => catalogues.includes(name)),
      );
  };
  claim(entry, []);
  for (const { file, catalogues } of parts) claim(file, catalogues);
  const split = new Map<string, string[]>();
  for (const [file, [name]] of of)
    if (name !== undefined)
      split.set(name, [...(split.get(name) ?? []), `src/${relative(`${web}src`, file)}`]);
  return split;
}
