import { deleteVent, ventsSince } from '@unsaid/contract';
import { expect, test } from 'vitest';
import type { Actor } from './app.ts';
import { makeVent } from './factories.ts';
import { ann, app, ben, cat, commentOn, reactTo, rows, useVentApp } from './vent-app.ts';

useVentApp();

const none = { heart: 0, hug: 0, listen: 0, comments: 0 };
const readSince = async (as: Actor, cursor?: string) =>
  (await app.call(ventsSince, { as, query: cursor === undefined ? {} : { cursor } })).body;

test('ventsSince counts interactions of others after the cursor, and not the caller’s own', async () => {
  const [first, second] = [await makeVent(app, ann), await makeVent(app, ann)];
  const start = await readSince(ann);
  expect(start.since).toEqual(none);
  await reactTo(ben, first.id, 'heart');
  await reactTo(cat, second.id, 'heart');
  await reactTo(ben, second.id, 'hug');
  await reactTo(ann, first.id, 'listen');
  await commentOn(ann, first.id, 'own');
  await commentOn(cat, first.id, 'hello');
  await commentOn(cat, second.id, 'hello', { anonymous: true });
  const given = { heart: 2, hug: 1, listen: 0, comments: 2 };
  const next = await readSince(ann, start.cursor);
  expect(next.since).toEqual(given);
  // A cursor is not used up: the same one gives the same result.
  expect((await readSince(ann, start.cursor)).since).toEqual(given);
  expect((await readSince(ann, next.cursor)).since).toEqual(none);
  expect((await readSince(ben)).since).toEqual(none);
  // A withdrawn reaction does not make a count negative. Given again, it is not new: what was seen only grows.
  await reactTo(ben, first.id, 'heart');
  const less = await readSince(ann, next.cursor);
  expect(less.since).toEqual(none);
  await reactTo(ben, first.id, 'heart');
  await reactTo(cat, first.id, 'heart');
  expect((await readSince(ann, less.cursor)).since).toEqual({ ...none, heart: 1 });
});

test('ventsSince counts everything on vents that are newer than the cursor', async () => {
  const start = await readSince(ann);
  const { id } = await makeVent(app, ann);
  await reactTo(ben, id, 'hug');
  await commentOn(ben, id, 'hello');
  expect((await readSince(ann, start.cursor)).since).toEqual({ ...none, hug: 1, comments: 1 });
});

test('ventsSince without a cursor counts the comments of the last seven days, and no reactions', async () => {
  const { id } = await makeVent(app, ann);
  await reactTo(ben, id, 'hug');
  await commentOn(ben, id, 'an old one');
  await rows.query('update content.comments set said_on = said_on - 8');
  await commentOn(ben, id, 'a new one');
  expect((await readSince(ann)).since).toEqual({ ...none, comments: 1 });
  // A cursor of another account, or an invalid one, counts as none.
  for (const cursor of ['x', (await readSince(ben)).cursor])
    expect((await readSince(ann, cursor)).since).toEqual({ ...none, comments: 1 });
});

test('ventsSince covers the newest 64 vents, and ignores one that is among them again after deletions', async () => {
  const made: string[] = [];
  for (let n = 0; n < 66; n += 1) made.push((await makeVent(app, ann)).id);
  const [oldest = '', , third = ''] = made;
  const start = await readSince(ann);
  await reactTo(ben, oldest, 'heart');
  await reactTo(ben, third, 'heart');
  expect((await readSince(ann, start.cursor)).since).toEqual({ ...none, heart: 1 });
  for (const id of made.slice(10, 13)) await app.call(deleteVent, { as: ann, params: { id } });
  const after = await readSince(ann, start.cursor);
  expect(after.since).toEqual({ ...none, heart: 1 });
  expect(after.cursor).toHaveLength(start.cursor.length);
});
