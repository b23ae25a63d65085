import type { VentView } from '@unsaid/contract';
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { endSession, startSession } from '../../../lib/session.ts';
import { hideVent, takesFocus } from './hide-vent.ts';

test('what an account hid in this tab is forgotten when it logs out', () => {
  startSession('uns_one', 'one');
  // What the server answers is of no interest here.
  void hideVent(new QueryClient(), { _id: 'a-vent' } as VentView).catch(() => undefined);
  endSession('logout');
  startSession('uns_two', 'two');
  expect(takesFocus('a-vent')).toBe(false);
});
