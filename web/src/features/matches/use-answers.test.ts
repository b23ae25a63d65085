import { expect, test } from 'vitest';
import type { OpenMatch } from './match-view.ts';
import { withPinned } from './use-answers.ts';

const match = (id: string): OpenMatch => ({
  id,
  other: { id: `u-${id}`, name: id, picture: '/avatars/them.svg' },
  score: 0.5,
  hasTheirYes: false,
});
const pinned = (id: string, index: number) => ({
  match: match(id),
  index,
  outcome: { isMutual: true } as const,
});
const idsOf = (ids: string[], stays: ReturnType<typeof pinned>[]) =>
  withPinned(ids.map(match), stays).map((one) => `${one.match.id}${one.outcome ? '!' : ''}`);

test('the list is unchanged while no card is pinned', () => {
  expect(idsOf(['a', 'b'], [])).toEqual(['a', 'b']);
});

test('a pinned card keeps its position, also after a refetch', () => {
  expect(idsOf(['a', 'b', 'c'], [pinned('b', 1)])).toEqual(['a', 'b!', 'c']);
  expect(idsOf(['a', 'c', 'd'], [pinned('b', 1)])).toEqual(['a', 'b!', 'c', 'd']);
});

test('several pinned cards keep their order, and the last one stays in an empty list', () => {
  expect(idsOf(['b'], [pinned('c', 2), pinned('a', 0)])).toEqual(['a!', 'b', 'c!']);
  expect(idsOf([], [pinned('c', 2)])).toEqual(['c!']);
});
