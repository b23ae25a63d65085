import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../lib/api-client.ts';
import { withProviders } from '../lib/testing.tsx';
import { IdentityNotice } from './identity-notice.tsx';
import { identityGuard, useIdentityGuard } from './use-identity-guard.ts';

interface Sent {
  readonly text: string;
  readonly tags: readonly string[];
  readonly isSure: boolean;
}

/** A form as small as one can be, on the real guard. */
function Form({ onSend }: { readonly onSend: (sent: Sent) => void }) {
  const guard = useIdentityGuard();
  const [text, setText] = useState('');
  const [tags, setTags] = useState<readonly string[]>(['exams', '98123', '45678']);
  const submit = (isSure: boolean) => {
    if (guard.check({ text, tags }, isSure)) onSend({ text, tags, isSure });
  };
  const refuse = () =>
    void guard.showRefusal(
      new ApiError({
        kind: 'response',
        status: 422,
        code: 'IDENTIFYING_DETAILS',
        fields: [{ path: 'text', rule: 'email' }],
      }),
      { text, tags },
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(false);
      }}
    >
      <div>
        <textarea aria-label="Text" value={text} onChange={(event) => setText(event.target.value)} />
      </div>
      {['text', 'tags'].map((field) => (
        <IdentityNotice
          key={field}
          guard={guard}
          field={field}
          onHide={(hidden: Partial<Sent>) => {
            setText(hidden.text ?? text);
            setTags(hidden.tags ?? tags);
          }}
          onPostAnyway={() => submit(true)}
        />
      ))}
      <button type="button" onClick={refuse}>
        Refuse
      </button>
      <button type="submit">Send</button>
    </form>
  );
}

async function open(text: string) {
  await identityGuard.load();
  const onSend = vi.fn<(sent: Sent) => void>();
  render(withProviders(<Form onSend={onSend} />));
  await userEvent.type(screen.getByLabelText('Text'), text);
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
  return { onSend, press };
}

test('all that is refused is hidden at once, also words of a list, and a link stays until it is answered', async () => {
  const { onSend, press } = await open('call 9812345678 or see riyawrites.com');
  await press('Send');
  expect(screen.getByRole('alert').textContent).toContain('This looks like a phone number.');
  expect(screen.queryByRole('button', { name: 'Post anyway' })).toBeNull();
  await press('Hide it for me');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(document.activeElement?.textContent).toBe('Send');
  await press('Send');
  expect(screen.getByRole('alert').textContent).toContain("There's a link here.");
  expect(onSend).not.toHaveBeenCalled();
  await press('Post anyway');
  expect(onSend.mock.calls).toEqual([
    [{ text: 'call ••• or see riyawrites.com', tags: ['exams'], isSure: true }],
  ]);
});

test('Edit selects the place in the field', async () => {
  const { press } = await open('a 9812345678 b');
  await press('Send');
  await press('Edit');
  const box = screen.getByLabelText<HTMLTextAreaElement>('Text');
  expect(document.activeElement).toBe(box);
  expect(box.value.slice(box.selectionStart, box.selectionEnd)).toBe('9812345678');
});

test('a refusal of a newer server is shown, with nothing to hide', async () => {
  const { press } = await open('riya');
  // The list of the form would be found here.
  await press('Send');
  await press('Hide it for me');
  await press('Send');
  await press('Refuse');
  expect((await screen.findByRole('alert')).textContent).toContain('This looks like an email address.');
  expect(screen.queryByRole('button', { name: 'Hide it for me' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Edit' })).toBeTruthy();
});
