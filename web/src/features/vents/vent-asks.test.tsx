import type { VentView } from '@unsaid/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { makeVentView, renderSignedIn } from '../../lib/testing.tsx';
import { VentAsks } from './vent-asks.tsx';

afterEach(() => void vi.useRealTimers());

function lineAt(now: string, change: Partial<VentView>): string {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
  const { unmount } = renderSignedIn(<VentAsks vent={makeVentView(change)} />);
  const line = document.querySelector('p')?.textContent ?? '';
  unmount();
  return line;
}

test.each([
  [null, ''],
  ['listen', 'Asked just to be heard.'],
  ['advice', 'Advice is welcome.'],
  ['been_there', 'Has anyone been there?'],
  ['hug', 'A hug is enough.'],
] as const)('readers see what would help: %s', (need, line) => {
  expect(lineAt('2026-11-15T12:00:00Z', { need })).toBe(line);
});

test.each([
  [7, '2026-11-15T12:00:00Z', 'Gone in 7 days.'],
  [7, '2026-11-20T12:00:00Z', 'Gone in 2 days.'],
  [7, '2026-11-21T12:00:00Z', 'Gone tomorrow.'],
  // From midnight in India on.
  [7, '2026-11-21T18:29:00Z', 'Gone tomorrow.'],
  [7, '2026-11-21T18:30:00Z', 'Gone today.'],
  [1, '2026-11-15T12:00:00Z', 'Gone tomorrow.'],
  [1, '2026-11-16T11:59:00Z', 'Gone today.'],
  [null, '2026-11-16T11:59:00Z', ''],
] as const)('a vent of %o days at %s says “%s”', (keepDays, now, line) => {
  expect(lineAt(now, { keepDays, createdAt: '2026-11-15T12:00:00Z' })).toBe(line);
});
