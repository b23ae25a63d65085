import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  getSelf,
  limits,
  listInbox,
  listVents,
  matchSuggestions,
  pendingMatches,
  ventWeather,
} from '@unsaid/contract';
import { minifySync, type Plugin, type Rolldown } from 'vite';
import { paths } from '../src/lib/paths.ts';
import { parts } from './delivery.ts';

const web = fileURLToPath(new URL('..', import.meta.url));

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
 * The first calls of a page, sent beside its code for somebody who is signed in: first-calls.spec.ts compares them with
 * what the page asks for.
 */
const calls: Readonly<Record<string, readonly string[]>> = {
  [paths.home]: [newestLight, inbox, ventWeather.path],
  [paths.vents]: [newestVents],
  [paths.matches]: [matchSuggestions.path, pendingMatches.path],
  [paths.inbox]: [inbox],
};

/** What boot.js reads. Files are numbers: places in `files`. */
interface Delivery {
  readonly files: readonly string[];
  /** By address, where :id stands for any: the files, and the catalogues, of a page. */
  readonly routes: Readonly<Record<string, readonly (number | string)[]>>;
  /** By language and catalogue. */
  readonly words: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
  readonly font: string | undefined;
  /** Of every page. */
  readonly call: string;
  readonly calls: typeof calls;
}

/** Of the files in public/ that every first page waits for: without comments. */
const lean = new Map(
  ['boot.js'].map((name) => [name, minifySync(name, readFileSync(`${web}public/${name}`, 'utf8')).code]),
);

const hash = (content: string | Uint8Array, kind: 'sha256' | 'sha384', as: 'hex' | 'base64') =>
  createHash(kind).update(content).digest(as);

/** The chunk, its styles and its static imports, recursively. */
function filesOf(bundle: Rolldown.OutputBundle, name: string, seen = new Set<string>()): Set<string> {
  const chunk = bundle[name];
  if (seen.has(name) || chunk?.type !== 'chunk') return seen;
  seen.add(name);
  for (const style of chunk.viteMetadata?.importedCss ?? []) seen.add(style);
  for (const next of chunk.imports) filesOf(bundle, next, seen);
  return seen;
}

/**
 * Writes into index.html and the service worker what scripts/delivery.ts reads: the files of each page, which boot.js
 * preloads, and those that are cached first. Adds integrity hashes, so that a partly deployed or altered file does not run.
 */
export function deliver(): Plugin {
  return {
    name: 'unsaid:deliver',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle['index.html'];
        if (page?.type !== 'asset') return;
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
        const entry = new Set(
          chunks.flatMap((chunk) => (chunk.isEntry ? [...filesOf(bundle, chunk.fileName)] : [])),
        );
        const partFiles = (file: string) => {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === file);
          if (!chunk) throw new Error(`${file} has no chunk of its own any more`);
          return filesOf(bundle, chunk.fileName);
        };
        /** The catalogues of a language, and what reads them. English is in the code. */
        const words: Record<string, Record<string, string[]>> = {};
        for (const { facadeModuleId, fileName } of chunks) {
          const [, locale, name] = /\/locales\/([\w-]+)\/(\w+)\.(?:po|ts)$/u.exec(facadeModuleId ?? '') ?? [];
          if (locale !== undefined && name !== undefined)
            ((words[locale] ??= {})[name === 'language' ? 'app' : name] ??= []).push(fileName);
        }

        for (const [name, source] of lean) this.emitFile({ type: 'asset', fileName: name, source });
        let html = moveStyles(String(page.source));
        for (const name of entry)
          if (!html.includes(`"/${name}"`)) throw new Error(`index.html does not preload ${name}`);
        html = addIntegrity(tellBoot(html, describe(bundle, entry, words, partFiles)), bundle);

        const core = new Set(entry);
        for (const part of parts) if (part.isOffline) for (const name of partFiles(part.file)) core.add(name);
        const built = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
        for (const name of built) if (name.endsWith('.woff2')) core.add(name);
        const release = listRelease(html, core, built, words);
        const version = hash(JSON.stringify(release) + html, 'sha256', 'hex').slice(0, 12);
        // Marks the page with its release, to tell whether a waiting worker is newer.
        page.source = html.replace(
          '<meta name="referrer"',
          `<meta name="release" content="${version}" />\n    <meta name="referrer"`,
        );
        this.emitFile({
          type: 'asset',
          fileName: 'sw.js',
          source: readFileSync(`${web}sw.js`, 'utf8').replace('__RELEASE__', () =>
            JSON.stringify({ version, ...release }),
          ),
        });
      },
    },
  };
}

