import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { endSession, startSession } from '../../../lib/session.ts';
import { makeVentView, testServer } from '../../../lib/testing.tsx';
import { ventsKey } from '../vent-cache.ts';
import { reactionsOf } from './reactions.api.ts';

test('a reaction that is answered after log-out is not shown to the next person', async () => {
  const response = Promise.withResolvers<object>();
  testServer(() => response.promise);
  const client = new QueryClient();
  const vent = makeVentView();
  startSession('one', 'u1');
  client.setQueryData([...ventsKey, 'one', vent._id], vent);
  const sent = reactionsOf(client).toggle(vent, 'heart');
  expect(reactionsOf(client).withPending(vent).myReactions).toEqual(['heart']);
  endSession('logout');
  startSession('two', 'u2');
  client.setQueryData([...ventsKey, 'one', vent._id], vent);
  expect(reactionsOf(client).withPending(vent)).toBe(vent);
  response.resolve({ reactions: { heart: 1, hug: 0, listen: 0 }, myReactions: ['heart'] });
  await sent;
  expect(client.getQueryData([...ventsKey, 'one', vent._id])).toEqual(vent);
  endSession('logout');
});
