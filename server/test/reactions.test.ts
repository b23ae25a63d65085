import { getVent, listVents, react, ventsSince } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { makeUser, makeVent, runJob } from './factories.ts';
import {
  ann,
  app,
  ben,
  cat,
  countRows,
  fetchVent,
  outcomeOf,
  reactTo,
  rows,
  useVentApp,
} from './vent-app.ts';

useVentApp();

test('each reaction is a separate toggle, and the response has all counts and the caller’s reactions (S1.5, S3.6, S7.10)', async () => {
  const { id } = await makeVent(app, ann);
  const readCounts = async (answer: ReturnType<typeof reactTo>) => {
    const { reactions, myReactions, ...rest } = (await answer).body;
    expect(rest).toEqual({ success: true });
    return [reactions.heart, reactions.hug, reactions.listen, myReactions];
  };
  expect(await readCounts(reactTo(ben, id, 'heart'))).toEqual([1, 0, 0, ['heart']]);
  expect(await readCounts(reactTo(cat, id, 'heart'))).toEqual([2, 0, 0, ['heart']]);
  expect(await readCounts(reactTo(ben, id, 'listen'))).toEqual([2, 0, 1, ['heart', 'listen']]);
  expect(await readCounts(reactTo(ben, id, 'hug'))).toEqual([2, 1, 1, ['heart', 'hug', 'listen']]);
  expect(await readCounts(reactTo(ben, id, 'heart'))).toEqual([1, 1, 1, ['hug', 'listen']]);
  expect(await readCounts(reactTo(ann, id, 'heart'))).toEqual([2, 1, 1, ['heart']]);
  expect((await fetchVent(ben, id)).myReactions).toEqual(['hug', 'listen']);
  expect((await fetchVent(ann, id)).myReactions).toEqual(['heart']);
  expect((await fetchVent(await makeUser(app), id)).myReactions).toEqual([]);
});

test('a reaction with `active` is idempotent', async () => {
  const { id } = await makeVent(app, ann);
  for (const [active, hug] of [
    [false, 0],
    [true, 1],
    [true, 1],
    [false, 0],
    [false, 0],
  ] as const) {
    const { body } = await reactTo(ben, id, 'hug', active);
    expect([body.reactions.hug, body.myReactions]).toEqual([hug, hug ? ['hug'] : []]);
  }
  const answers = await Promise.all(Array.from({ length: 30 }, () => reactTo(ben, id, 'hug', true)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await fetchVent(ann, id)).reactions).toEqual({ heart: 0, hug: 1, listen: 0 });
});

test('an unknown kind, a number for an id and a string for active are refused', async () => {
  const { id } = await makeVent(app, ann);
  for (const body of [
    { ventId: id, reactionType: 'Heart' },
    { ventId: id, reactionType: 'like' },
    { ventId: id },
    { ventId: 1, reactionType: 'hug' },
    { ventId: id, reactionType: 'hug', active: 'true' },
  ]) {
    expect(outcomeOf(await app.call(react, { as: ben, body: body as never }))).toEqual([
      422,
      'VALIDATION_FAILED',
    ]);
  }
  expect(await countRows('content.reactions')).toBe(0);
});

test('50 concurrent toggles of one person all happen: the count matches the rows, and an odd number leaves one', async () => {
  const { id } = await makeVent(app, ann);
  const shown = async () => (await fetchVent(ben, id)).reactions.heart;
  await Promise.all(Array.from({ length: 50 }, () => reactTo(ben, id, 'heart')));
  expect([await shown(), await countRows('content.reactions')]).toEqual([0, 0]);
  await Promise.all(Array.from({ length: 51 }, () => reactTo(ben, id, 'heart')));
  expect([await shown(), await countRows('content.reactions')]).toEqual([1, 1]);
});

test('counts match the rows and never go below zero under concurrent reactions of several people', async () => {
  const people = [ann, ben, cat, await makeUser(app), await makeUser(app)];
  const { id } = await makeVent(app, ann);
  const kinds = ['heart', 'hug', 'listen'] as const;
  for (let round = 0; round < 6; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        reactTo(
          people[(n * 7 + round) % 5] ?? ann,
          id,
          kinds[(n + round) % 3] ?? 'hug',
          [undefined, true, false][(n >> 1) % 3],
        ),
      ),
    );
    for (const { status, text, body } of answers) {
      expect(status, text).toBe(200);
      for (const count of Object.values(body.reactions)) expect(count).toBeGreaterThanOrEqual(0);
    }
    // The author sees their own reactions too.
    const { reactions } = await fetchVent(ann, id);
    for (const kind of kinds) {
      expect([kind, reactions[kind]]).toEqual([
        kind,
        await countRows(`content.reactions where kind = '${kind}'`),
      ]);
    }
  }
});

test('reactions are counts, and no response says who reacted (SC-23)', async () => {
  const { id } = await makeVent(app, ann);
  const { cursor } = (await app.call(ventsSince, { as: ann, query: {} })).body;
  await reactTo(ben, id, 'hug', true);
  for (const answer of [
    await app.call(getVent, { as: cat, params: { id } }),
    await app.call(listVents, { as: ann }),
    await app.call(listVents, { as: ann, query: { mine: 'true' } }),
    await app.call(ventsSince, { as: ann, query: { cursor } }),
  ]) {
    expect(answer.text).toContain('"hug":1');
    expect(answer.text).not.toMatch(/ben_of_tests|reactor/u);
    expect(answer.text).not.toContain(ben.user._id);
  }
});

test('a reaction to one’s own vent moves nothing that another person sees: no count, no place in trending (SC-23)', async () => {
  const [self, other] = [await makeVent(app, ann), await makeVent(app, ben)];
  await reactTo(cat, other.id, 'heart', true);
  const seen = async () => {
    app.clock.advance(11_000);
    await runJob(app, 'rewrite-trending');
    const answers = [
      await app.call(getVent, { as: cat, params: { id: self.id } }),
      await app.call(listVents, { as: cat }),
      await app.call(listVents, { as: cat, query: { sort: 'trending', emotion: 'Sad' } }),
    ];
    return answers.map(({ text }) => text).join('\n');
  };
  const before = await seen();
  for (const kind of ['heart', 'hug', 'listen'] as const) {
    const { body } = await reactTo(ann, self.id, kind, true);
    expect([body.reactions[kind], body.myReactions.includes(kind)]).toEqual([1, true]);
  }
  expect(await seen()).toBe(before);
  expect((await fetchVent(ann, self.id)).reactions).toEqual({ heart: 1, hug: 1, listen: 1 });
  // Planted: a counter with the author's reaction in it, which is what the first version had.
  await rows.query('update content.vent_stats set heart = heart + 1 where vent_id = $1', [self.number]);
  await reactTo(cat, self.id, 'listen', true);
  await reactTo(cat, self.id, 'listen', false);
  expect(await seen()).not.toBe(before);
});
