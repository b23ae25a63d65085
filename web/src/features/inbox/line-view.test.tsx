import { accountEvents } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { formatDayInIndia } from '../../lib/format.ts';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { LineLink } from './line-view.tsx';

const day = '2026-01-02';
const sentences = {
  code_made: 'A recovery code was made for your account.',
  code_replaced: 'Your recovery code was replaced. The old one works for 7 days after that.',
  code_cancelled: 'Your recovery code was cancelled. It works for 7 days after that.',
  recovery_asked: 'Someone is getting this account back with a recovery code.',
  recovered: 'This account was opened with a recovery code.',
  number_changed: 'Your number was changed.',
};

test.each(accountEvents)('the line of %s says it with the day and leads to account recovery', (event) => {
  testServer(() => ({}));
  const onFollow = vi.fn<() => void>();
  const line = { kind: 'account', key: 'k', isUnread: true, event, day } as const;
  renderSignedIn(<LineLink line={line} isNew onFollow={onFollow} />);
  const link = screen.getByRole('link');
  expect(link.textContent).toBe(sentences[event] + formatDayInIndia(day, '2026-06-01'));
  expect(link.getAttribute('href')).toBe('/settings#recovery');
  link.click();
  expect(onFollow).toHaveBeenCalledOnce();
});
