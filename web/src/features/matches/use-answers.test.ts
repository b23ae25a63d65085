import { expect, it } from 'vitest';
import type { OpenMatch } from './match-view.ts';
import { withKept } from './use-answers.ts';

const match = (id: string): OpenMatch => ({
  id,
  other: { id: `u-${id}`, name: id, picture: '/avatars/them.svg' },
  score: 0.5,
  hasTheirYes: false,
});
const kept = (id: string, index: number) => ({
  match: match(id),
  index,
  ending: { isMutual: true } as const,
});
const idsOf = (ids: string[], stays: ReturnType<typeof kept>[]) =>
  withKept(ids.map(match), stays).map((one) => `${one.match.id}${one.ending ? '!' : ''}`);

it('shows the list as it is while nothing is kept', () => {
  expect(idsOf(['a', 'b'], [])).toEqual(['a', 'b']);
});

it('leaves a card that has something to say where it was, also after the list was fetched anew', () => {
  expect(idsOf(['a', 'b', 'c'], [kept('b', 1)])).toEqual(['a', 'b!', 'c']);
  expect(idsOf(['a', 'c', 'd'], [kept('b', 1)])).toEqual(['a', 'b!', 'c', 'd']);
});

it('keeps several in their order, and the last one even when everybody else has gone', () => {
  expect(idsOf(['b'], [kept('c', 2), kept('a', 0)])).toEqual(['a!', 'b', 'c!']);
  expect(idsOf([], [kept('c', 2)])).toEqual(['c!']);
});
