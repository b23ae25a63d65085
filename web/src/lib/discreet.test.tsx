import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { chooseDiscreet, useDiscreet, usePageTitle } from './discreet.ts';

afterEach(() => act(() => chooseDiscreet(false)));

it('names the tab after the page, and says nothing once asked to', () => {
  const { rerender } = renderHook(({ page }) => usePageTitle(page), { initialProps: { page: 'Vents' } });
  expect(document.title).toBe('Vents · Unsaid');
  act(() => chooseDiscreet(true));
  expect(document.title).toBe('Notes');
  rerender({ page: 'Matches' });
  expect(document.title).toBe('Notes');
  act(() => chooseDiscreet(false));
  expect(document.title).toBe('Matches · Unsaid');
});

it('follows a choice made in another tab', () => {
  const { result } = renderHook(useDiscreet);
  expect(result.current).toBe(false);
  localStorage.setItem('unsaid.discreet', 'on');
  act(() => void window.dispatchEvent(new Event('storage')));
  expect(result.current).toBe(true);
});
