import { errorKinds, listHeldVents } from '@unsaid/contract';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { chattedAt } from '../../../lib/chatted.ts';
import {
  renderSignedIn,
  testSelf,
  testServer,
  makeVentView,
  type SentRequest,
} from '../../../lib/testing.tsx';
import { endSession, startSession } from '../../../lib/session.ts';
import { wipeSessionStores } from '../../../lib/store.ts';
import { identityGuard } from '../../../ui/use-identity-guard.ts';
import { chooseLocale } from '../../../locales/i18n.ts';
import { Composer } from './composer.tsx';
import { readDraft } from './drafts.ts';

/** The calls beside that for the words about when a held vent goes out. */
function serveVents(respond: Parameters<typeof testServer>[0]): SentRequest[] {
  const requests: SentRequest[] = [];
  testServer((request) => {
    if (request.path === listHeldVents.path) return { held: [], usuallyWithinHours: 6 };
    requests.push(request);
    return respond(request);
  });
  return requests;
}

beforeEach(() => localStorage.clear());

/** They stay open for the rest of a visit. */
beforeEach(() => wipeSessionStores());
const openMore = async () => {
  const more = screen.getByRole('button', { name: 'More choices' });
  if (more.getAttribute('aria-expanded') === 'false') await userEvent.click(more);
};
const theSwitch = () => screen.getByRole('switch', { name: 'Let people comment' });
const isOn = () => theSwitch().getAttribute('aria-checked');

async function write(): Promise<void> {
  await userEvent.type(screen.getByLabelText('Title'), 'T');
  await userEvent.type(screen.getByLabelText('Text'), 'x');
  await userEvent.click(screen.getByRole('radio', { name: 'Sad' }));
}

test.each([true, false])(
  'the switch starts with the profile’s setting (%s) and sends it',
  async (allowComments) => {
    const requests = serveVents(() => ({ vent: makeVentView() }));
    const onPosted = vi.fn();
    renderSignedIn(<Composer onPosted={onPosted} />, { ...testSelf, allowComments });
    await openMore();
    expect(isOn()).toBe(String(allowComments));
    await write();
    await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
    await expect.poll(() => onPosted.mock.calls.length).toBe(1);
    expect(requests[0]?.body).toMatchObject({ title: 'T', allowComments });
  },
);

test('the draft keeps the choice about comments, and posting resets it', async () => {
  let isAway = true;
  const requests = serveVents(() => (isAway ? new TypeError('away') : { vent: makeVentView() }));
  const onPosted = vi.fn();
  const first = renderSignedIn(<Composer onPosted={onPosted} />);
  await openMore();
  await userEvent.click(theSwitch());
  first.unmount();
  renderSignedIn(<Composer onPosted={onPosted} />);
  await openMore();
  expect(isOn()).toBe('false');
  await write();
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await screen.findByText('Your draft is saved.');
  expect(isOn()).toBe('false');
  isAway = false;
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await expect.poll(() => onPosted.mock.calls.length).toBe(1);
  expect(requests.map(({ body }) => body)).toMatchObject([
    { allowComments: false },
    { allowComments: false },
  ]);
  expect(isOn()).toBe('true');
});

test('what would help is chosen for one vent, can be taken back, and a hug leaves no switch for comments', async () => {
  const requests = serveVents(() => ({ vent: makeVentView() }));
  const onPosted = vi.fn();
  renderSignedIn(<Composer onPosted={onPosted} />);
  await openMore();
  const chip = (name: string) => screen.getByRole('button', { name });
  const pressed = () =>
    screen.queryAllByRole('button', { pressed: true }).map(({ textContent }) => textContent);
  const post = async (times: number) => {
    await userEvent.click(chip('Post vent'));
    await expect.poll(() => onPosted.mock.calls.length).toBe(times);
  };
  expect(pressed()).toEqual([]);
  await write();
  await userEvent.click(chip('Just listen'));
  await userEvent.click(chip('A hug, no words'));
  expect(pressed()).toEqual(['A hug, no words']);
  expect(screen.getByText('No comments then, just hugs.')).toBeTruthy();
  expect(screen.queryByRole('switch', { name: 'Let people comment' })).toBeNull();
  await post(1);
  expect(pressed()).toEqual([]);
  await write();
  await userEvent.click(chip('Advice welcome'));
  await userEvent.click(chip('Advice welcome'));
  await post(2);
  const sent = requests.map(({ body }) => body as { need?: string });
  expect(sent.map(({ need }) => need)).toEqual(['hug', undefined]);
});

