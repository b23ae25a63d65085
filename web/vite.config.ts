import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import {
  getSelf,
  limits,
  listInbox,
  listVents,
  matchSuggestions,
  pendingMatches,
  ventWeather,
} from '@unsaid/contract';
import react from '@vitejs/plugin-react';
import type { Plugin, Rolldown } from 'vite';
import { defineConfig } from 'vitest/config';
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

/** The chunk, its styles and its static imports, recursively. */
function filesOf(bundle: Rolldown.OutputBundle, name: string, seen = new Set<string>()): Set<string> {
  const chunk = bundle[name];
  if (seen.has(name) || chunk?.type !== 'chunk') return seen;
  seen.add(name);
  for (const style of chunk.viteMetadata?.importedCss ?? []) seen.add(style);
  for (const next of chunk.imports) filesOf(bundle, next, seen);
  return seen;
}

const newestVents = `${listVents.path}?${new URLSearchParams({
  sort: 'recent',
  limit: String(limits.feedPageSize),
  page: '1',
})}`;
/** Home has none that is heavy. */
const newestLight = `${newestVents}&without=heavy`;
/** boot.js fills in the cursor that this browser has. */
const inbox = `${listInbox.path}?cursor`;

/**
 * The most common first pages. Their files are preloaded in parallel with the entry, and so are their calls for somebody
 * who is signed in: first-calls.spec.ts compares them with what the page asks for.
 */
const firstPages: Record<string, { readonly files: readonly string[]; readonly calls?: readonly string[] }> =
  {
    home: {
      files: [
        'src/features/profile/home.page.tsx',
        'src/features/vents/feed/home-vents.tsx',
        'src/features/inbox/inbox-strip.tsx',
      ],
      calls: [newestLight, inbox, ventWeather.path],
    },
    login: { files: ['src/features/auth/login.page.tsx'] },
    signup: { files: ['src/features/auth/signup.page.tsx'] },
    vents: { files: ['src/features/vents/feed/feed.page.tsx'], calls: [newestVents] },
    matches: {
      files: ['src/features/matches/matches.page.tsx'],
      calls: [matchSuggestions.path, pendingMatches.path],
    },
    inbox: {
      files: ['src/features/inbox/inbox.page.tsx'],
      calls: [inbox],
    },
  };

/**
 * Post-processes index.html: preloads the font, and adds integrity hashes, so that a partly deployed or
 * altered file does not run.
 */
