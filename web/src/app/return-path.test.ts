import { expect, test } from 'vitest';
import { destinationAfterSignIn, returnPath } from './return-path.ts';

test('an expired session returns to the page where it ended', () => {
  expect(returnPath('expired', '/matches?tab=history')).toBe('/matches?tab=history');
});

test('a visitor who followed a link returns to that vent, and to no other page', () => {
  expect(returnPath('none', '/vent/aB3_x')).toBe('/vent/aB3_x');
  expect(returnPath('refused', '/vent/aB3_x')).toBe('/vent/aB3_x');
  for (const path of ['/', '/vents', '/vent', '/vent/create', '/vent/search', '/myvents', '/settings']) {
    expect(returnPath('none', path)).toBeUndefined();
  }
});

test('a log-out forgets the page, because the next person on the phone may be another one', () => {
  expect(returnPath('logout', '/vent/aB3_x')).toBeUndefined();
  expect(returnPath('elsewhere', '/matches')).toBeUndefined();
  expect(returnPath('deleted', '/settings')).toBeUndefined();
});

test('sign-in leads home unless the stored path is on this site', () => {
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
