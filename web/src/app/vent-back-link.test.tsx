import { getVent } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Link, Route, Routes, useLocation, useNavigationType } from 'react-router';
import { expect, test } from 'vitest';
import { paths } from '../lib/paths.ts';
import { makeVentView, renderSignedIn, testServer } from '../lib/testing.tsx';
import { LineLink } from '../features/inbox/line-view.tsx';
import { VentDetailPage } from '../features/vents/detail/vent-detail.page.tsx';

const line = (
  <LineLink
    line={{
      kind: 'comments',
      key: 'k',
      isUnread: true,
      vent: { _id: 'v1', title: 'Awake' },
      count: 1,
      commentId: 'c1',
      day: '2026-11-15',
    }}
    isNew
    onFollow={() => undefined}
  />
);

/** Where the reader is, and whether the last step was to an entry of the history or added one. */
function Where() {
  return <output aria-label="Where">{`${useNavigationType()} ${useLocation().pathname}`}</output>;
}

/** A line on the first page, as the strip has it, and the same line in the inbox. */
function openPages() {
  testServer(({ path }) =>
    path === getVent.path.replace(':id', 'v1')
      ? { vent: makeVentView() }
      : { comments: [], hasOlder: false, vents: [], pageCount: 1 },
  );
  renderSignedIn(
    <>
      <Where />
      <Routes>
        <Route
          path="/"
          element={
            <>
              {line} <Link to={paths.inbox}>To the inbox</Link>
            </>
          }
        />
        <Route path={paths.inbox} element={line} />
        <Route path={`${paths.vent}/:ventId`} element={<VentDetailPage />} />
      </Routes>
    </>,
  );
}

const follow = async (name: string) => userEvent.click(await screen.findByRole('link', { name }));
const followLine = () => userEvent.click(screen.getByRole('link', { name: /1 new comment/u }));
const where = () => screen.getByRole('status', { name: 'Where' }).textContent;

test('from a line of the inbox, the link back goes back to it and adds no entry to the history', async () => {
  openPages();
  await follow('To the inbox');
  await followLine();
  expect(where()).toBe('PUSH /vent/v1');
  await follow('Back to inbox');
  await expect.poll(where).toBe('POP /inbox');
});

test('from a line on another page, the link leads to the inbox, not to that page', async () => {
  openPages();
  await followLine();
  await follow('Back to inbox');
  await expect.poll(where).toBe('PUSH /inbox');
});
