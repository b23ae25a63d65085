import { globSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

/** Compares the brotli size of each page with its budget. */
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const consoleDist = fileURLToPath(new URL('../dist-mod/', import.meta.url));

interface ManifestChunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8')) as Record<
  string,
  ManifestChunk
>;

function chunkOf(key: string): ManifestChunk {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`${key} is not in the manifest`);
  return chunk;
}

/** The chunk and its static imports, recursively. */
function closure(key: string, seen = new Set<string>()): Set<string> {
  if (!seen.has(key)) {
    seen.add(key);
    for (const next of chunkOf(key).imports ?? []) closure(next, seen);
  }
  return seen;
}

/** Most files are on several pages, and compressing takes long. */
const sizes = new Map<string, number>();
function brotli(file: string, folder = dist): number {
  const size = sizes.get(folder + file) ?? brotliCompressSync(readFileSync(folder + file)).length;
  sizes.set(folder + file, size);
  return size;
}
const total = (files: Iterable<string>): number =>
  [...new Set(files)].reduce((sum, file) => sum + brotli(file), 0);
const scriptsOf = (keys: Iterable<string>): string[] => [...keys].map((key) => chunkOf(key).file);

const entryKey = Object.keys(manifest).find((key) => manifest[key]?.isEntry);
if (!entryKey) throw new Error('The manifest names no entry.');
const entry = closure(entryKey);
const page = (key: string): Set<string> => new Set([...entry, ...closure(key)]);

const inLanguage = (locale: string) =>
  new Set([...page(`src/locales/${locale}/language.ts`), ...closure(`src/locales/${locale}/app.po`)]);

// Includes the form and the dialogs of the cards, which are loaded after the vents. Reports and what hides are loaded when
// they are opened.
const ventsPage = new Set([
  ...page('src/features/vents/feed/feed.page.tsx'),
  ...closure('src/features/vents/compose/composer.tsx'),
  ...closure('src/features/vents/dialogs/vent-dialogs.tsx'),
]);

const matchesPage = new Set([
  ...page('src/features/matches/matches.page.tsx'),
  ...closure('src/features/matches/user-profile-dialog.tsx'),
]);

const scripts = (keys: Iterable<string>): number => total([...scriptsOf(keys), 'boot.js']);

const consoleFiles = globSync('**/*.{html,js,css,svg,woff2}', { cwd: consoleDist });
const fonts = globSync('**/*.woff2', { cwd: dist });
const kB = 1000;
const rows: readonly (readonly [what: string, bytes: number, budget: number])[] = [
  // With what every first page but the inbox shows: emotions.
  ['entry JS', scripts(entry), 113.4 * kB],
  ['entry JS, Hindi', scripts(inLanguage('hi')), 123.8 * kB],
  ['entry JS, Hinglish', scripts(inLanguage('hi-Latn')), 123 * kB],
  ['/login JS', scripts(page('src/features/auth/login.page.tsx')), 120.5 * kB],
  ['/vents JS, first', scripts(page('src/features/vents/feed/feed.page.tsx')), 132.9 * kB],
  // 2 kB are for what would help, how long a vent stays, thanks and the badge of the team, 0.4 for the offer of Hinglish.
  ['/vents JS, all', scripts(ventsPage), 177.8 * kB],
  ['/matches JS, first', scripts(page('src/features/matches/matches.page.tsx')), 123.5 * kB],
  ['/matches JS, all', scripts(matchesPage), 144.1 * kB],
  ['/inbox JS', scripts(page('src/features/inbox/inbox.page.tsx')), 119.1 * kB],
  ['CSS, all pages', total(globSync('**/*.css', { cwd: dist })), 18 * kB],
  ['fonts', fonts.reduce((sum, file) => sum + statSync(dist + file).size, 0), 35 * kB],
  ['service worker', brotli('sw.js'), 4 * kB],
  // 0.2 kB are for the files of every page, not only of the first ones.
  ['HTML with splash', total(['index.html', 'splash.css']), 5.2 * kB],
  ['console, all', consoleFiles.reduce((sum, file) => sum + brotli(file, consoleDist), 0), 150 * kB],
];

let isOver = fonts.length !== 1;
if (isOver) console.error(`One font is allowed, found ${fonts.length}.`);
for (const [what, bytes, budget] of rows) {
  isOver ||= bytes > budget;
  const verdict = bytes > budget ? 'OVER' : 'ok';
  console.log(
    `${what.padEnd(18)} ${(bytes / kB).toFixed(1).padStart(7)} kB of ${String(budget / kB).padStart(5)} kB  ${verdict}`,
  );
}

// No user may load any part of the moderation console, and nobody learns its calls from a user's bundle.
for (const file of globSync('**/*.{html,js}', { cwd: dist })) {
  if (!readFileSync(dist + file, 'utf8').includes('/api/mod')) continue;
  isOver = true;
  console.error(`${file} holds calls of the moderation console.`);
}

console.log('\nOther pages, JS beyond the entry:');
for (const [key, chunk] of Object.entries(manifest)) {
  if (!key.endsWith('.page.tsx') || !chunk.file.endsWith('.js')) continue;
  const extra = [...closure(key)].filter((one) => !entry.has(one));
  console.log(
    `${key.replace('src/features/', '').padEnd(30)} ${(total(scriptsOf(extra)) / kB).toFixed(1).padStart(7)} kB`,
  );
}

process.exitCode = isOver ? 1 : 0;
