import { screen } from '@testing-library/react';
import { act } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import { dayInIndia } from '../../lib/format.ts';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { activateEnglish, chooseLocale, loadMessages } from '../../locales/i18n.ts';
import { InboxPage } from './inbox.page.tsx';

const line = (event: string) =>
  ({ kind: 'account', key: event, isUnread: true, event, day: dayInIndia(Date.now()) }) as const;

test('a change of the language renders each line again, to its date', async () => {
  onTestFinished(() => act(activateEnglish));
  await loadMessages('inbox');
  testServer(() => ({
    lines: ['code_made', 'recovered'].map(line),
    counts: { answers: 0, gifts: 0, matches: 0 },
    cursor: 'c',
  }));
  renderSignedIn(<InboxPage />);
  expect(await screen.findAllByText('Today')).toHaveLength(2);
  await act(() => chooseLocale('hi'));
  expect(screen.queryByText('Today')).toBeNull();
  expect(screen.getAllByText('आज')).toHaveLength(2);
});
