/**
 * npm run check:docs: in every Markdown file of the repository each relative link and each anchor leads somewhere, each
 * `npm run x` exists, and each file in a code span exists. The first sentence of a page says who reads it and when. Pages
 * that are written by hand stay short: `limits`; so does what an operator reads before the first day. Generated pages
 * (their first line says so) have links and a reader too, but their words do not count.
 */
import { dirname, join, normalize } from 'node:path/posix';
import { readText } from './docs-data.ts';
import { filesInGit } from './files.ts';
import { conclude } from './test-reports.ts';

/** Most words of a page. A reader gives the first pages a few minutes, and all of them an afternoon. */
const limits: Record<string, number> = {
  'README.md': 700,
  'docs/architecture.md': 500,
  // Both are looked up, not read.
  'docs/operations.md': Infinity,
  'docs/runbook.md': Infinity,
};
const limitOfPage = 2_500;
const limitOfAll = 30_000;
/** The page whose list says what an operator reads before the first day, itself included. */
const beforeDayOne = { page: 'docs/launch.md', anchor: 'read-before-day-1', limit: 6_000 };

type Pages = ReadonlyMap<string, string>;

const files = filesInGit();
/** Every file and every folder. */
const paths = new Set(['.']);
for (const file of files)
  for (let path = file; path !== '.' && !paths.has(path); path = dirname(path)) paths.add(path);

/** The scripts of each workspace; '' is the root. */
const scripts = new Map(
  files
    .filter((file) => /^(?:[^/]+\/)?package\.json$/u.test(file))
    .map((file) => {
      const parsed = JSON.parse(readText(file)) as { scripts?: Record<string, string> };
      return [file.replace(/\/?package\.json$/u, ''), new Set(Object.keys(parsed.scripts ?? {}))];
    }),
);

const withoutBlocks = (text: string) => text.replaceAll(/^ *```.*?^ *```$/gmsu, '');
const withoutSpans = (text: string) => text.replaceAll(/`[^`\n]*`/gu, '');

/** The anchors that GitHub generates for the headings, in order: the second one of a name ends in -1. */
function anchorsOf(text: string): Map<string, string> {
  const anchors = new Map<string, string>();
  for (const [line, heading = ''] of withoutBlocks(text).matchAll(/^#+ (.+)$/gmu)) {
    const name = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\s-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let anchor = name;
    for (let n = 1; anchors.has(anchor); n += 1) anchor = `${name}-${n}`;
    anchors.set(anchor, line);
  }
  return anchors;
}

/** From the heading with this anchor to the next heading that is not below it. */
function sectionOf(text: string, anchor: string): string {
  const heading = anchorsOf(text).get(anchor);
  const level = heading?.indexOf(' ') ?? 0;
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line === heading);
  if (first === -1) return '';
  let isCode = false;
  const length = lines.slice(first + 1).findIndex((line) => {
    if (line.startsWith('```')) isCode = !isCode;
    const depth = /^#+(?= )/u.exec(line)?.[0].length ?? Infinity;
    return !isCode && depth <= level;
  });
  return lines.slice(first, length === -1 ? undefined : first + 1 + length).join('\n');
}

/** Pages and sections of the list, and the page with the list. */
function countWordsBeforeDayOne(pages: Pages): number {
  const { page, anchor } = beforeDayOne;
  const whole = pages.get(page) ?? '';
  const links = sectionOf(whole, anchor)
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .flatMap((line) => [...line.matchAll(/\]\(([^()\s#]+)(?:#([^()\s]+))?\)/gu)]);
  const texts = links.map(([, path = '', section]) => {
    const text = pages.get(join(dirname(page), path)) ?? '';
    return section === undefined ? text : sectionOf(text, section);
  });
  return texts.length === 0 ? Infinity : [whole, ...texts].reduce((sum, text) => sum + countWords(text), 0);
}

function findBrokenLinks(pages: Pages, page: string, text: string): string[] {
  const links = withoutSpans(withoutBlocks(text)).matchAll(
    /\]\(\s*<?([^()\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)|(?:src|href)="([^"]+)"/gmu,
  );
  return [...links].flatMap(([, inline, defined, attribute]) => {
    const target = inline ?? defined ?? attribute ?? '';
    if (/^[a-z]+:/u.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), decodeURI(path))).replace(/\/$/u, '');
    if (!paths.has(file) && !pages.has(file)) return [`${page}: no such file: ${target}`];
    const linked = pages.get(file);
    return anchor !== undefined && linked !== undefined && !anchorsOf(linked).has(anchor)
      ? [`${page}: no such heading: ${target}`]
      : [];
  });
}

function findUnknownScripts(page: string, text: string): string[] {
  return [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)(?: -w (\w+))?/gu)]
    .filter(([, script = '', workspace = '']) => !scripts.get(workspace)?.has(script))
    .map(([command]) => `${page}: no such script: ${command}`);
}

