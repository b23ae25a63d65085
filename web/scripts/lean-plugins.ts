import { createCompiledCatalog } from '@lingui/cli/api';
import { Visitor, type Plugin } from 'vite';

/** Transforms that leave out of a page what it does not need. */

type Part = readonly [from: number, to: number, text: string];

/** Replaces parts of a text. */
function splice(code: string, parts: readonly Part[]): string {
  return parts
    .toSorted(([one], [other]) => other - one)
    .reduce((all, [from, to, text]) => all.slice(0, from) + text + all.slice(to), code);
}

/** What the client reads of an endpoint (src/lib/api-client.ts, and padding.ts in the contract). */
const readOfEndpoint = new Set(['method', 'path', 'auth', 'isIdempotent', 'maxBodyBytes', 'padToBytes']);

/** The names that a piece of code refers to. Names of types are not among them. */
function namesIn(node: unknown, names = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return names;
  const { type, name, computed } = node as { type?: string; name?: unknown; computed?: boolean };
  if (type?.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)/u.test(type)) return names;
  if (type === 'Identifier' && typeof name === 'string') names.add(name);
  for (const [key, child] of Object.entries(node)) {
    const isName = !computed && (key === 'key' || key === 'property');
    if (!isName) namesIn(child, names);
  }
  return names;
}

/**
 * Leaves schemas out of the contract: they are types here, and the server checks. The first screens then need no zod. What
 * a form checks before it is sent is in forms.ts, which stays as it is. An import of anything else made with zod fails.
 */
export function leanContract(): Plugin {
  return {
    name: 'unsaid:lean-contract',
    enforce: 'pre',
    transform: {
      filter: { id: { include: /\/contract\/src\/[a-z-]+\.ts$/, exclude: /\/(?:fields|forms)\.ts$/ } },
      handler(code) {
        const parts: Part[] = [];
        /** Names of what is left out. */
        const schemas = new Set<string>();
        const isMadeOfSchemas = (node: unknown) => [...namesIn(node)].some((name) => schemas.has(name));
        for (const statement of this.parse(code, { lang: 'ts' }).body) {
          const remove = () => parts.push([statement.start, statement.end, '']);
          if (statement.type === 'ImportDeclaration') {
            if (!/^zod|\/(?:fields|forms)\.ts$/u.test(statement.source.value)) continue;
            for (const { local } of statement.specifiers) schemas.add(local.name);
            remove();
            continue;
          }
          const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
          if (declared?.type === 'FunctionDeclaration') {
            if (!isMadeOfSchemas(declared.body)) continue;
            if (declared.id) schemas.add(declared.id.name);
            remove();
          }
          if (declared?.type !== 'VariableDeclaration') continue;
          const [{ id, init } = { id: null, init: null }] = declared.declarations;
          const [argument] = init?.type === 'CallExpression' ? init.arguments : [];
          if (
            init?.type === 'CallExpression' &&
            init.callee.type === 'Identifier' &&
            init.callee.name === 'endpoint' &&
            argument?.type === 'ObjectExpression'
          ) {
            const kept = argument.properties.filter(
              (one) =>
                one.type === 'Property' && one.key.type === 'Identifier' && readOfEndpoint.has(one.key.name),
            );
            const text = kept.map(({ start, end }) => code.slice(start, end)).join(', ');
            parts.push([init.start, init.end, `{ ${text} }`]);
          } else if (isMadeOfSchemas(init)) {
            if (id?.type === 'Identifier') schemas.add(id.name);
            remove();
          }
        }
        const lean = splice(code, parts);
        // Imports of what only schemas used: the other file does not have it any more.
        const { body } = this.parse(lean, { lang: 'ts' });
        const imports = body.filter((one) => one.type === 'ImportDeclaration');
        const used = namesIn(body.filter((one) => one.type !== 'ImportDeclaration'));
        const needed = imports.map(({ start, end, source, specifiers }): Part => {
          const kept = specifiers.filter(({ local }) => used.has(local.name));
          const isWhole = kept.length === specifiers.length;
          const text = `import { ${kept.map((one) => lean.slice(one.start, one.end)).join(', ')} } from '${source.value}';`;
          return [start, end, isWhole ? lean.slice(start, end) : kept.length === 0 ? '' : text];
        });
        return { code: splice(lean, needed), map: { mappings: '' } };
      },
    },
  };
}

/**
 * Compiles the English words in place. A page then has its own and no others: there is no catalogue to load with it, and
 * none in the entry. Other languages are catalogues.
 */
export function inlineEnglish(): Plugin {
  const compile = (message: string) => {
    const { source } = createCompiledCatalog('en', { message }, { namespace: 'json' });
    return JSON.stringify((JSON.parse(source) as { messages: { message: unknown } }).messages.message);
  };
  return {
    name: 'unsaid:inline-english',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /\/web\/src\/.*\.tsx?$/, code: /\bmessage:/ },
      handler(code) {
        const parts: Part[] = [];
        new Visitor({
          ObjectExpression({ properties }) {
            const texts = new Map(
              properties.flatMap((one) =>
                one.type === 'Property' &&
                one.key.type === 'Identifier' &&
                one.value.type === 'Literal' &&
                typeof one.value.value === 'string'
                  ? [[one.key.name, { ...one.value, value: one.value.value }] as const]
                  : [],
              ),
            );
            const message = texts.get('message');
            if (message && texts.has('id')) parts.push([message.start, message.end, compile(message.value)]);
          },
        }).visit(this.parse(code));
        return { code: splice(code, parts), map: { mappings: '' } };
      },
    },
  };
}
