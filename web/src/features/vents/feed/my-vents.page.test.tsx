import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { makeVentView, renderSignedIn, testServer } from '../../../lib/testing.tsx';
import { MyVentsPage } from './my-vents.page.tsx';

test('a page that is rendered again renders none of its cards', async () => {
  testServer(() => ({ vents: [makeVentView({ isOwner: true })], pageCount: 1, hasOlder: false }));
  const { client, show } = renderSignedIn(<MyVentsPage />);
  await screen.findByText('Said at last.');
  let reads = 0;
  // Not a plain object: the query keeps it as it is.
  const vent = Object.defineProperty(
    Object.assign(Object.create({}), makeVentView({ isOwner: true })),
    'hashtags',
    { get: () => ((reads += 1), ['counted']) },
  ) as object;
  const [query] = client.getQueryCache().findAll({ queryKey: ['vents', 'list'] });
  act(() => void client.setQueryData(query?.queryKey ?? [], (page: object) => ({ ...page, vents: [vent] })));
  await screen.findByText('#counted');
  const before = reads;
  show(<MyVentsPage />);
  expect(reads).toBe(before);
});
