import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

// The long texts, the inbox and what is shown on a bad night have catalogues of their own, so that they are not part of
// the entry chunk.
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
      path: '<rootDir>/src/locales/{locale}/inbox',
      include: ['<rootDir>/src/features/inbox'],
      exclude: ['**/*.test.*'],
    },
    {
      path: '<rootDir>/src/locales/{locale}/crisis',
      include: ['<rootDir>/src/features/vents/crisis', '<rootDir>/src/ui/grounding-dialog.tsx'],
      exclude: ['**/*.test.*'],
    },
    {
      path: '<rootDir>/src/locales/{locale}/identity',
      include: ['<rootDir>/src/ui/identity-card.tsx'],
    },
    {
      path: '<rootDir>/src/locales/{locale}/app',
      include: ['<rootDir>/src'],
      exclude: [
        '**/features/info/**',
        '**/features/inbox/**',
        '**/features/vents/crisis/**',
        '**/ui/grounding-dialog.tsx',
        '**/ui/identity-card.tsx',
        '**/*.test.*',
        '**/locales/**',
      ],
    },
  ],
  // No line numbers or dates: a second extraction must change nothing.
  format: formatter({ lineNumbers: false }),
});
