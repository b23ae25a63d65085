import type { ReactionCounts, ReactionType, VentView } from '@unsaid/contract';
import { expect, it, vi } from 'vitest';
import { createReactions } from './reactions.ts';

const fresh: VentView = {
  _id: 'v1',
  title: 'T',
  text: 'x',
  emotion: 'Sad',
  hashtags: [],
  createdAt: '2026-11-15T00:00:00Z',
  userId: { _id: 'a', allowComments: true },
  reactions: { heart: 3, hug: 0, listen: 0 },
  comments: [],
  commentCount: 0,
  isOwner: false,
  myReactions: [],
};

/** One vent on screen and a server whose answers are held back until they are let go. */
function stage() {
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
    rest: () => Promise.resolve(),
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

it('shows a tap at once', () => {
  const { tap, shown } = stage();
  void tap('heart');
  expect(shown().reactions.heart).toBe(4);
  expect(shown().myReactions).toEqual(['heart']);
});

it('collapses rapid taps to the last intent', async () => {
  const { tap, letGo, shown, sent } = stage();
  const taps = [1, 2, 3, 4, 5, 6].map(() => tap('hug'));
  expect(shown().myReactions).toEqual([]);
  await letGo();
  await letGo();
  await Promise.all(taps);
  // The first was on its way; of the other five only what they came to.
  expect(sent).toEqual([
    ['hug', true],
    ['hug', false],
  ]);
  expect(shown().reactions.hug).toBe(0);
});

it('sends nothing more when an odd number of taps means what was sent', async () => {
  const { tap, letGo, sent, shown } = stage();
  const taps = [1, 2, 3].map(() => tap('hug'));
  await letGo();
  await Promise.all(taps);
  expect(sent).toEqual([['hug', true]]);
  expect(shown().reactions.hug).toBe(1);
});

it('rolls back on failure, and only logs it', async () => {
  const { tap, letGo, fail, shown, log } = stage();
  fail(true);
  const done = tap('heart');
  await letGo();
  await done;
  expect(shown()).toEqual(fresh);
  expect(log).toHaveBeenCalledOnce();
});

it('goes on to the newer intent when the older one was lost, since the server may hold either', async () => {
  const { tap, letGo, fail, sent, shown } = stage();
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

it('does not let an answer about one reaction undo another that is on its way', async () => {
  const { tap, letGo, shown, withPending } = stage();
  const heart = tap('heart');
  const hug = tap('hug');
  await letGo();
  await heart;
  expect(shown().myReactions.toSorted()).toEqual(['heart', 'hug']);
  // Nor a list that was fetched in between.
  expect(withPending(fresh).reactions.hug).toBe(1);
  await letGo();
  await hug;
  expect(shown().reactions).toEqual({ heart: 4, hug: 1, listen: 0 });
});
