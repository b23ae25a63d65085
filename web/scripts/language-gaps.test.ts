import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { brokenTexts, gapsOf, type Repository } from './language-gaps.ts';

const root = `${import.meta.dirname}/../../`;
const catalogues = ['app.po', 'crisis.po'];
const read = (path: string) => {
  try {
    return readFileSync(root + path, 'utf8');
  } catch {
    return undefined;
  }
};
const repository: Repository = { read, catalogues };

test('the languages that are offered lack nothing', () => {
  expect(gapsOf('hi', repository)).toEqual([]);
  expect(gapsOf('hi-Latn', repository)).toEqual([]);
});

test('each thing that a language lacks is named', () => {
  const gaps = gapsOf('mr', repository);
  expect(gaps).toHaveLength(9);
  for (const path of ['app.po', 'boot.js', 'index.html', 'locale.ts', 'language.ts', 'manifest-mr'])
    expect(gaps.join('\n')).toContain(path);
  const without = (gone: string): Repository => ({
    catalogues,
    read: (path) => read(path)?.replaceAll(gone, 'xx'),
  });
  expect(gapsOf('hi', without("lang='hi'"))).toHaveLength(1);
  expect(gapsOf('hi', without('msgstr "रहने दें"'))).toEqual([
    expect.stringMatching(/^app\.po: 1 of \d+ texts$/u),
  ]);
  expect(
    gapsOf('ta', {
      catalogues,
      read: (path) => (path.startsWith('web/unfinished') ? 'msgid "Text"\nmsgstr "உரை"' : read(path)),
    }).join(),
  ).toContain('fold.ts');
});

test('an unfinished text whose English is gone, or that lost a placeholder, is found', () => {
  const po = (source: string, text: string) => `msgid "${source}"\nmsgstr "${text}"`;
  const english = new Set(['Call {shown}', 'Title']);
  expect(brokenTexts(po('Call {shown}', '{shown} वर कॉल करा'), english)).toEqual([]);
  expect(brokenTexts(po('Call {shown}', 'कॉल करा'), english)).toEqual(['Call {shown}']);
  expect(brokenTexts(po('Titel', 'शीर्षक'), english)).toEqual(['Titel']);
});
