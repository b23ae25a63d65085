import { isAcceptableUsername } from '@unsaid/contract';
import { expect, it } from 'vitest';
import { suggestName } from './suggest-name.ts';

it('only ever suggests names that would be accepted', () => {
  const names = Array.from({ length: 2000 }, () => suggestName());
  expect(names.filter((name) => !isAcceptableUsername(name))).toEqual([]);
  expect(new Set(names).size).toBeGreaterThan(1500);
});
