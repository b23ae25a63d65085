// URL of the built worker, from Vite. The file has no exports.
// oxlint-disable-next-line import/default
import powWorker from './pow.worker.ts?worker&url';

/** The part of Trusted Types used here. */
interface ScriptUrls {
  createScriptURL(url: string): string;
}
interface PolicyFactory {
  createPolicy(name: 'unsaid', rules: ScriptUrls): ScriptUrls;
}

/**
 * The only URLs that the page's Trusted Types policy accepts as scripts
 * (server/src/platform/http/headers.ts).
 */
const scripts = { serviceWorker: '/sw.js', powWorker } as const;

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