test('how long it stays is chosen for one vent: until it is deleted, unless the author says otherwise', async () => {
  const requests = serveVents(() => ({ vent: makeVentView() }));
  const onPosted = vi.fn();
  renderSignedIn(<Composer onPosted={onPosted} />);
  await openMore();
  const isChosen = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name }).checked;
  for (const posted of [1, 2, 3]) {
    expect(isChosen('Until I delete it')).toBe(true);
    await write();
    if (posted < 3) await userEvent.click(screen.getByRole('radio', { name: '24 hours' }));
    if (posted === 2) await userEvent.click(screen.getByRole('radio', { name: 'Until I delete it' }));
    expect(screen.queryByText("Then it's gone for everyone, comments too.") !== null).toBe(posted === 1);
    await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
    await expect.poll(() => onPosted.mock.calls.length).toBe(posted);
  }
  const sent = requests.map(({ body }) => (body as { keepDays?: number }).keepDays);
  expect(sent).toEqual([1, undefined, undefined]);
});

test('a press on the switch also commits the open hashtag', async () => {
  serveVents(() => ({}));
  renderSignedIn(<Composer onPosted={() => undefined} />);
  await openMore();
  await userEvent.type(screen.getByRole('textbox', { name: 'Hashtags' }), 'night, half');
  await userEvent.click(theSwitch());
  expect(isOn()).toBe('false');
  expect(readDraft('u1')).toMatchObject({ hashtags: ['night', 'half'], allowComments: false });
});

test('a vent whose response arrives after log-out is not shown to the next person', async () => {
  const response = Promise.withResolvers<object>();
  serveVents(() => response.promise);
  const onPosted = vi.fn();
  const { unmount } = renderSignedIn(<Composer onPosted={onPosted} />);
  await write();
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  endSession('logout');
  unmount();
  startSession('another', 'u2');
  response.resolve({ vent: makeVentView({ isOwner: true }) });
  await new Promise((done) => setTimeout(done, 20));
  expect(onPosted).not.toHaveBeenCalled();
});

test('a limited person reads why at once, and the draft is kept', async () => {
  serveVents(() => ({}));
  renderSignedIn(<Composer onPosted={vi.fn()} />, { ...testSelf, limited: true });
  expect((await screen.findByRole('link', { name: 'See why' })).getAttribute('href')).toBe('/notices');
  await write();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Post vent' }).disabled).toBe(true);
  expect(readDraft(testSelf._id)).toMatchObject({ title: 'T', text: 'x' });
});

test('a vent that is refused to a limited account stays as a draft', async () => {
  serveVents(() =>
    Response.json(
      {
        success: false,
        code: 'ACCOUNT_LIMITED',
        message: errorKinds.ACCOUNT_LIMITED.message,
        requestId: 'r1',
      },
      { status: 403 },
    ),
  );
  const onPosted = vi.fn();
  renderSignedIn(<Composer onPosted={onPosted} />);
  await write();
  await userEvent.click(screen.getByRole('button', { name: 'Post vent' }));
  await screen.findByText('Your draft is saved.');
  expect(await screen.findByRole('link', { name: 'See why' })).toBeTruthy();
  expect(readDraft(testSelf._id)).toMatchObject({ title: 'T', text: 'x' });
  expect(onPosted).not.toHaveBeenCalled();
});

interface Words {
  readonly title?: string;
  readonly text?: string;
  readonly hashtags?: string;
}

const notice = () => screen.queryByRole('alert')?.textContent;
const valueOf = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

/** A whole vent with these words, on the real guard, posted. */
async function postWords({ title = 'A title', text = 'So tired.', hashtags = '' }: Words) {
  await identityGuard.load();
  const requests = serveVents(() => ({ vent: makeVentView() }));
  const onPosted = vi.fn();
  renderSignedIn(<Composer onPosted={onPosted} />);
  fireEvent.change(screen.getByLabelText('Title'), { target: { value: title } });
  fireEvent.change(screen.getByLabelText('Text'), { target: { value: text } });
  if (hashtags) await userEvent.type(screen.getByRole('textbox', { name: 'Hashtags' }), hashtags);
  await userEvent.click(screen.getByRole('radio', { name: 'Sad' }));
  // Quiet while writing.
  expect(notice()).toBeUndefined();
  await press('Post vent');
  return { requests, isPosted: () => expect.poll(() => onPosted.mock.calls.length).toBe(1) };
}

