import { appealNotice, type NoticeView } from '@unsaid/contract';
import { i18n } from '@lingui/core';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderSignedIn, testSelf, testServer } from '../../lib/testing.tsx';
import { messages as hindi } from '../../locales/hi/moderation.po';
import { NoticesPage } from './notices.page.tsx';
import { appealOutcome, sanctionOf } from './notice-words.tsx';

const removed: NoticeView = {
  _id: 'n1',
  kind: 'remove',
  about: 'vent',
  policy: 'harassment',
  excerpt: 'My boss',
  day: '2026-11-16',
  sanction: 'limit',
  until: '2026-11-19',
  appeal: 'open',
};

/** The notice that begins with this sentence. */
async function findNotice(sentence: string | RegExp): Promise<HTMLElement> {
  const heading = await screen.findByRole('heading', {
    level: 2,
    // Without the spaces that the library puts around the user's own words.
    name: (name) => name.replaceAll(/“ | ”/gu, (quote) => quote.trim()).search(sentence) === 0,
  });
  return heading.parentElement as HTMLElement;
}

const now = Date.parse('2026-11-17T12:00:00Z');

test('a sanction is named with its last day, and said to be over the day after', () => {
  expect(sanctionOf(removed, now)).toBe('You can read, but not post, until 19 Nov 2026.');
  const lastMinute = Date.parse('2026-11-19T23:59:00+05:30');
  expect(sanctionOf(removed, lastMinute)).toBe('You can read, but not post, until 19 Nov 2026.');
  expect(sanctionOf(removed, lastMinute + 60_000)).toBe("You couldn't post until 19 Nov 2026. That's over.");
  expect(sanctionOf({ ...removed, sanction: 'suspend' }, now)).toBe(
    'Your account is paused until 19 Nov 2026.',
  );
  expect(sanctionOf({ ...removed, sanction: 'ban' }, now)).toBe("You can't use Unsaid until 19 Nov 2026.");
  expect(sanctionOf({ ...removed, sanction: 'none' }, now)).toBe('');
  expect(sanctionOf({ ...removed, appeal: 'overturned' }, now)).toBe('');
});

test('a second look has a sentence for each of its outcomes', () => {
  const said = (appeal: NoticeView['appeal'], kind: NoticeView['kind'] = 'remove') =>
    appealOutcome({ ...removed, kind, appeal });
  expect(said('waiting')).toContain('within 3 days');
  expect(said('upheld')).toBe('Someone else looked too. It stays down.');
  expect(said('upheld', 'hide')).toBe('Someone else looked too. It stays hidden.');
  expect(said('overturned')).toBe("We looked again, and we were wrong. It's back.");
  expect(said('open') + said('closed')).toBe('');
});

test('each kind of notice has its own words, and only an open one can be appealed', async () => {
  const care: NoticeView = {
    ...removed,
    _id: 'n2',
    kind: 'care',
    policy: 'worried',
    sanction: 'none',
    until: null,
    appeal: 'closed',
  };
  const method: NoticeView = {
    ...care,
    _id: 'n3',
    kind: 'hide',
    about: 'comment',
    policy: 'method_info',
    excerpt: null,
  };
  testServer(() => ({ notices: [removed, care, method] }));
  renderSignedIn(<NoticesPage />);
  const first = within(await findNotice('We took down your vent “My boss” on 16 Nov 2026.'));
  expect(first.getByText("Rule: don't harass or humiliate anyone. A person decided this.")).toBeTruthy();
  expect(first.getByRole('button', { name: 'Ask for a second look' })).toBeTruthy();

  const second = within(await findNotice('Someone read your vent “My boss” and was worried about you.'));
  expect(second.queryByText(/Rule/u)).toBeNull();
  expect(second.getByRole('link', { name: 'Find someone to talk to' }).getAttribute('href')).toBe('/support');

  const third = within(await findNotice('We hid a comment of yours on 16 Nov 2026.'));
  expect(third.getByText(/say it again without the part that describes a method/u)).toBeTruthy();
  expect(screen.getAllByRole('button')).toHaveLength(1);
});

test('an appeal that could not be sent keeps its words, and one that was sent is shown as waiting', async () => {
  let isLost = true;
  let isAppealed = false;
  const requests = testServer(({ method }) => {
    if (method === 'GET') return { notices: [{ ...removed, appeal: isAppealed ? 'waiting' : 'open' }] };
    if (isLost) return new Error('lost');
    isAppealed = true;
    return {};
  });
  const page = renderSignedIn(<NoticesPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Ask for a second look' }));
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText('Please tell us why, in a few words.');
  expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
  await userEvent.type(screen.getByLabelText('Why should we look again?'), 'It was a quote.');
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText(/^Couldn't send it\. /u);
  page.show(<p>Elsewhere</p>);
  page.show(<NoticesPage />);
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Why should we look again?');
  expect(field.value).toBe('It was a quote.');
  isLost = false;
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText('You asked for a second look. Someone else decides, within 3 days.');
  expect(requests.findLast(({ method }) => method === 'POST')).toMatchObject({
    path: appealNotice.path.replace(':id', 'n1'),
    body: { text: 'It was a quote.' },
  });
});

test('a suspended person reads in their language why, and finds their data', async () => {
  testServer(() => ({ notices: [{ ...removed, sanction: 'suspend' }] }));
  i18n.load('hi', hindi);
  i18n.activate('hi');
  try {
    renderSignedIn(<NoticesPage />, { ...testSelf, suspended: true });
    await findNotice(/^हमने .* को आपकी पोस्ट “My boss” हटा दी।$/u);
    expect(screen.getByRole('link', { name: 'सेटिंग' }).getAttribute('href')).toBe('/settings');
  } finally {
    i18n.activate('en');
  }
});
