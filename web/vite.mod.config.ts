import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Integrity hashes, so that a partly deployed or altered file does not run. */
function addIntegrity(): Plugin {
  return {
    name: 'unsaid:console-integrity',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const shell = bundle['index.html'];
        if (shell?.type !== 'asset') throw new Error('The console has no index.html.');
        shell.source = String(shell.source).replace(
          /<(?:script|link)\b[^>]*?(?:src|href)="\/([^"]+\.(?:js|css))"/gu,
          (tag, name: string) => {
            const part = bundle[name];
            if (!part) throw new Error(`${name} is not in the bundle`);
            const content = part.type === 'chunk' ? part.code : part.source;
            return `${tag} integrity="sha384-${createHash('sha384').update(content).digest('base64')}"`;
          },
        );
      },
    },
  };
}

const api = 'http://127.0.0.1:3001';

/** The moderation console: a bundle of its own, served on an origin of its own. */
export default defineConfig({
  root: `${here}mod`,
  publicDir: false,
  plugins: [react(), addIntegrity()],
  build: {
    outDir: `${here}dist-mod`,
    emptyOutDir: true,
    // The policy allows no data: URLs and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { port: 5174, strictPort: true, proxy: { '/api': api } },
});
