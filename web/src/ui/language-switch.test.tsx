import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { activateEnglish } from '../locales/i18n.ts';
import { LanguageSwitch } from './language-switch.tsx';

afterEach(() => {
  activateEnglish();
  localStorage.clear();
});

test('the switch changes the language at once, sets `lang` and stores the choice', async () => {
  render(
    <I18nProvider i18n={i18n}>
      <LanguageSwitch />
    </I18nProvider>,
  );
  expect(screen.getByRole('group', { name: 'Language' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'English' }).getAttribute('aria-pressed')).toBe('true');

  await userEvent.click(screen.getByRole('button', { name: 'हिन्दी' }));
  // The catalogue is loaded on demand.
  expect(await screen.findByRole('group', { name: 'भाषा' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'हिन्दी' }).getAttribute('aria-pressed')).toBe('true');
  expect(document.documentElement.lang).toBe('hi');
  expect(localStorage.getItem('unsaid.locale')).toBe('hi');

  await userEvent.click(screen.getByRole('button', { name: 'English' }));
  expect(await screen.findByRole('group', { name: 'Language' })).toBeTruthy();
  expect(document.documentElement.lang).toBe('en');
  expect(localStorage.getItem('unsaid.locale')).toBe('en');
});
