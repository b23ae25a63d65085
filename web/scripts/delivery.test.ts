import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { paths } from '../src/lib/paths.ts';
import { parts, readParts, splitCatalogues } from './delivery.ts';

const src = `${import.meta.dirname}/../src/`;

test('every page has a part with its route, and every part a file', () => {
  const routes = new Set(parts.map(({ route }) => route));
  expect(Object.values(paths).filter((path) => !routes.has(path))).toEqual([]);
  expect(parts.filter(({ file }) => !existsSync(file))).toEqual([]);
});

test('nothing is loaded late but by lazyPart, and the languages', () => {
  const others = globSync('**/*.{ts,tsx}', { cwd: src }).filter((name) => {
    if (/\.test\.tsx?$|svg\.d\.ts$/u.test(name)) return false;
    const code = readFileSync(src + name, 'utf8').replaceAll(/typeof import\(/gu, '');
    const all = code.match(/\bimport\(/gu)?.length ?? 0;
    const declared = code.match(/lazyPart\(\s*\(\) =>\s*import\(/gu)?.length ?? 0;
    return all !== declared;
  });
  expect(others).toEqual([]);
});

test('words that several parts show are in a catalogue that all of them have', () => {
  const split = new Map([...splitCatalogues()].flatMap(([name, files]) => files.map((file) => [file, name])));
  // Reports have both, what hides has one.
  expect(split.get('src/ui/report-dialog.tsx')).toBe('moderation');
  expect(split.get('src/ui/hidden-line.tsx')).toBe('choices');
  // Loaded with the entry.
  expect(split.has('src/ui/button.tsx')).toBe(false);
});

test('a declaration that the build cannot read is refused', () => {
  const refused = (code: string) => () => readParts('a.tsx', code);
  expect(readParts('/web/src/a.tsx', "lazyPart(() => import('./b.tsx'), { offline: true })")).toEqual([
    { file: '/web/src/b.tsx', catalogues: [], route: undefined, isOffline: true },
  ]);
  expect(refused('lazyPart(load, { offline: true })')).toThrow('is given');
  expect(refused("lazyPart(() => import('./b.tsx'), { catalogue: name })")).toThrow('catalogue');
});
