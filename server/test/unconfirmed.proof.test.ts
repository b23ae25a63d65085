/**
 * @module-tag full
 * A day later: it takes a failover within that day to lose a write that was acknowledged too early.
 */
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
import { productionTimeouts, startTestApp, type TestApp } from './app.ts';
import { makeUser, makeVent, signIn, type Person } from './factories.ts';
import { startTempPostgres, type TempPostgres } from '../../testkit/temp-postgres.ts';

/**
 * Unconfirmed commits: a commit waits for an absent standby, and the wait is cancelled. PostgreSQL reports
 * success with a warning, although a failover would lose the write. The API must not report success.
 */

let postgres: TempPostgres;
let app: TestApp;
let person: Person;
let ventId: string;

const waiting = () =>
  Number(postgres.sql(`select count(*) from pg_stat_activity where wait_event = 'SyncRep'`));
const cancelWaiting = () =>
  postgres.sql(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`);

async function setStandby(standby: string): Promise<void> {
  postgres.sql(`alter system set synchronous_standby_names = '${standby}'`);
  postgres.sql('select pg_reload_conf()');
  await expect.poll(() => postgres.sql('show synchronous_standby_names')).toBe(standby);
}

/**
 * Makes a call whose commit no standby confirms, cancels the wait as soon as it begins, and returns the response.
 */
async function cancelWait<A>(call: () => Promise<A>): Promise<A> {
  const answer = call();
  await expect.poll(waiting).toBe(1);
  cancelWaiting();
  return answer;
}

beforeAll(async () => {
  postgres = await startTempPostgres();
  await migrate(postgres.url, createLogger('silent', { write: () => undefined }));
  app = await startTestApp({ databaseUrl: postgres.url, ...productionTimeouts });
  person = await makeUser(app);
  ventId = (await makeVent(app, await makeUser(app))).id;
});

afterAll(async () => {
  await app.close();
  await postgres.remove();
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
  test(`${name} is not acknowledged while no standby has it, nor when it is sent again, and is stored once in the end`, async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await setStandby('nobody');
    expect(await cancelWait<{ status: number }>(() => write(headers))).toMatchObject(unavailable);
    // The row and its idempotency key are in the tables now, but still unconfirmed.
    expect(await cancelWait<{ status: number }>(() => write(headers))).toMatchObject(unavailable);
    await setStandby('');
    const answer = await write(headers);
    expect(answer.status).toBe(201);
    const table = name === 'a vent' ? 'content.vents' : 'content.comments';
    expect(postgres.sql(`select count(*) from ${table} where body = 'Said once'`)).toBe('1');
  });
}

test('a reaction and a report are not acknowledged while no standby has them, at the first attempt or later', async () => {
  const sendReaction = () =>
    app.call(react, { as: person, body: { ventId, reactionType: 'hug', active: true } });
  const sendReport = () => app.call(reportVent, { as: person, body: { ventId, reason: 'Spam' } });
  await setStandby('nobody');
  for (const write of [sendReaction, sendReaction, sendReport, sendReport])
    expect(await cancelWait<{ status: number }>(write)).toMatchObject(unavailable);
  await setStandby('');
  expect((await sendReaction()).status).toBe(200);
  expect((await sendReport()).status).toBe(201);
  expect(postgres.sql(`select hug from content.vent_stats where hug > 0`)).toBe('1');
  expect(postgres.sql('select count(*) from moderation.reports')).toBe('1');
});

test('the end of sessions is not acknowledged while no standby has it, also when no session is left to end', async () => {
  await signIn(app, person.phone);
  const end = () => app.call(revokeOtherSessions, { as: person });
  await setStandby('nobody');
  expect(await cancelWait(end)).toMatchObject(unavailable);
  expect(await cancelWait(end)).toMatchObject(unavailable);
  await setStandby('');
  expect((await end()).status).toBe(200);
  expect((await app.call(listSessions, { as: person })).body.sessions).toHaveLength(1);
});

test('a write whose wait is not cancelled gets a 503, and its connection is discarded', async () => {
  await setStandby('nobody');
  const answer = await app.call(react, { as: person, body: { ventId, reactionType: 'heart', active: true } });
  expect(answer).toMatchObject(unavailable);
  await setStandby('');
  const again = await app.call(react, { as: person, body: { ventId, reactionType: 'heart', active: true } });
  expect(again.status).toBe(200);
});
