import { fireEvent, screen } from '@testing-library/react';
import { agreeToNotice } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { NoticeBanner } from './notice-banner.tsx';

const name = 'Privacy has changed';

const serve = (version: number) => testServer((request) => (request.method === 'GET' ? { version } : {}));
const sent = (requests: ReturnType<typeof serve>) =>
  requests.filter(({ method }) => method === 'PUT').map(({ path, body }) => [path, body]);

test('a person who agreed to an earlier version is asked once, and told how to say no', async () => {
  const requests = serve(1);
  renderSignedIn(<NoticeBanner version={2} />);
  const banner = await screen.findByRole('complementary', { name });
  expect(banner.textContent).toContain('delete your account in Settings');
  expect(screen.getByRole('link', { name: 'Read it' }).getAttribute('href')).toBe('/privacy');
  fireEvent.click(screen.getByRole('button', { name: 'I agree' }));
  await expect.poll(() => screen.queryByRole('complementary', { name })).toBeNull();
  expect(sent(requests)).toEqual([[agreeToNotice.path, { version: 2 }]]);
});

test('a person who agreed to this version is not asked', async () => {
  serve(2);
  const { client } = renderSignedIn(<NoticeBanner version={2} />);
  await expect.poll(() => client.getQueryData(['agreement'])).toBe(2);
  expect(screen.queryByRole('complementary')).toBeNull();
});

test('Later hides the question and agrees to nothing', async () => {
  const requests = serve(1);
  renderSignedIn(<NoticeBanner version={2} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Later' }));
  expect(screen.queryByRole('complementary', { name })).toBeNull();
  expect(sent(requests)).toEqual([]);
});
