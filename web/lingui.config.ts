import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';
import { splitCatalogues } from './scripts/delivery.ts';

// `app` is loaded with the entry, the others with the parts that name them (src/lib/lazy-part.tsx).
const split = [...splitCatalogues()];
const inRoot = (files: readonly string[]) => files.map((file) => `<rootDir>/${file}`);

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'hi', 'hi-Latn'],
  // Untranslated strings are shown in English; `npm run i18n:check` lists them.
  fallbackLocales: { default: 'en' },
  catalogs: [
    ...split.map(([name, files]) => ({
      path: `<rootDir>/src/locales/{locale}/${name}`,
      include: inRoot(files),
    })),
    {
      path: '<rootDir>/src/locales/{locale}/app',
      include: ['<rootDir>/src'],
      exclude: [...inRoot(split.flatMap(([, files]) => files)), '**/*.test.*', '**/locales/**'],
    },
  ],
  // No line numbers or dates: a second extraction must change nothing.
  format: formatter({ lineNumbers: false }),
});
