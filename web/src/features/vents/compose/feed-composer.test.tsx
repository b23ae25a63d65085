import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useRef, useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderSignedIn, testServer } from '../../../lib/testing.tsx';
import { FeedComposer } from './feed-composer.tsx';
import { readDraft, saveDraft, emptyDraft } from './drafts.ts';

const loaded = vi.hoisted(() => {
  let arrive = () => {};
  const here = new Promise<void>((resolve) => (arrive = resolve));
  return { here, arrive };
});
// The real form, when the connection brings it.
vi.mock('./composer.tsx', async (importOriginal) => {
  await loaded.here;
  return importOriginal();
});

beforeEach(() => localStorage.clear());

function Page() {
  const [isOpen, setIsOpen] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  return (
    <FeedComposer
      isOpen={isOpen}
      onToggle={() => setIsOpen(!isOpen)}
      onPosted={vi.fn()}
      onWrite={vi.fn()}
      textRef={text}
    />
  );
}

test('what is typed before the form is there is in it, with the caret where it was', async () => {
  testServer(() => ({}));
  renderSignedIn(<Page />);
  await userEvent.click(screen.getByRole('button', { name: /on your mind/u }));
  const first = await screen.findByLabelText<HTMLTextAreaElement>('Text');
  expect(screen.queryByLabelText('Title')).toBeNull();
  expect(document.activeElement).toBe(first);
  await userEvent.type(first, 'I failed again');
  first.setSelectionRange(2, 2);
  loaded.arrive();
  await screen.findByLabelText('Title');
  const field = screen.getByLabelText<HTMLTextAreaElement>('Text');
  expect(field.value).toBe('I failed again');
  expect(document.activeElement).toBe(field);
  expect(field.selectionStart).toBe(2);
  expect(readDraft('u1').text).toBe('I failed again');
});

test('a draft that waits is named on the row, without the form', () => {
  testServer(() => ({}));
  saveDraft('u1', { ...emptyDraft, text: 'Half a thought' });
  renderSignedIn(<Page />);
  expect(screen.getByText('Finish your draft')).toBeTruthy();
});
