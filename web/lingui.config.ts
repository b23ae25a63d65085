import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

// Two catalogues: the long texts must not ride along with the entry chunk.
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'hi'],
  // A string nobody has translated yet is shown in English; `npm run i18n:check` names it.
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
  // No line numbers or dates: extracting again must change nothing.
  format: formatter({ lineNumbers: false }),
});
