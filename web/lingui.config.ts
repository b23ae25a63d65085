import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

// The long texts, the inbox, reports, notices and what is shown on a bad night have catalogues of their own, so that they are not part of
// the entry chunk.
const legal = ['terms.page', 'retention-table', 'residual-risks'].map(
  (name) => `<rootDir>/src/features/info/${name}.tsx`,
);

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'hi', 'hi-Latn'],
  // Untranslated strings are shown in English; `npm run i18n:check` lists them.
  fallbackLocales: { default: 'en' },
  catalogs: [
    {
      path: '<rootDir>/src/locales/{locale}/info',
      include: ['<rootDir>/src/features/info'],
      exclude: legal,
    },
    // Not in Hinglish: web/src/features/info/stays-english.tsx.
    {
      path: '<rootDir>/src/locales/{locale}/legal',
      include: legal,
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
      path: '<rootDir>/src/locales/{locale}/moderation',
      include: [
        '<rootDir>/src/features/moderation',
        '<rootDir>/src/ui/report-dialog.tsx',
        '<rootDir>/src/ui/report-reasons.ts',
      ],
      exclude: ['**/*.test.*'],
    },
    {
      path: '<rootDir>/src/locales/{locale}/choices',
      include: [
        '<rootDir>/src/features/choices',
        '<rootDir>/src/features/vents/hiding',
        '<rootDir>/src/ui/hidden-line.tsx',
        '<rootDir>/src/ui/hide-name-alert.tsx',
        '<rootDir>/src/ui/hiding-rule.tsx',
      ],
      exclude: ['**/*.test.*'],
    },
    {
      path: '<rootDir>/src/locales/{locale}/recovery',
      include: ['<rootDir>/src/features/settings'],
      exclude: ['**/*.test.*'],
    },
    {
      path: '<rootDir>/src/locales/{locale}/listening',
      include: ['<rootDir>/src/features/vents/listening'],
      exclude: ['**/*.test.*'],
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
        '**/features/moderation/**',
        '**/ui/report-dialog.tsx',
        '**/ui/report-reasons.ts',
        '**/features/choices/**',
        '**/features/vents/hiding/**',
        '**/ui/{hidden-line,hide-name-alert,hiding-rule}.tsx',
        '**/features/settings/**',
        '**/features/vents/listening/**',
        '**/*.test.*',
        '**/locales/**',
      ],
    },
  ],
  // No line numbers or dates: a second extraction must change nothing.
  format: formatter({ lineNumbers: false }),
});