/** Code spans that name a file: by its path, by the end of its path, or by its name alone. `x.` stands for any feature. */
function findUnknownFiles(page: string, text: string): string[] {
  return [
    ...withoutBlocks(text).matchAll(
      /`((?:[\w.-]+\/)*[\w.-]+\.(?:tsx?|js|css|html|sql|sh|json|md|ya?ml|svg|tsv))`/gu,
    ),
  ]
    .map(([, name = '']) => name)
    .filter(
      (name) =>
        !name.startsWith('x.') && !paths.has(name) && !files.some((file) => file.endsWith(`/${name}`)),
    )
    .map((name) => `${page}: no such file: ${name}`);
}

const isGenerated = (text: string) => text.startsWith('<!-- Generated by ');
/** As `wc -w` counts them. */
const countWords = (text: string) => text.split(/\s+/u).filter(Boolean).length;

/** Of docs/ without what is generated. */
const wordsOfDocs = (pages: Pages) =>
  [...pages]
    .filter(([page, text]) => page.startsWith('docs/') && !isGenerated(text))
    .reduce((sum, [, text]) => sum + countWords(text), 0);

function findLongPages(pages: Pages): string[] {
  const counts = [...pages]
    .filter(([, text]) => !isGenerated(text))
    .map(([page, text]) => [page, countWords(text)] as const);
  const all = wordsOfDocs(pages);
  return [
    ...counts
      .filter(([page, count]) => count > (limits[page] ?? limitOfPage))
      .map(([page, count]) => `${page}: ${count} words, ${limits[page] ?? limitOfPage} are allowed`),
    ...(countWordsBeforeDayOne(pages) > beforeDayOne.limit
      ? [
          `${beforeDayOne.page}: before day 1 ${countWordsBeforeDayOne(pages)} words, ${beforeDayOne.limit} are allowed`,
        ]
      : []),
    ...(all > limitOfAll ? [`docs/: ${all} words, ${limitOfAll} are allowed`] : []),
  ];
}

/** "For operators, before …", as the first sentence of the page. */
const saysItsReader = (text: string) =>
  /^(?:<!--.*-->\n\n)?# .+\n\nFor [^.]*?,? (?:before|when|on each) /u.test(text);

const check = (pages: Pages) => [
  ...[...pages].flatMap(([page, text]) => [
    ...findBrokenLinks(pages, page, text),
    ...findUnknownScripts(page, text),
    // A generated page has the files of its data, which the checks of that data compare.
    ...(isGenerated(text) ? [] : findUnknownFiles(page, text)),
  ]),
  ...[...pages]
    .filter(([, text]) => !saysItsReader(text))
    .map(
      ([page]) => `${page}: the first sentence does not say who reads the page and when ("For …, before …")`,
    ),
  ...findLongPages(pages),
];

const pages: Pages = new Map(
  // A template is filled in, not read.
  files
    .filter((file) => file.endsWith('.md') && !file.startsWith('.github/'))
    .map((file) => [file, readText(file)]),
);
const problems = check(pages);

// The check itself: each of these, added to the README, must be found.
const planted: readonly (readonly [text: string, report: string])[] = [
  ['[gone](docs/gone.md)', 'README.md: no such file: docs/gone.md'],
  ['![gone](docs/gone.svg)', 'README.md: no such file: docs/gone.svg'],
  ['[gone](docs/runbook.md#gone)', 'README.md: no such heading: docs/runbook.md#gone'],
  ['[gone](#gone)', 'README.md: no such heading: #gone'],
  ['`npm run gone`', 'README.md: no such script: npm run gone'],
  ['`npm run build -w contract`', 'README.md: no such script: npm run build -w contract'],
  ['`platform/gone.ts`', 'README.md: no such file: platform/gone.ts'],
  ['word '.repeat(limits['README.md'] ?? 0), 'README.md: '],
];
for (const [text, report] of planted) {
  const found = check(new Map([...pages, ['README.md', `${pages.get('README.md') ?? ''}\n${text}\n`]]));
  if (!found.some((problem) => problem.startsWith(report)))
    problems.push(`planted fault not found: ${text.slice(0, 40)}`);
}
const plantedPages: readonly (readonly [page: string, text: string, report: string])[] = [
  ['docs/planted.md', 'word '.repeat(limitOfAll), 'docs/: '],
  ['docs/planted.md', 'word '.repeat(limitOfPage + 1), 'docs/planted.md: '],
  ['docs/planted.md', '# Planted\n\nA page for nobody.\n', 'docs/planted.md: the first sentence'],
  ['docs/moderation.md', 'word '.repeat(beforeDayOne.limit), `${beforeDayOne.page}: before day 1`],
];
for (const [page, text, report] of plantedPages)
  if (!check(new Map([...pages, [page, text]])).some((problem) => problem.startsWith(report)))
    problems.push(`planted fault not found: ${page}: ${report}`);

conclude(
  problems,
  `documents: ${pages.size} pages, ${wordsOfDocs(pages)} words written by hand in docs/, README ${countWords(pages.get('README.md') ?? '')}, before day 1 ${countWordsBeforeDayOne(pages)}; ${planted.length + plantedPages.length} planted faults found`,
);
