import {
  commentOnVent,
  createVent,
  exportData,
  getVent,
  listComments,
  listVents,
  react,
  ventWeather,
  ventsSince,
} from '@unsaid/contract';
import { wordAt } from '../../server/seed/benchmark-texts.ts';
import type { Answer, Client } from './client.ts';
import { authorsOf } from './compared.ts';
import { grouped } from './section.ts';
import { reauthenticateBy, signIn, type TestServer } from './test-server.ts';

/** The compared calls, by their name in the table. */
export type Ask = (n: number) => Promise<Answer<unknown>>;

export const nameFor = (name: string, own: number) => `${name}, ${grouped(own)} own`;

interface Calls {
  readonly calls: ReadonlyMap<string, Ask>;
  /** The newest vents that take comments. */
  readonly ventIds: readonly string[];
}

export async function callsOf(
  server: TestServer,
  client: Client,
  { viewer, vents }: { readonly viewer: string; readonly vents: number },
): Promise<Calls> {
  const page = await client.call(listVents, { token: viewer, query: { limit: '100' } });
  const open = page.body.vents.filter(({ userId }) => userId.allowComments);
  const ventIds = open.map(({ _id }) => _id);
  const at = (n: number) => ventIds[n % ventIds.length] ?? '';
  const discussed = open.toSorted((a, b) => b.commentCount - a.commentCount)[0]?._id ?? '';
  const list = (token: string, query: (n: number) => Record<string, string>) => (n: number) =>
    client.call(listVents, { token, query: query(n) });
  const calls = new Map<string, Ask>([
    ['feed, page 1, cached', list(viewer, () => ({ page: '1' }))],
    ['feed, pages 1 to 10', list(viewer, (n) => ({ page: String(1 + (n % 10)) }))],
    ['feed, pages 1 to 10, uncached', list(viewer, (n) => ({ page: String(1 + (n % 10)), limit: '6' }))],
    ['feed of 100', list(viewer, () => ({ limit: '100' }))],
    ['feed, older', list(viewer, () => ({ before: at(40) }))],
    ['detail', (n) => client.call(getVent, { token: viewer, params: { id: at(n) } })],
    [
      'comments of a vent',
      () => client.call(listComments, { token: viewer, params: { id: discussed }, query: {} }),
    ],
  ]);
  for (const { own, phone } of authorsOf(vents)) {
    const token = await signIn(server, client, phone);
    const mine = (query: Record<string, string>) => list(token, () => ({ mine: 'true', ...query }));
    const { body } = await client.call(listVents, { token, query: { mine: 'true', limit: '50' } });
    const before = body.vents.at(-1)?._id ?? '';
    const { cursor } = (await client.call(ventsSince, { token, query: {} })).body;
    for (const [name, ask] of Object.entries<Ask>({
      'My Vents with pager': mine({ page: '1', limit: '5' }),
      'My Vents, fifty at once': mine({ page: '1', limit: '50' }),
      'My Vents by cursor': mine({ before, limit: '5' }),
      weather: () => client.call(ventWeather, { token }),
      'own search, in 1 of 5': mine({ query: 'feel', page: '1', limit: '5' }),
      'own search, a rare word': mine({ query: wordAt(1000), page: '1', limit: '5' }),
      since: () => client.call(ventsSince, { token, query: cursor ? { cursor } : {} }),
      async export() {
        const answer = await client.call(exportData, { token });
        if (answer.status !== 403) return answer;
        // It is for somebody who has just proved the number, which lasts for some minutes.
        await reauthenticateBy({ server, client, phone }, token);
        return client.call(exportData, { token });
      },
    }))
      calls.set(nameFor(name, own), ask);
  }
  const marker = performance.now();
  calls.set('create a vent', (n) =>
    client.call(createVent, {
      token: viewer,
      body: { title: `Compared ${n}`, text: `Said while measuring, ${marker} ${n}`, emotion: 'Sad' },
    }),
  );
  calls.set('comment', (n) =>
    client.call(commentOnVent, {
      token: viewer,
      body: { ventId: at(n), text: 'I hear you', anonymous: n % 2 === 0 },
    }),
  );
  calls.set('react', (n) =>
    client.call(react, { token: viewer, body: { ventId: at(n), reactionType: 'hug' } }),
  );
  return { calls, ventIds };
}