test('numbers in the title, the text and over hashtags have one notice, and all are hidden at once', async () => {
  const { requests, isPosted } = await postWords({
    title: 'nine eight one two three four five six seven eight',
    text: 'mera number ९८१२३ ४५६७८ hai',
    hashtags: 'exams,98123,45678,',
  });
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  expect(notice()).toContain('This looks like a phone number.');
  expect(screen.queryByRole('button', { name: 'Post anyway' })).toBeNull();
  await press('Hide it for me');
  expect(valueOf('Text')).toBe('mera number ••• hai');
  expect(valueOf('Title')).toBe('•••');
  expect(requests).toEqual([]);
  await press('Post vent');
  await isPosted();
  expect(requests[0]?.body).toMatchObject({ title: '•••', hashtags: ['exams'] });
});

test('a number in a hashtag that no comma has closed is hidden with the rest, also from a restored draft', async () => {
  await identityGuard.load();
  serveVents(() => ({ vent: makeVentView() }));
  const first = renderSignedIn(<Composer onPosted={vi.fn()} />);
  await write();
  await userEvent.type(screen.getByRole('textbox', { name: 'Hashtags' }), 'exams,98123 45678');
  first.unmount();
  renderSignedIn(<Composer onPosted={vi.fn()} />);
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Hashtags' }).value).toBe('98123 45678');
  await press('Post vent');
  await press('Hide it for me');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Hashtags' }).value).toBe('');
  expect(readDraft(testSelf._id)).toMatchObject({ hashtags: ['exams'] });
});

test('a number that begins in the title and ends in the text is not sent, and only Edit is offered', async () => {
  const { requests } = await postWords({ title: 'Call me on 98123', text: '45678 any time' });
  expect(notice()).toContain('This looks like a phone number.');
  expect(screen.queryByRole('button', { name: 'Hide it for me' })).toBeNull();
  await press('Edit');
  expect(document.activeElement).toBe(screen.getByLabelText('Text'));
  expect(requests).toEqual([]);
});

test('a link is warned about and can be posted anyway', async () => {
  const { requests, isPosted } = await postWords({ text: 'Read this: riyawrites.com/nights' });
  expect(notice()).toContain("There's a link here. It could lead people to you.");
  expect(requests).toEqual([]);
  await press('Post anyway');
  await isPosted();
  expect(requests.map(({ body }) => body)).toMatchObject([{ isSure: true }]);
});

test('helplines and other numbers are posted without a question', async () => {
  const { isPosted } = await postWords({
    text: 'Call 14416 or 9152987821. PNR 8234567890, marks 78 82 91 65 88, 12/05/2026.',
  });
  await isPosted();
});

test('one press shows every gap, and says once that fields are required', async () => {
  serveVents(() => ({}));
  renderSignedIn(<Composer onPosted={vi.fn()} />);
  const pressAndRead = async () => {
    await press('Post vent');
    return screen.getAllByRole('alert').map(({ textContent }) => textContent);
  };
  const sentence = 'Please fill in all required fields.';
  expect(await pressAndRead()).toEqual([sentence, 'Pick how it feels.']);
  const text = screen.getByLabelText('Text');
  await expect.poll(() => document.activeElement).toBe(text);
  expect(text.getAttribute('aria-invalid')).toBe('true');
  expect(text.getAttribute('aria-required')).toBe('true');
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Sad' }).required).toBe(true);
  await userEvent.type(text, 'I failed again. Nobody knows.');
  expect(screen.queryByRole('alert')).toBeNull();
  // Leaving the text has made the title: the feeling is what is missing.
  expect(await pressAndRead()).toEqual([`${sentence} Pick how it feels.`]);
  await expect.poll(() => document.activeElement?.getAttribute('type')).toBe('radio');
});

