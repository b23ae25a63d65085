import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { deliver } from './scripts/delivery-plugin.ts';
import { inlineEnglish, leanContract } from './scripts/lean-plugins.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * `import home from '…/home.svg?path'` gives the path data only: no data: URL, no markup to parse at run
 * time.
 */
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

const api = 'http://127.0.0.1:3000';

export default defineConfig({
  root: here,
  plugins: [
    leanContract(),
    svgPaths(),
    babel({ presets: [linguiTransformerBabelPreset({ descriptorFields: 'message' }, { cwd: here })] }),
    react(),
    lingui({ cwd: here }),
    inlineEnglish(),
    deliver(),
  ],
  build: {
    manifest: true,
    // The policy allows no data: URLs and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Not listed beside each lazy import: what every page has loaded, and what a dialog needs that few people open.
      // There it costs one more round trip, once.
      // The page itself lists all that the entry imports.
      resolveDependencies: (file, files, { hostType }) =>
        hostType === 'html'
          ? files
          : /\/(?:comment-menu|hide-name-alert|report-dialog)-/u.test(file)
            ? []
            : files.filter((one) => !/^assets\/(?:index|kit|rolldown-runtime)-/u.test(one)),
    },
    rolldownOptions: {
      output: {
        // Shared code in one file instead of many small ones, for slow connections. A group includes its
        // imports, so whatever the entry shares with a group is listed in `kit`.
        codeSplitting: {
          groups: [
            {
              name: 'kit',
              test: /\/src\/(?:lib|ui)\/(?!(?:chips|choice|code-field|dialog|drafts|feelings-picker|fold\.|grounding|hid|identity|limited|list-setting|live-connection|menu|phone|profile-facts|prose|reader-country|report|scheme|switch-row|time-ago|use-countdown|use-identity|voice))|\/contract\/src\/(?!fields|forms)|@tanstack\/|rounded\/(?:arrow_upward|chevron_right|close|edit|edit_note|forum|keyboard_arrow_down|support)\.svg|preload-helper|\/welcome-state|\/ui\/(?:chips-field|choice|dialog|code-field|emotion|grounding-dialog|hidden-line|identity-card|phone-field|feelings-picker|report-dialog|switch-row|profile-facts)\.module\.css|\/features\/(?:auth|choices|moderation|profile|settings|not-found)\/[a-z-]+\.module\.css|\/src\/app\/[a-z-]+\.module\.css/u,
            },
            { name: 'inbox-api', test: /\/features\/inbox\/inbox\.api/u },
            // The strip on the home page and the inbox.
            {
              name: 'inbox',
              test: /\/features\/inbox\/(?:inbox\.module|line-view)/u,
            },
            // What everybody who is signed in gets after the first content.
            { name: 'late', test: /\/lib\/live-connection|\/features\/inbox\/inbox-sync/u },
            {
              // Code of every list of vents, including the home page's. Styles in few files, because small
              // files compress badly.
              name: 'vents',
              test: /\/features\/vents\/(?:[a-z]+\/)?(?:(?:vents|comments|weather)\.api|vent-(?:body|cache|card|list)|reaction|list-params|clipped-text|empty-list|pager|search-box|feeling-filter|questions|just-posted|stored-draft|todays-question|first-field|feed-composer|listening-day|listening-settings|crisis-(?:guard|note)|hide-icon|is-folded|lazy-hiding|(?!crisis-)[a-z-]+\.module\.css)|\/ui\/(?:time-ago|limited-note)|rounded\/history\.svg/u,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: { '/api': { target: api, ws: true }, '/avatars': api, '/dev': api },
  },
  test: {
    environment: 'happy-dom',
    // Nothing listens on this port: a test must not reach a real server by accident.
    environmentOptions: { happyDOM: { url: 'http://127.0.0.1:1/' } },
    setupFiles: ['./src/test-setup.ts'],
    include: ['{src,mod}/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    restoreMocks: true,
    maxWorkers: 2,
    // A file has a realm of its own, as with processes. Creating the DOM once a worker takes a third of the CPU time.
    pool: 'vmThreads',
    reporters: [
      'default',
      ['json', { outputFile: `../reports/${process.env['TEST_TIER'] ?? 'change'}/web.json` }],
    ],
    // For a test that hangs. No verdict depends on the speed of the machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
