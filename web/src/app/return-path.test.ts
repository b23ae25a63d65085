import { expect, it } from 'vitest';
import { destinationAfterSignIn, returnPath } from './return-path.ts';

it('returns to the page where a session ended in mid-use', () => {
  expect(returnPath('expired', '/matches?tab=history')).toBe('/matches?tab=history');
});

it('returns to one vent that was followed, and to no other page', () => {
  expect(returnPath('none', '/vent/aB3_x')).toBe('/vent/aB3_x');
  expect(returnPath('refused', '/vent/aB3_x')).toBe('/vent/aB3_x');
  for (const path of ['/', '/vents', '/vent', '/vent/create', '/vent/search', '/myvents', '/settings']) {
    expect(returnPath('none', path)).toBeUndefined();
  }
});

it('forgets the page after a logout: the next person on this phone is somebody else', () => {
  expect(returnPath('logout', '/vent/aB3_x')).toBeUndefined();
  expect(returnPath('elsewhere', '/matches')).toBeUndefined();
  expect(returnPath('deleted', '/settings')).toBeUndefined();
});

it('goes home unless the address is one of ours', () => {
  expect(destinationAfterSignIn({ returnTo: '/vent/abc' })).toBe('/vent/abc');
  for (const state of [
    null,
    undefined,
    {},
    { returnTo: 7 },
    { returnTo: '//evil.example' },
    { returnTo: '/\\evil' },
    { returnTo: 'https://evil.example' },
    { returnTo: '/login' },
  ]) {
    expect(destinationAfterSignIn(state)).toBe('/');
  }
});
