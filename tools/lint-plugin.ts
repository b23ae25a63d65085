/** Lint rules of our own, loaded by oxlint.config.ts. */
import type { Expression, Node, Program } from 'oxc-parser';

interface Context {
  readonly report: (problem: { readonly node: Node; readonly message: string }) => void;
}

/** Their result keeps what is put into it, whoever is signed in. */
const containers = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'createStore']);

function isContainer(init: Expression | null): boolean {
  if (init?.type === 'ArrayExpression') return init.elements.length === 0;
  if (init?.type !== 'NewExpression' && init?.type !== 'CallExpression') return false;
  return init.callee.type === 'Identifier' && containers.has(init.callee.name);
}

/**
 * State of a module outlives a session: one forgotten line shows what a person did to the next on a shared phone. A
 * session store (web/src/lib/store.ts) and a draft (web/src/lib/drafts.ts) wipe themselves.
 */
const noModuleState = {
  create: (context: Context) => ({
    Program({ body }: Program) {
      for (const statement of body) {
        const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
        if (node?.type !== 'VariableDeclaration') continue;
        if (node.kind !== 'const' || node.declarations.some(({ init }) => isContainer(init)))
          context.report({ node, message: 'State of a module outlives a session: use createSessionStore.' });
      }
    },
  }),
};

export default { meta: { name: 'unsaid' }, rules: { 'no-module-state': noModuleState } };
