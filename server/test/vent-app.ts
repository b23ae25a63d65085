import {
  changeUsername,
  commentOnVent,
  createVent,
  getVent,
  listVents,
  react,
  searchVents,
  setVentComments,
  type ReactionType,
  type RequestOf,
  type VentView,
} from '@unsaid/contract';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startTestApp, type Actor, type Answer, type TestApp } from './app.ts';
import { openPool } from './db.ts';
import { makeUser, type Person } from './factories.ts';

/** The server, its database and three people, for the tests of vents, comments, reactions and reports. */
export let app: TestApp;
export let rows: pg.Pool;
/** Signing in is slow, so people are shared by all tests of a file. Ann and Ben have names, Cat has none. */
export let ann: Person;
export let ben: Person;
export let cat: Person;

/** Registers the hooks of a test file. Every test starts without vents, reports and idempotency keys. */
export function useVentApp(): void {
  beforeAll(async () => {
    app = await startTestApp({ limitsScale: 10_000 });
    rows = openPool(app.config.databaseUrl);
    [ann, ben, cat] = [await makeUser(app), await makeUser(app), await makeUser(app)];
    for (const [person, newUsername] of [
      [ann, 'ann_of_tests'],
      [ben, 'ben_of_tests'],
    ] as const) {
      await app.call(changeUsername, { as: person, body: { newUsername } });
    }
  });
  afterAll(async () => {
    await rows.end();
    await app.close();
  });
  beforeEach(async () => {
    await rows.query('truncate content.vents, content.idempotency, moderation.cases cascade');
    // Longer than a page of the feed or the trending list is cached.
    app.clock.advance(60_000);
  });
}

export type VentBody = RequestOf<typeof createVent>['body'];
export const ventBody: VentBody = { title: 'A title', text: 'What I could not say', emotion: 'Anxious' };
export const hour = 3_600_000;

export const postVent = (as: Actor, body: Partial<VentBody>, headers: Record<string, string> = {}) =>
  app.call(createVent, { as, body: body as VentBody, headers });
export const listFeed = async (as: Actor, query: Record<string, string> = {}) => {
  const answer = await app.call(listVents, { as, query });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
export const titlesOf = (vents: readonly VentView[]) => vents.map(({ title }) => title);
export const fetchVent = async (as: Actor, id: string) => {
  const answer = await app.call(getVent, { as, params: { id } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.vent;
};
/** The titles of the vents that a search finds. */
export const searchTitles = async (as: Actor, query: string, more: Record<string, string> = {}) => {
  const answer = await app.call(searchVents, { as, query: { query, ...more } });
  expect(answer.status, `${query}: ${answer.text}`).toBe(200);
  return titlesOf(answer.body.vents);
};
export const reactTo = (as: Actor, ventId: string, reactionType: ReactionType, active?: boolean) =>
  app.call(react, { as, body: { ventId, reactionType, ...(active === undefined ? {} : { active }) } });
export const commentOn = (as: Actor, ventId: string, text: string, more: { anonymous?: boolean } = {}) =>
  app.call(commentOnVent, { as, body: { ventId, text, ...more } });
export const allowComments = (as: Actor, id: string, isAllowed: boolean) =>
  app.call(setVentComments, { as, params: { id }, body: { allowComments: isAllowed } });
/** Sets the state directly, as a moderator would. */
export const setState = (ventId: string, state: string) =>
  rows.query('update content.vents set state = $2 where id = $1', [
    String(app.deps.publicIds.vent.decode(ventId)),
    state,
  ]);
export const outcomeOf = ({ status, body }: Answer<unknown>) => [status, body.code];
export const countRows = async (query: string) => {
  const { rows: found } = await rows.query<{ count: number }>(`select count(*)::int as count from ${query}`);
  return found[0]?.count ?? -1;
};
