import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

// Two catalogues, so that the long texts are not part of the entry chunk.
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'hi'],
  // Untranslated strings are shown in English; `npm run i18n:check` lists them.
  fallbackLocales: { default: 'en' },
  catalogs: [
    {
      path: '<rootDir>/src/locales/{locale}/info',
      include: ['<rootDir>/src/features/info'],
    },
    {
      path: '<rootDir>/src/locales/{locale}/app',
      include: ['<rootDir>/src'],
      exclude: ['**/features/info/**', '**/*.test.*', '**/locales/**'],
    },
  ],
  // No line numbers or dates: a second extraction must change nothing.
  format: formatter({ lineNumbers: false }),
});
