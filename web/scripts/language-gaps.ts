import { isMissing, readCatalogue } from './word-checks.ts';

/** What a language needs beside its catalogues, and how to tell. Paths from the root of the repository. */
const places: readonly (readonly [
  file: string,
  has: (text: string, tag: string) => boolean,
  what: string,
])[] = [
  ['web/lingui.config.ts', (text, tag) => text.includes(`'${tag}'`), 'its catalogues are not extracted'],
  [
    'web/src/lib/locale.ts',
    (text, tag) => text.split(new RegExp(`'?${tag}'?: '`, 'u')).length > 2,
    'no name and no formats',
  ],
  [
    'web/public/boot.js',
    (text, tag) => new RegExp(`ours = new Set\\([^)]*'${tag}'`, 'u').test(text),
    'not offered',
  ],
  [
    'web/index.html',
    (text, tag) => text.split(`lang="${tag}"`).length > 7,
    'no words before the application',
  ],
  [
    'web/public/splash.css',
    (text, tag) => text.includes(`lang='${tag}'`),
    'its words before the application are not shown',
  ],
  [
    'guard/src/helplines.ts',
    (text, tag) => text.includes(`'${tag.split('-')[0]}'`) || /languages: \d/u.test(text),
    'no helpline says that it speaks it',
  ],
];

/** Files of its own, with the tag in their place. */
const files = (tag: string) => [
  `web/src/locales/${tag}/language.ts`,
  `web/public/manifest-${tag}.webmanifest`,
];

/** Of the scripts that guard/src/fold.ts has a table for. */
const foldedLetters = /[\p{Script=Latin}\p{Script=Devanagari}]/gu;

export interface Repository {
  read(path: string): string | undefined;
  readonly catalogues: readonly string[];
}

/** Every gap of a language, one line each; the first count the texts of each catalogue. */
export function gapsOf(tag: string, { read, catalogues }: Repository): string[] {
  const begun = new Map(
    readCatalogue(read(`web/unfinished/${tag}.po`) ?? '').map((entry) => [entry.source, entry.text]),
  );
  const counts = catalogues.flatMap((name) => {
    const own = read(`web/src/locales/${tag}/${name}`);
    const entries = readCatalogue(own ?? read(`web/src/locales/en/${name}`) ?? '').map(
      ({ source, text }) => ({
        source,
        text: own === undefined ? (begun.get(source) ?? '') : text,
      }),
    );
    const missing = entries.filter((entry) => isMissing(tag, entry)).length;
    return missing > 0 ? [`${name}: ${missing} of ${entries.length} texts`] : [];
  });
  return [
    ...counts,
    ...(/\p{L}/u.test([...begun.values()].join('').replaceAll(foldedLetters, ''))
      ? ['guard/src/fold.ts: its letters are not folded, and no phrase of distress is found in them']
      : []),
    ...files(tag)
      .filter((path) => read(path) === undefined)
      .map((path) => `${path}: no such file`),
    ...places
      .filter(([path, has]) => !has(read(path) ?? '', tag))
      .map(([path, , what]) => `${path}: ${what}`),
  ];
}

/** Of an unfinished catalogue: texts whose English is gone, and placeholders that are not kept. */
export function brokenTexts(po: string, english: ReadonlySet<string>): string[] {
  const holes = (text: string) => JSON.stringify((text.match(/\{\w+\}|<\/?\d+>/gu) ?? []).toSorted());
  return readCatalogue(po)
    .filter(({ source, text }) => !english.has(source) || holes(source) !== holes(text))
    .map(({ source }) => source);
}
