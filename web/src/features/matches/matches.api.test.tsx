import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { testSelf, testServer } from '../../lib/testing.tsx';
import { sendAnswer, userQuery } from './matches.api.ts';

const match = {
  id: 'm1',
  other: { id: 'them', name: 'slow_monsoon', picture: '/avatars/them.svg' },
  score: 0.85,
  hasTheirYes: false,
};

async function answer(kind: 'accept' | 'reject', refusal?: Response) {
  testServer(({ path }) => refusal ?? (path.endsWith('/history') ? { history: [] } : {}));
  const client = new QueryClient();
  client.setQueryData(userQuery('them').queryKey, testSelf);
  await sendAnswer(client, match, kind).catch(() => undefined);
  return client.getQueryData(userQuery('them').queryKey);
}

test('a rejection removes the cached profile, and an acceptance keeps it', async () => {
  expect(await answer('accept')).toBeDefined();
  expect(await answer('reject')).toBeUndefined();
});

test('a reply to an ended pair removes the cached profile', async () => {
  const refusal = (code: string, status: number) =>
    Response.json({ success: false, message: '', code, requestId: 'x' }, { status });
  expect(await answer('accept', refusal('MATCH_CLOSED', 409))).toBeUndefined();
  expect(await answer('accept', refusal('UNAVAILABLE', 503))).toBeDefined();
});
