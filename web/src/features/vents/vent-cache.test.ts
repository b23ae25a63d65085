import type { VentView } from '@unsaid/contract';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { makeVentView } from '../../lib/testing.tsx';
import { dropVent, patchOwnVents, patchVent, ventsKey } from './vent-cache.ts';

const changes: readonly [string, (client: QueryClient, id: string) => void][] = [
  ['a change of a vent', (client, id) => patchVent(client, id, (vent) => ({ ...vent, commentCount: 7 }))],
  ['a change of all own vents', (client) => patchOwnVents(client, (vent) => ({ ...vent, commentCount: 7 }))],
  ['a removed vent', dropVent],
];

for (const [name, change] of changes) {
  test(`${name} does not make a list fresh that has to be fetched again`, async () => {
    const client = new QueryClient();
    const vent: VentView = makeVentView({ isOwner: true });
    const lists = [
      [...ventsKey, 'list', 'with it'],
      [...ventsKey, 'list', 'without it'],
    ] as const;
    const fetchedAt = Date.now() - 20_000;
    const others = [makeVentView({ _id: 'another' })];
    client.setQueryData(lists[0], { vents: [vent, ...others] }, { updatedAt: fetchedAt });
    client.setQueryData(lists[1], { vents: others }, { updatedAt: fetchedAt });
    await client.invalidateQueries({ queryKey: ventsKey, refetchType: 'none' });

    change(client, vent._id);

    for (const queryKey of lists) {
      expect(client.getQueryCache().find({ queryKey })?.isStaleByTime(30_000)).toBe(true);
    }
  });

  test(`${name} is shown by a list on screen`, () => {
    const client = new QueryClient();
    const vent: VentView = makeVentView({ isOwner: true });
    const queryKey = [...ventsKey, 'list'];
    client.setQueryData(queryKey, { vents: [vent] });
    const observer = new QueryObserver<{ vents: VentView[] }>(client, { queryKey, enabled: false });
    const shown: unknown[] = [];
    observer.subscribe(({ data }) => shown.push(data?.vents.map(({ commentCount }) => commentCount)));

    change(client, vent._id);

    return expect.poll(() => shown.at(-1)).toEqual(change === dropVent ? [] : [7]);
  });
}