function finishIndexHtml(): Plugin {
  return {
    name: 'unsaid:index-html',
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
        // The app's stylesheet comes after the splash in the page, so that the splash does not wait for it.
        let html = String(shell.source).replace('<link rel="stylesheet"', `${preload}<link rel="stylesheet"`);
        for (const [tag] of html.matchAll(/ *<link rel="stylesheet" crossorigin[^>]*>\n/gu)) {
          html = html.replace(tag, '').replace('    <div id="root">', `${tag}    <div id="root">`);
        }
        const tellBoot = (name: string, values: readonly string[]) => {
          html = html.replace('src="/boot.js"', `src="/boot.js" data-${name}="${values.join(' ')}"`);
        };
        const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
        // Tells boot.js the files of the languages other than English.
        const ofLocales: Record<string, string[]> = {};
        for (const { facadeModuleId, fileName } of chunks) {
          const [, locale] =
            /\/locales\/([\w-]+)\/(?:app\.po|language\.ts)$/u.exec(facadeModuleId ?? '') ?? [];
          if (locale !== undefined) (ofLocales[locale] ??= []).push(`/${fileName}`);
        }
        for (const [locale, names] of Object.entries(ofLocales)) tellBoot(locale, names.toSorted());
        const entry = new Set(
          chunks.flatMap((chunk) => (chunk.isEntry ? [...filesOf(bundle, chunk.fileName)] : [])),
        );
        for (const name of entry)
          if (!html.includes(`"/${name}"`)) throw new Error(`index.html does not preload ${name}`);
        tellBoot('calls', [getSelf.path]);
        for (const [path, { files: sources, calls }] of Object.entries(firstPages)) {
          const files = sources.flatMap((source) => {
            const chunk = chunks.find((one) => one.facadeModuleId?.endsWith(`/web/${source}`));
            if (!chunk) throw new Error(`${source} has no chunk of its own any more`);
            return [...filesOf(bundle, chunk.fileName)];
          });
          const preloads = [...new Set(files)].filter((name) => !entry.has(name)).map((name) => `/${name}`);
          tellBoot(`at-${path}`, preloads);
          if (calls)
            tellBoot(
              `calls-${path}`,
              calls.map((call) => call.replaceAll('&', '&amp;')),
            );
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
            const integrity = createHash('sha384').update(content).digest('base64');
            // Files without a hash in their name get one in the query string, so that a cached page requests
            // the files of its own release.
            const address =
              part === undefined
                ? tag.replace(/"$/u, `?v=${createHash('sha256').update(content).digest('hex').slice(0, 8)}"`)
                : tag;
            return `${address} integrity="sha384-${integrity}"`;
          },
        );
      },
    },
  };
}

/** Pages that must open offline. The others are cached too, but after installation. */
const offlinePages = [
  'src/features/info/support.page.tsx',
  'src/ui/grounding-dialog.tsx',
  'src/features/vents/feed/feed.page.tsx',
  'src/features/vents/detail/vent-layout.page.tsx',
  'src/features/vents/compose/create-vent.page.tsx',
  'src/features/vents/crisis/crisis-card.tsx',
  'src/ui/identity-card.tsx',
];

/** Writes the list of this release's files into the service worker, which caches nothing else. */
function serviceWorker(): Plugin {
  return {
    name: 'unsaid:service-worker',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const shell = bundle['index.html'];
        if (shell?.type !== 'asset') return;
        const core = new Set<string>();
        const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
        for (const chunk of chunks) if (chunk.isEntry) filesOf(bundle, chunk.fileName, core);
        for (const page of offlinePages) {
          const chunk = chunks.find((one) => one.facadeModuleId?.endsWith(`/web/${page}`));
          if (!chunk) throw new Error(`${page} has no chunk of its own any more`);
          filesOf(bundle, chunk.fileName, core);
        }
        const built = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
        for (const name of built) if (name.endsWith('.woff2')) core.add(name);
        const linked = [...String(shell.source).matchAll(/(?:src|href)="\/([^"]+\?v=[^"]+)"/gu)].map(
          ([, name = '']) => name,
        );
        const pictures = globSync('{*.svg,manifest.webmanifest,icons/*}', { cwd: `${here}public` });
        const paths = (names: Iterable<string>) => [...names].map((name) => `/${name}`).toSorted();
        const languages: Record<string, string[]> = {};
        for (const { facadeModuleId, fileName } of chunks) {
          // The crisis card speaks the language of the text: everybody has its words, so that they tell nothing.
          const [, locale] = /\/locales\/([\w-]+)\/(?!crisis)\w+\.po$/u.exec(facadeModuleId ?? '') ?? [];
          if (locale !== undefined) (languages[locale] ??= [`manifest-${locale}.webmanifest`]).push(fileName);
        }
        const ofLanguages = new Set(Object.values(languages).flat());
        const files = {
          core: ['/', ...paths([...core, ...linked])],
          rest: paths([...built.filter((name) => !core.has(name) && !ofLanguages.has(name)), ...pictures]),
          languages: Object.fromEntries(
            Object.entries(languages).map(([locale, names]) => [locale, paths(names)]),
          ),
        };
        const version = createHash('sha256')
          .update(JSON.stringify(files) + String(shell.source))
          .digest('hex')
          .slice(0, 12);
        // Marks the page with its release, to tell whether a waiting worker is newer.
        shell.source = String(shell.source).replace(
          '<meta name="referrer"',
          `<meta name="release" content="${version}" />\n    <meta name="referrer"`,
        );
        this.emitFile({
          type: 'asset',
          fileName: 'sw.js',
          source: readFileSync(`${here}sw.js`, 'utf8').replace(
            '__RELEASE__',
            JSON.stringify({ version, ...files }),
          ),
        });
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
    finishIndexHtml(),
    serviceWorker(),
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
              test: /\/src\/(?:lib|ui)\/(?!(?:chips|choice|code-field|dialog|drafts|emotion|feelings-picker|fold|grounding|hid|identity|lazy-module|lazy-reporting|limited|list-setting|live-connection|menu|phone|profile-facts|prose|reader-country|report|scheme|switch-row|team-badge|time-ago|use-countdown|use-growing|use-identity|use-undoable|voice))|\/contract\/src\/(?!fields|forms)|@tanstack\/|rounded\/(?:arrow_upward|close|edit|edit_note|forum|keyboard_arrow_down|support)\.svg|preload-helper|\/welcome-state|\/ui\/(?:chips-field|choice|dialog|code-field|emotion|grounding-dialog|hidden-line|identity-card|phone-field|feelings-picker|report-dialog|switch-row|profile-facts)\.module\.css|\/features\/(?:auth|choices|moderation|profile|settings|not-found)\/[a-z-]+\.module\.css|\/src\/app\/[a-z-]+\.module\.css/u,
            },
            // Used by vents and matches, which share little else. The sign-in pages need emotions alone.
            { name: 'emotion', test: /\/ui\/(?:emotion|team-badge)|chevron_right\.svg/u },
            // The strip on the home page, the inbox, and the bell of every page.
            {
              name: 'inbox',
              test: /\/features\/inbox\/(?:inbox\.api|inbox\.module|line-view)/u,
            },
            // Shared by lists of vents and the inbox alone.
            { name: 'growing', test: /\/lib\/use-growing/ },
            { name: 'reporting', test: /\/lib\/(?:folded-items|use-undoable)|\/ui\/lazy-reporting/u },
            {
              // Code of every list of vents, including the home page's. Styles in few files, because small
              // files compress badly.
              name: 'vents',
              test: /\/features\/vents\/(?:[a-z]+\/)?(?:(?:vents|comments|weather)\.api|vent-(?:body|cache|card|list)|reaction|list-params|clipped-text|empty-list|pager|search-box|feeling-filter|questions|just-posted|crisis-(?:guard|note)|hide-icon|is-folded|lazy-hiding|(?!crisis-)[a-z-]+\.module\.css)|\/ui\/(?:time-ago|limited-note)|\/lib\/lazy-module|rounded\/history\.svg/u,
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
