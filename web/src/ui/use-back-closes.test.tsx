import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useBackCloses } from './use-back-closes.ts';

const page = { key: 'page' };

beforeEach(() => history.replaceState(page, ''));
afterEach(() => {
  delete document.documentElement.dataset['left'];
});

/** Opens and closes a dialog, which leaves a stale entry, and returns to the entry of the page. */
function leaveStaleEntry() {
  const back = vi.spyOn(history, 'back').mockReturnValue();
  const { unmount } = renderHook(() => useBackCloses(true, () => undefined));
  unmount();
  history.replaceState(page, '');
  window.dispatchEvent(new PopStateEvent('popstate'));
  return back;
}

test('Back passes through the entry of a closed dialog', () => {
  expect(leaveStaleEntry()).toHaveBeenCalledOnce();
});

test('the quick exit, which goes back to the first page itself, is not sent further', () => {
  document.documentElement.dataset['left'] = '';
  expect(leaveStaleEntry()).not.toHaveBeenCalled();
});
