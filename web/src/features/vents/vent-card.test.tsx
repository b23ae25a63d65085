import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { makeVentView, renderSignedIn, testServer } from '../../lib/testing.tsx';
import { VentCard } from './vent-card.tsx';
import { VentMenu } from './dialogs/vent-menu.tsx';

const actions = { onMore: vi.fn(), onDelete: vi.fn(), onComments: vi.fn() };
const buttons = () => screen.getAllByRole('button').map((button) => button.getAttribute('aria-label'));
const reactions = { heart: 2, hug: 0, listen: 1 };

test('an own vent in a list has counts alone and the same menu as any other; its own list has the bin', () => {
  testServer(() => ({}));
  const own = makeVentView({ isOwner: true, reactions });
  const { show } = renderSignedIn(<VentCard vent={own} {...actions} />);
  expect(buttons()).toEqual(['Comments, 0', 'More about this vent']);
  expect(screen.getByText('Love, shows love, 2')).toBeTruthy();
  expect(screen.getByText('I hear you, shows empathy, 1')).toBeTruthy();
  show(<VentCard vent={own} isInOwnList {...actions} />);
  expect(buttons()).toEqual(['Comments, 0', 'Delete vent']);
});

test('a reaction has one name, on screen and spoken', () => {
  testServer(() => ({}));
  renderSignedIn(<VentCard vent={makeVentView({ reactions })} {...actions} />);
  expect(buttons()).toEqual([
    'Love, shows love, 2',
    'Hug, shows support, 0',
    'I hear you, shows empathy, 1',
    'Comments, 0',
    'More about this vent',
  ]);
});

test('a hashtag opens the search of the feed', () => {
  testServer(() => ({}));
  renderSignedIn(<VentCard vent={makeVentView({ hashtags: ['exam'] })} {...actions} />);
  expect(screen.getByRole('link', { name: '#exam' }).getAttribute('href')).toBe('/vents?query=%23exam');
});

test('the menu of an own vent deletes it, and neither hides nor reports', async () => {
  testServer(() => ({}));
  const onDelete = vi.fn<() => void>();
  const vent = makeVentView({ isOwner: true });
  renderSignedIn(<VentMenu vent={vent} isOpen onClose={vi.fn()} onReport={vi.fn()} onDelete={onDelete} />);
  expect(screen.queryByRole('button', { name: 'Report vent' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Delete vent' }));
  expect(onDelete).toHaveBeenCalledOnce();
});
