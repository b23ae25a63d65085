import { beforeEach, expect, test, vi } from 'vitest';
import { checkRelease, dismissRelease, useNewRelease } from './release.ts';
import { renderHook } from '@testing-library/react';

beforeEach(() => {
  document.head.replaceChildren(
    Object.assign(document.createElement('meta'), { name: 'release', content: 'ours' }),
  );
  dismissRelease();
});

const isOffered = () => renderHook(() => useNewRelease()).result.current;

test.each([
  ['a newer one', '<meta name="release" content="newer" />', true],
  ['the same', '<meta name="release" content="ours" />', false],
  ['a page of somebody else, such as a hotel’s', '<h1>Log in</h1>', false],
])('a file that is gone leads to the question for the release: %s', async (_, page, expected) => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(page));
  await checkRelease();
  expect(isOffered()).toBe(expected);
});

test('without a connection nothing is offered', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.reject(new TypeError('away')));
  await checkRelease();
  expect(isOffered()).toBe(false);
});
