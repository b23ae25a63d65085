import { accountEvents, type InboxLine } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { formatDayInIndia } from '../../lib/format.ts';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { LineLink, Sentence } from './line-view.tsx';

const day = '2026-01-02';
const sentences = {
  code_made: 'A recovery code was made for your account.',
  code_replaced: "Your recovery code was replaced. The old one doesn't work any more.",
  code_cancelled: "Your recovery code was cancelled. It doesn't work any more.",
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

const vent = { _id: 'v1', title: 'Awake' };
const textOf = (line: InboxLine) => {
  const { unmount } = renderSignedIn(<Sentence line={line} isNew />);
  const { textContent } = document.body;
  unmount();
  return textContent;
};

test('who is answered by the person they wrote to is told so', () => {
  testServer(() => ({}));
  const line = { kind: 'replies', key: 'k', isUnread: true, vent, count: 2, commentId: 'c', day } as const;
  expect(textOf({ ...line, isByAuthor: true })).toBe('The person you wrote to answered on “Awake”');
  expect(textOf({ ...line, isByAuthor: false })).toBe('2 new comments after yours on “Awake”');
});

test('reactions are told by the names that their buttons have', () => {
  testServer(() => ({}));
  const given = (heart: number, hug: number, listen: number) =>
    textOf({
      kind: 'reactions',
      key: 'k',
      isUnread: true,
      vent,
      reactions: { heart, hug, listen },
      day: null,
    });
  expect(given(1, 1, 1)).toBe('Someone sent love, a hug and “I hear you” on “Awake”');
  expect(given(0, 1, 0)).toBe('Someone sent a hug on “Awake”');
  expect(given(0, 2, 1)).toBe('Hugs from 2 people and “I hear you” on “Awake”');
});
