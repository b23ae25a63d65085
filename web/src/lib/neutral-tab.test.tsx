import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { setNeutralTab, useNeutralTab, usePageTitle } from './neutral-tab.ts';

afterEach(() => act(() => setNeutralTab(false)));

test('the tab is named after the page, unless it is neutral', () => {
  const { rerender } = renderHook(({ page }) => usePageTitle(page), { initialProps: { page: 'Vents' } });
  expect(document.title).toBe('Vents · Unsaid');
  act(() => setNeutralTab(true));
  expect(document.title).toBe('Notes');
  rerender({ page: 'Matches' });
  expect(document.title).toBe('Notes');
  act(() => setNeutralTab(false));
  expect(document.title).toBe('Matches · Unsaid');
});

test('the setting follows a change in another tab', () => {
  const { result } = renderHook(useNeutralTab);
  expect(result.current).toBe(false);
  localStorage.setItem('unsaid.discreet', 'on');
  act(() => void window.dispatchEvent(new Event('storage')));
  expect(result.current).toBe(true);
});
