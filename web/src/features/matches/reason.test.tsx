import type { MatchReason } from '@unsaid/contract';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Reason } from './reason.tsx';

function wordsOf(reason: MatchReason): string {
  const { container } = render(
    <I18nProvider i18n={i18n}>
      <Reason reason={reason} />
    </I18nProvider>,
  );
  return container.textContent;
}

test.each([
  ['shared_interest', 'music', 'You both like music'],
  ['both_similar', null, 'You both want someone who feels the same'],
  ['both_different', null, 'You both want someone who feels different'],
  ['both_balanced', null, 'You both want a mix of the two'],
] as const)('the reason %s has a sentence', (kind, about, words) => {
  expect(wordsOf({ kind, about, text: 'unused' })).toBe(words);
});

test('an unknown or incomplete reason shows the text of the server', () => {
  const newer = 'both_night_owls' as MatchReason['kind'];
  expect(wordsOf({ kind: newer, about: null, text: 'You are both up late' })).toBe('You are both up late');
  expect(wordsOf({ kind: 'shared_interest', about: null, text: 'You both like something' })).toBe(
    'You both like something',
  );
});
