import { screen } from '@testing-library/react';
import { dayMs } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { renderSignedIn } from '../../lib/testing.tsx';
import { DataLost } from './data-lost.tsx';

const agoIso = (ms: number) => new Date(Date.now() - ms).toISOString();
const hourMs = dayMs / 24;

test('after a loss the site says which hours are gone, and that what was deleted then is back', () => {
  renderSignedIn(<DataLost span="2099-11-18T01:05:00Z/2099-11-18T03:20:10Z" />);
  const { textContent } = screen.getByRole('complementary', { name: 'Hours we lost' });
  // In the reader's time zone, and the end rounded up.
  const shown = (iso: string) =>
    new Intl.DateTimeFormat('en-IN', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
  expect(textContent).toBe(
    `We lost the hours from ${shown('2099-11-18T01:05:00Z')} to ${shown('2099-11-18T03:21:00Z')}. ` +
      "What you deleted then is back; please delete it again. We're sorry.",
  );
});

test('it is shown for 30 days', () => {
  const { unmount } = renderSignedIn(
    <DataLost span={`${agoIso(30 * dayMs)}/${agoIso(30 * dayMs - hourMs)}`} />,
  );
  expect(screen.getByRole('complementary')).toBeTruthy();
  unmount();
  renderSignedIn(<DataLost span={`${agoIso(31 * dayMs)}/${agoIso(30 * dayMs + hourMs)}`} />);
  expect(screen.queryByRole('complementary')).toBeNull();
});
