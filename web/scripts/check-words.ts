import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenTexts, gapsOf, type Repository } from './language-gaps.ts';
import { problemsOf, readCatalogue, readTerms, staysEnglish } from './word-checks.ts';

/** npm run i18n:check: no text of a whole language is untranslated, says a wrong term or shows the reader's gender. */
const web = fileURLToPath(new URL('../', import.meta.url));
const terms = readTerms(readFileSync(`${web}../docs/translating.md`, 'utf8'));
const never = terms.flatMap((term) => term.never).length;
let problems = never === 0 ? 1 : 0;
if (never === 0) console.error('docs/translating.md has no table of terms.');
let texts = 0;

for (const path of globSync('src/locales/*/*.po', { cwd: web, exclude: ['src/locales/en/*'] })) {
  const [, , locale = '', file = ''] = path.split('/');
  if (staysEnglish[locale]?.includes(file)) continue;
  for (const entry of readCatalogue(readFileSync(web + path, 'utf8'))) {
    texts += 1;
    for (const problem of problemsOf(locale, entry, terms)) {
      problems += 1;
      console.error(`${locale}/${file}: "${entry.source}" ${problem}`);
    }
  }
}
// Unfinished languages are offered to nobody: what they lack is listed, and only what they have must be right.
const catalogues = globSync('*.po', { cwd: `${web}src/locales/en` }).toSorted();
const root = `${web}../`;
const repository: Repository = {
  catalogues,
  read: (path) => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : undefined),
};
const english = new Set(
  catalogues.flatMap((name) =>
    readCatalogue(readFileSync(`${web}src/locales/en/${name}`, 'utf8')).map(({ source }) => source),
  ),
);
for (const file of globSync('unfinished/*.po', { cwd: web })) {
  const tag = basename(file, '.po');
  console.log(`${tag}, unfinished, lacks:\n  ${gapsOf(tag, repository).join('\n  ')}`);
  for (const source of brokenTexts(readFileSync(web + file, 'utf8'), english)) {
    problems += 1;
    console.error(`${file}: "${source}" is not in the English, or has other placeholders`);
  }
}
console.log(`${texts} texts, ${never} words ruled out: ${problems} problems.`);
process.exitCode = problems > 0 ? 1 : 0;
