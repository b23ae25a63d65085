import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import { withClient } from './db.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ logLevel: 'silent' });
});
afterAll(() => app.close());

/** The flush of last-seen days updates this table by session id. */
const flushed = 'identity.sessions';

test('every identity table with a user id is rewritten after a visit', async () => {
  const withUserId = await withClient(app.config.databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.columns
        where table_schema = 'identity' and column_name = 'user_id'`,
    );
    return rows.map(({ name }) => name);
  });
  const declared = app.features.privacyParts.flatMap(({ rewriteNightly }) => rewriteNightly ?? []);
  expect([...declared, flushed].toSorted()).toEqual(withUserId.toSorted());
});

test('a privacy part rewrites only its own tables', () => {
  for (const { tables, rewriteNightly } of app.features.privacyParts)
    expect(tables).toEqual(expect.arrayContaining([...(rewriteNightly ?? [])]));
});
