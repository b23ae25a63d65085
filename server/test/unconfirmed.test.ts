import { randomUUID } from 'node:crypto';
import {
  commentOnVent,
  createVent,
  listSessions,
  react,
  reportVent,
  revokeOtherSessions,
} from '@unsaid/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../src/platform/logger.ts';
import { migrate } from '../src/platform/migrate.ts';
import { startTestApp, type TestApp } from './app.ts';
import { makeUser, makeVent, signIn, type Person } from './make.ts';
import { createPostgres, type OwnPostgres } from './own-postgres.ts';

/**
 * A commit waits for a standby that is not there, and somebody ends its wait. PostgreSQL calls that a success with a
 * warning, although a failover would lose the write. The api must not.
 */

let postgres: OwnPostgres;
let app: TestApp;
let person: Person;
let ventId: string;

const waiting = () =>
  Number(postgres.sql(`select count(*) from pg_stat_activity where wait_event = 'SyncRep'`));
const cancelWaiting = () =>
  postgres.sql(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);

async function waitFor(standby: string): Promise<void> {
  postgres.sql(`alter system set synchronous_standby_names = '${standby}'`);
  postgres.sql('select pg_reload_conf()');
  await expect.poll(() => postgres.sql('show synchronous_standby_names'), { timeout: 10_000 }).toBe(standby);
}

/** The answer to a call whose commit nobody confirms, its wait cancelled as soon as it is seen. */
async function answerOf<A>(call: () => Promise<A>): Promise<A> {
  const answer = call();
  await expect.poll(waiting, { timeout: 10_000 }).toBe(1);
  cancelWaiting();
  return answer;
}

beforeAll(async () => {
  postgres = await createPostgres();
  await migrate(postgres.url, createLogger('silent', { write: () => undefined }));
  app = await startTestApp({ databaseUrl: postgres.url });
  person = await makeUser(app);
  ventId = (await makeVent(app, await makeUser(app))).id;
}, 60_000);

afterAll(async () => {
  await app.close();
  postgres.remove();
});

const unavailable = { status: 503, body: { success: false, code: 'TEMPORARILY_UNAVAILABLE' } };

for (const [name, write] of [
  [
    'a vent',
    (headers: Record<string, string>) =>
      app.call(createVent, {
        as: person,
        headers,
        body: { title: 'Unconfirmed', text: 'Said once', emotion: 'Sad' },
      }),
  ],
  [
    'a comment',
    (headers: Record<string, string>) =>
      app.call(commentOnVent, { as: person, headers, body: { ventId, text: 'Said once' } }),
  ],
] as const) {
  test(`${name} is not acknowledged while no standby has it, nor when it is sent again, and is there once in the end`, async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await waitFor('nobody');
    expect(await answerOf<{ status: number }>(() => write(headers))).toMatchObject(unavailable);
    // It is in the table now, and its mark too: that is no reason to say so.
    expect(await answerOf<{ status: number }>(() => write(headers))).toMatchObject(unavailable);
    await waitFor('');
    const answer = await write(headers);
    expect(answer.status).toBe(201);
    const table = name === 'a vent' ? 'content.vents' : 'content.comments';
    expect(postgres.sql(`select count(*) from ${table} where body = 'Said once'`)).toBe('1');
  });
}

test('a reaction and a report are not acknowledged either, the first time or again', async () => {
  const give = () => app.call(react, { as: person, body: { ventId, reactionType: 'hug', active: true } });
  const tell = () => app.call(reportVent, { as: person, body: { ventId, reason: 'Spam' } });
  await waitFor('nobody');
  for (const write of [give, give, tell, tell])
    expect(await answerOf<{ status: number }>(write)).toMatchObject(unavailable);
  await waitFor('');
  expect((await give()).status).toBe(200);
  expect((await tell()).status).toBe(201);
  expect(postgres.sql(`select hug from content.vent_stats where hug > 0`)).toBe('1');
  expect(postgres.sql('select count(*) from content.reports')).toBe('1');
});

test('sessions are not said to have ended while no standby knows, also when there is nothing left to end', async () => {
  await signIn(app, person.phone);
  const end = () => app.call(revokeOtherSessions, { as: person });
  await waitFor('nobody');
  expect(await answerOf(end)).toMatchObject(unavailable);
  expect(await answerOf(end)).toMatchObject(unavailable);
  await waitFor('');
  expect((await end()).status).toBe(200);
  expect((await app.call(listSessions, { as: person })).body.sessions).toHaveLength(1);
});

test('a write whose wait nobody ends is answered within 5 s, and its connection is thrown away', async () => {
  await waitFor('nobody');
  const begun = performance.now();
  const answer = await app.call(react, { as: person, body: { ventId, reactionType: 'heart', active: true } });
  expect(answer).toMatchObject(unavailable);
  expect(performance.now() - begun).toBeLessThan(6000);
  await waitFor('');
  const again = await app.call(react, { as: person, body: { ventId, reactionType: 'heart', active: true } });
  expect(again.status).toBe(200);
});