test('a missing title is the first line, marked as such, until somebody writes or empties it', async () => {
  const requests = serveVents(() => ({ vent: makeVentView() }));
  const onPosted = vi.fn();
  renderSignedIn(<Composer onPosted={onPosted} />);
  const [text, title] = [screen.getByLabelText('Text'), screen.getByLabelText('Title')];
  const isMarked = () => screen.queryByText('from your first line') !== null;
  await userEvent.type(text, 'I failed again. Nobody knows.');
  expect(valueOf('Title')).toBe('');
  await userEvent.tab();
  expect([valueOf('Title'), isMarked()]).toEqual(['I failed again', true]);
  // It follows the text.
  await userEvent.clear(text);
  await userEvent.type(text, 'Third time now. Nobody knows.');
  await userEvent.tab();
  expect([valueOf('Title'), isMarked()]).toEqual(['Third time now', true]);

  await userEvent.clear(title);
  expect(isMarked()).toBe(false);
  await userEvent.type(text, ' Still.');
  await userEvent.click(screen.getByRole('radio', { name: 'Sad' }));
  await press('Post vent');
  expect(notice()).toBe('Please fill in all required fields.');
  await expect.poll(() => document.activeElement).toBe(title);
  expect(requests).toEqual([]);
  await userEvent.type(title, 'Mine');
  await press('Post vent');
  await expect.poll(() => onPosted.mock.calls.length).toBe(1);
  expect(requests[0]?.body).toMatchObject({ title: 'Mine' });
  expect(requests[0]?.body).not.toHaveProperty('hasOwnTitle');
});

test('who writes Hinglish in English is offered it once, not in distress, and the words stay', async () => {
  serveVents(() => ({ vent: makeVentView() }));
  const words = 'aaj phir neend nahi aayi yaar kuch samajh nahi aa raha';
  const offer = () => screen.queryByRole('group', { name: 'Hinglish' });
  const type = (text: string) => {
    fireEvent.focus(screen.getByLabelText('Text'));
    fireEvent.change(screen.getByLabelText('Text'), { target: { value: text } });
  };
  const first = renderSignedIn(<Composer onPosted={() => {}} />);
  type('I could not sleep again, and I do not know why');
  await vi.waitFor(() => expect(document.querySelector('[data-card], [role=group][lang]')).not.toBeNull());
  expect(offer()).toBeNull();
  type(`${words}, ab jeene ka mann nahi hai`);
  expect(offer()).toBeNull();
  type(words);
  await vi.waitFor(() => expect(offer()).not.toBeNull());
  expect(offer()?.lang).toBe('hi-Latn');
  first.unmount();
  const second = renderSignedIn(<Composer onPosted={() => {}} />);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Text').value).toBe(words);
  expect(offer()).toBeNull();
  second.unmount();

  localStorage.removeItem(`unsaid.later.hinglish.${testSelf._id}`);
  renderSignedIn(<Composer onPosted={() => {}} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Hinglish mein dekhein' }));
  await screen.findByLabelText('Aapki baat');
  expect(offer()).toBeNull();
  await chooseLocale('en');
});

test('for a day after a conversation a vent goes out later by default, but not beside a card', async () => {
  const requests = serveVents(() => ({ vent: null }));
  chattedAt.set(Date.now());
  renderSignedIn(<Composer onPosted={vi.fn()} />);
  await openMore();
  const later = screen.getByRole('switch', { name: 'Post a little later' });
  expect(later.getAttribute('aria-checked')).toBe('true');
  await userEvent.type(screen.getByLabelText('Title'), 'T');
  expect(await screen.findByText(/Usually within 6 hours\./u)).toBeTruthy();
  await userEvent.type(screen.getByLabelText('Text'), 'I want to kill myself tonight');
  await expect.poll(() => later.getAttribute('aria-checked')).toBe('false');
  await userEvent.click(later);
  expect(await screen.findByText(/Nobody reads it until it goes out\./u)).toBeTruthy();
  await userEvent.clear(screen.getByLabelText('Text'));
  await userEvent.type(screen.getByLabelText('Text'), 'Rain again');
  await userEvent.click(screen.getByRole('radio', { name: 'Sad' }));
  await press('Post vent');
  await expect.poll(() => requests.length).toBe(1);
  expect(requests[0]?.body).toMatchObject({ later: true });
  chattedAt.set(Date.now() - 25 * 3_600_000);
});
