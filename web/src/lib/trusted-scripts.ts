// The address of the file, which is Vite's to give; the file itself exports nothing.
// oxlint-disable-next-line import/default
import workSolver from './work-solver.worker.ts?worker&url';

/** Trusted Types, as far as they are used here. */
interface ScriptUrls {
  createScriptURL(url: string): string;
}
interface PolicyFactory {
  createPolicy(name: 'unsaid', rules: ScriptUrls): ScriptUrls;
}

/** The only addresses that the page's policy lets become code (server/src/platform/http/headers.ts). */
const scripts = { serviceWorker: '/sw.js', workSolver } as const;

let policy: ScriptUrls | undefined;

export function trustedScript(name: keyof typeof scripts): string {
  const { trustedTypes } = window as { readonly trustedTypes?: PolicyFactory };
  policy ??= trustedTypes?.createPolicy('unsaid', {
    createScriptURL(url) {
      if (!Object.values<string>(scripts).includes(url))
        throw new TypeError('Only our own scripts may be started.');
      return url;
    },
  });
  return policy?.createScriptURL(scripts[name]) ?? scripts[name];
}