function describe(
  bundle: Rolldown.OutputBundle,
  entry: ReadonlySet<string>,
  words: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
  partFiles: (file: string) => ReadonlySet<string>,
): Delivery {
  const files: string[] = [];
  const placeOf = (name: string) =>
    files.includes(`/${name}`) ? files.indexOf(`/${name}`) : files.push(`/${name}`) - 1;
  const routes: Record<string, (number | string)[]> = {};
  for (const { file, route, catalogues } of parts) {
    if (route === undefined) continue;
    const own = [...partFiles(file)].filter((name) => !entry.has(name)).map(placeOf);
    const key = route.replaceAll(/:\w+/gu, ':');
    routes[key] = [...new Set([...(routes[key] ?? []), ...own, ...catalogues])];
  }
  return {
    files,
    routes,
    words: Object.fromEntries(
      Object.entries(words).map(([locale, names]) => [
        locale,
        Object.fromEntries(Object.entries(names).map(([name, list]) => [name, list.map(placeOf)])),
      ]),
    ),
    font: Object.keys(bundle)
      .filter((name) => name.endsWith('.woff2'))
      .map((name) => `/${name}`)[0],
    call: getSelf.path,
    calls,
  };
}

const tellBoot = (html: string, delivery: Delivery) =>
  html.replace(
    'src="/boot.js"',
    () =>
      `src="/boot.js" data-delivery='${JSON.stringify(delivery).replaceAll('&', '&amp;').replaceAll("'", '&#39;')}'`,
  );

/** The app's stylesheet comes after the splash in the page, so that the splash does not wait for it. */
function moveStyles(html: string): string {
  for (const [tag] of html.matchAll(/ *<link rel="stylesheet" crossorigin[^>]*>\n/gu))
    html = html.replace(tag, '').replace('    <div id="root">', `${tag}    <div id="root">`);
  return html;
}

function addIntegrity(html: string, bundle: Rolldown.OutputBundle): string {
  return html.replace(
    /<(?:script|link)\b[^>]*?(?:src|href)="\/([^"]+\.(?:js|css))"/gu,
    (tag, name: string) => {
      const part = bundle[name];
      const content =
        part === undefined
          ? (lean.get(name) ?? readFileSync(`${web}public/${name}`))
          : part.type === 'chunk'
            ? part.code
            : part.source;
      // Files without a hash in their name get one in the query string, so that a cached page requests the files of its
      // own release.
      const address =
        part === undefined || lean.has(name)
          ? tag.replace(/"$/u, `?v=${hash(content, 'sha256', 'hex').slice(0, 8)}"`)
          : tag;
      return `${address} integrity="sha384-${hash(content, 'sha384', 'base64')}"`;
    },
  );
}

/** This release's files. The service worker caches nothing else. */
function listRelease(
  html: string,
  core: ReadonlySet<string>,
  built: readonly string[],
  words: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
) {
  const linked = [...html.matchAll(/(?:src|href)="\/([^"]+\?v=[^"]+)"/gu)].map(([, name = '']) => name);
  const pictures = globSync('{*.svg,manifest.webmanifest,icons/*}', { cwd: `${web}public` });
  const inOrder = (names: Iterable<string>) => [...names].map((name) => `/${name}`).toSorted();
  const languages = Object.entries(words).map(([locale, { app = [], ...others }]) => [
    locale,
    // The crisis card speaks the language of the text: everybody has its words, so that they tell nothing. They are read
    // by the language's own file.
    [
      `manifest-${locale}.webmanifest`,
      ...app.filter((name) => !/language-/u.test(name)),
      ...Object.entries(others).flatMap(([name, files]) => (name === 'crisis' ? [] : files)),
    ],
  ]) as [string, string[]][];
  const ofLanguages = new Set(languages.flatMap(([, names]) => names));
  return {
    core: ['/', ...inOrder([...core, ...linked])],
    rest: inOrder([...built.filter((name) => !core.has(name) && !ofLanguages.has(name)), ...pictures]),
    languages: Object.fromEntries(languages.map(([locale, names]) => [locale, inOrder(names)])),
  };
}
