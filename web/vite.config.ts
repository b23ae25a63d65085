import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

/** `import home from '…/home.svg?path'` gives the outline alone: no data: URL, no markup to parse at run time. */
function svgPaths(): Plugin {
  return {
    name: 'unsaid:svg-paths',
    enforce: 'pre',
    load: {
      filter: { id: /\.svg\?path$/ },
      handler(id) {
        const [, path] = /<path d="([^"]+)"/u.exec(readFileSync(id.replace('?path', ''), 'utf8')) ?? [];
        if (path === undefined) throw new Error(`No path in ${id}`);
        return { code: `export default ${JSON.stringify(path)};`, moduleType: 'js' };
      },
    },
  };
}

/**
 * The last word on index.html: the font is asked for at once, and what the page loads first
 * carries its hash, so a half-deployed or altered file does not run.
 */
function sealedShell(): Plugin {
  return {
    name: 'unsaid:sealed-shell',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const shell = bundle['index.html'];
        if (shell?.type !== 'asset') return;
        const font = Object.keys(bundle).find((name) => name.endsWith('.woff2'));
        const preload = font
          ? `<link rel="preload" href="/${font}" as="font" type="font/woff2" crossorigin>\n    `
          : '';
        // The app's own styles come after the splash in the page, so that it does not wait for them.
        let html = String(shell.source).replace('<link rel="stylesheet"', `${preload}<link rel="stylesheet"`);
        for (const [tag] of html.matchAll(/ *<link rel="stylesheet" crossorigin[^>]*>\n/gu)) {
          html = html.replace(tag, '').replace('    <div id="root">', `${tag}    <div id="root">`);
        }
        shell.source = html.replace(
          /<(?:script|link)\b[^>]*?(?:src|href)="\/([^"]+\.(?:js|css))"/gu,
          (tag, name: string) => {
            const part = bundle[name];
            const content =
              part === undefined
                ? readFileSync(`${here}/public/${name}`)
                : part.type === 'chunk'
                  ? part.code
                  : part.source;
            return `${tag} integrity="sha384-${createHash('sha384').update(content).digest('base64')}"`;
          },
        );
      },
    },
  };
}

const api = 'http://127.0.0.1:3000';

export default defineConfig({
  root: here,
  plugins: [
    svgPaths(),
    babel({ presets: [linguiTransformerBabelPreset({}, { cwd: here })] }),
    react(),
    lingui({ cwd: here }),
    sealedShell(),
  ],
  build: {
    manifest: true,
    // The policy allows no data: URLs and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What nearly every page uses comes as one file, not as a dozen crumbs over a slow connection.
        // A group takes along what it imports, so what the entry shares with one is named in `kit`.
        codeSplitting: {
          groups: [
            {
              name: 'kit',
              test: /\/src\/(?:lib|ui)\/(?!(?:chips|choice|code-field|dialog|drafts|emotion|menu|phone|preference|profile-facts|switch-row|time-ago|use-countdown))|@tanstack\/|volunteer_activism\.svg|preload-helper/u,
            },
            // Of the vents and the matches alike, which need nothing else of each other.
            { name: 'emotion', test: /\/ui\/emotion|chevron_right\.svg/u },
            {
              // And what every list of vents uses, home's among them.
              name: 'vents',
              test: /\/features\/vents\/(?:vents\.api|vent-cache|vent-card|vent-list|reaction|list-place|clipped-text|pager|search-box|feed\.module|just-posted)|\/ui\/time-ago/u,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: { '/api': api, '/avatars': api, '/dev': api },
  },
  test: {
    environment: 'happy-dom',
    // An address where nobody listens: no test may find a server that happens to run.
    environmentOptions: { happyDOM: { url: 'http://127.0.0.1:1/' } },
    setupFiles: ['./src/test-setup.ts'],
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    restoreMocks: true,
  },
});
