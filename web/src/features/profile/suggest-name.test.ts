import { isAcceptableUsername } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { suggestName } from './suggest-name.ts';

test('every suggested name is a valid username', () => {
  const names = Array.from({ length: 2000 }, () => suggestName());
  expect(names.filter((name) => !isAcceptableUsername(name))).toEqual([]);
  expect(new Set(names).size).toBeGreaterThan(1500);
});
