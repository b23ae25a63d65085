import { createVent, hide, listVents, listHeldVents } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { ann, app, ben, cat, fetchVent, postVent, rows, useVentApp } from './vent-app.ts';
import type { Actor } from './app.ts';

useVentApp();

const plan = 'I want to kill myself. I have the pills on my table.';
const telling = 'whoever is reading this, kill yourself';

const post = async (as: Actor, text: string) => {
  const answer = await postVent(as, { title: 'Tonight', text, emotion: 'Sad' });
  expect(answer.status, answer.text).toBe(201);
  if (!answer.body.vent) throw new Error('it is held');
  return answer.body.vent;
};
const list = async (as: Actor, without?: 'heavy') =>
  (await app.call(listVents, { as, query: { page: '1', limit: '5', ...(without && { without }) } })).body
    .vents;

test('a vent with a plan is folded for every reader, and never for its author', async () => {
  const { _id } = await post(ann, plan);
  await post(ann, 'The exam went badly.');
  for (const reader of [ben, cat]) {
    expect((await fetchVent(reader, _id)).heavy).toBe(true);
    expect((await list(reader)).map(({ heavy }) => heavy)).toEqual([undefined, true]);
  }
  expect((await fetchVent(ann, _id)).heavy).toBeUndefined();
  expect((await list(ann)).map(({ heavy }) => heavy)).toEqual([undefined, undefined]);
});

test('the newest that are not folded go to Home, also past a page of folded ones', async () => {
  const light = await post(ann, 'The exam went badly.');
  for (let n = 0; n < 6; n += 1) await post(n % 2 === 0 ? ann : cat, `${plan} ${'!'.repeat(n)}`);
  expect((await list(ben, 'heavy')).map(({ _id }) => _id)).toEqual([light._id]);
  expect(await list(ben)).toHaveLength(5);
});

test('a vent that its reader hid says nothing of its words', async () => {
  const { _id } = await post(ann, plan);
  await app.call(hide, { as: ben, body: { about: { kind: 'vent', id: _id } } });
  const [hidden] = await list(ben);
  expect(hidden).toMatchObject({ _id, text: '', hiddenBy: 'you' });
  expect(hidden?.heavy).toBeUndefined();
});

test('no column says that a vent is heavy', async () => {
  const columns = async () =>
    (
      await rows.query<{ schema: string; row: string }>(
        `select 'vent' as schema, (to_jsonb(vent) - array['id', 'speaker', 'slot_key', 'created_at', 'body', 'language'])::text as row
           from content.vents as vent order by id`,
      )
    ).rows.map(({ row }) => row);
  await post(ann, plan);
  await post(ann, 'The exam went badly, and the mess food too, again.');
  const [heavy, light] = await columns();
  expect(heavy).toBe(light);
});

test('a vent that tells its readers to die is refused, posted or held, and what is said to oneself is not', async () => {
  const said = { title: 'Read this', text: telling, emotion: 'Angry' } as const;
  const posted = await app.call(createVent, { as: ann, body: said });
  expect(posted.status, posted.text).toBe(422);
  expect(posted.body).toMatchObject({ code: 'ENCOURAGES_SELF_HARM' });
  const held = await app.call(createVent, { as: ann, body: { ...said, later: true } });
  expect(held.body).toMatchObject({ code: 'ENCOURAGES_SELF_HARM' });
  expect((await app.call(listHeldVents, { as: ann })).body.held).toEqual([]);
  expect(await list(ben)).toEqual([]);
  await post(ann, 'my head keeps saying kill yourself');
  await post(ann, 'she told me to kill myself in front of the whole class');
});
