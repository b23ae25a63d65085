import type { ReactionCounts, ReactionType } from '@unsaid/contract';
import { expect, test, vi } from 'vitest';
import { makeVentView } from '../../../lib/testing.tsx';
import { createReactions } from './reactions.ts';

const fresh = makeVentView({ reactions: { heart: 3, hug: 0, listen: 0 } });

/** A vent on screen, and a server whose responses are held back until `letGo`. */
function setup() {
  let shown = fresh;
  const held = new Set<ReactionType>();
  const sent: (readonly [ReactionType, boolean])[] = [];
  const waiting: (() => void)[] = [];
  let isFailing = false;
  const log = vi.fn();
  const answer = (): { reactions: ReactionCounts; myReactions: ReactionType[] } => ({
    reactions: {
      heart: 3 + (held.has('heart') ? 1 : 0),
      hug: held.has('hug') ? 1 : 0,
      listen: held.has('listen') ? 1 : 0,
    },
    myReactions: [...held],
  });
  const reactions = createReactions({
    send: (_, type, isActive) => {
      sent.push([type, isActive]);
      return new Promise((resolve, reject) => {
        waiting.push(() => {
          if (isFailing) {
            reject(new Error('lost'));
            return;
          }
          if (isActive) held.add(type);
          else held.delete(type);
          resolve(answer());
        });
      });
    },
    change: (_, change) => (shown = change(shown)),
    log,
    pause: () => Promise.resolve(),
  });
  return {
    tap: (type: ReactionType) => reactions.toggle(shown, type),
    letGo: async () => {
      waiting.shift()?.();
      await Promise.resolve();
      await new Promise((done) => setTimeout(done));
    },
    fail: (failing: boolean) => (isFailing = failing),
    shown: () => shown,
    sent,
    log,
    withPending: reactions.withPending,
  };
}

test('a tap shows at once', () => {
  const { tap, shown } = setup();
  void tap('heart');
  expect(shown().reactions.heart).toBe(4);
  expect(shown().myReactions).toEqual(['heart']);
});

test('rapid taps collapse to the last intent', async () => {
  const { tap, letGo, shown, sent } = setup();
  const taps = [1, 2, 3, 4, 5, 6].map(() => tap('hug'));
  expect(shown().myReactions).toEqual([]);
  await letGo();
  await letGo();
  await Promise.all(taps);
  // The first request was in flight. The other five taps amount to one.
  expect(sent).toEqual([
    ['hug', true],
    ['hug', false],
  ]);
  expect(shown().reactions.hug).toBe(0);
});

test('an odd number of taps sends nothing more than the first', async () => {
  const { tap, letGo, sent, shown } = setup();
  const taps = [1, 2, 3].map(() => tap('hug'));
  await letGo();
  await Promise.all(taps);
  expect(sent).toEqual([['hug', true]]);
  expect(shown().reactions.hug).toBe(1);
});

test('a failure is rolled back, and only logged (S8.19)', async () => {
  const { tap, letGo, fail, shown, log } = setup();
  fail(true);
  const done = tap('heart');
  await letGo();
  await done;
  expect(shown()).toEqual(fresh);
  expect(log).toHaveBeenCalledOnce();
});

test('a newer intent is sent after a lost response, since the server may hold either state', async () => {
  const { tap, letGo, fail, sent, shown } = setup();
  fail(true);
  const done = tap('heart');
  void tap('heart');
  await letGo();
  fail(false);
  await letGo();
  await done;
  expect(sent).toEqual([
    ['heart', true],
    ['heart', false],
  ]);
  expect(shown().reactions.heart).toBe(3);
});

test('a response about one reaction does not undo another in flight', async () => {
  const { tap, letGo, shown, withPending } = setup();
  const heart = tap('heart');
  const hug = tap('hug');
  await letGo();
  await heart;
  expect(shown().myReactions.toSorted()).toEqual(['heart', 'hug']);
  // A list fetched meanwhile must not undo it either.
  expect(withPending(fresh).reactions.hug).toBe(1);
  await letGo();
  await hug;
  expect(shown().reactions).toEqual({ heart: 4, hug: 1, listen: 0 });
});
