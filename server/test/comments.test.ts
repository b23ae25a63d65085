import {
  changeUsername,
  closeAllVents,
  commentOnVent,
  deleteComment,
  getVent,
  listComments,
  updateDetails,
  type CommentView,
} from '@unsaid/contract';
import { describe, expect, test } from 'vitest';
import type { Actor } from './app.ts';
import { makeComment, makeUser, makeVent } from './factories.ts';
import { collide } from './locks.ts';
import {
  allowComments,
  ann,
  app,
  ben,
  cat,
  commentOn,
  countRows,
  fetchVent,
  listFeed,
  outcomeOf,
  rows,
  useVentApp,
} from './vent-app.ts';

useVentApp();

const allowByDefault = async (as: Actor, isAllowed: boolean) =>
  expect((await app.call(updateDetails, { as, body: { allowComments: isAllowed } })).status).toBe(200);
const indianDay = () => new Date(app.clock.now() + 5.5 * 3_600_000).toISOString().slice(0, 10);

const summarize = ({ userId: { username, profilePic }, isAuthor, isMine }: CommentView) => [
  username,
  profilePic !== null,
  isAuthor,
  isMine,
];

test('a comment shows the name of its writer, or none if they choose so, and the author of the vent comments as Author (SC-3, S3.8, S7.14)', async () => {
  const { id } = await makeVent(app, ann);
  const sent: CommentView[] = [];
  for (const [person, more] of [
    [ben, {}],
    [ben, { anonymous: true }],
    [cat, {}],
    [ann, {}],
    [ann, { anonymous: true }],
    [ann, { anonymous: false }],
  ] as const) {
    const answer = await commentOn(person, id, ' some\u0000'.slice(0, 5), more);
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body.comment).toSorted()).toEqual([
      '_id',
      'createdAt',
      'isAuthor',
      'isMine',
      'text',
      'userId',
    ]);
    // The day in India, 5:30 ahead of UTC: in the evening it is already the next day there.
    expect(answer.body.comment.createdAt).toBe(`${indianDay()}T00:00:00+05:30`);
    expect(answer.body.comment.text).toBe('some');
    sent.push(answer.body.comment);
  }
  expect(sent.map(summarize)).toEqual([
    ['ben_of_tests', true, false, true],
    [null, false, false, true],
    // A user without a name is "Anonymous" and has no picture: the same picture would link their comments.
    [null, false, false, true],
    [null, false, true, true],
    [null, false, true, true],
    [null, false, true, true],
  ]);
  const seen = (await fetchVent(cat, id)).comments;
  expect(seen.map(summarize)).toEqual(
    sent.map(summarize).map(([name, hasPicture, isAuthor], n) => [name, hasPicture, isAuthor, n === 2]),
  );
  expect((await fetchVent(ann, id)).comments.map(({ isMine }) => isMine)).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
  expect((await fetchVent(ben, id)).comments.map(({ isMine }) => isMine)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  const { text } = await app.call(getVent, { as: cat, params: { id } });
  expect(text).not.toContain('ann_of_tests');
  // A new name of the author changes nothing under their vent.
  await app.call(changeUsername, { as: ann, body: { newUsername: 'ann_renamed' } });
  expect((await app.call(getVent, { as: cat, params: { id } })).text.replace(/"requestId".*/u, '')).toBe(
    text,
  );
  await app.call(changeUsername, { as: ann, body: { newUsername: 'ann_of_tests' } });
});

test('a comment of a person without a name stays anonymous when they choose one later', async () => {
  const person = await makeUser(app);
  const { id } = await makeVent(app, ann);
  await makeComment(app, person, id);
  await makeComment(app, person, id, { anonymous: false });
  await app.call(changeUsername, { as: person, body: { newUsername: 'named_later' } });
  expect((await fetchVent(cat, id)).comments.map(({ userId }) => userId.username)).toEqual([null, null]);
  await makeComment(app, person, id, { anonymous: false });
  expect((await fetchVent(cat, id)).comments.at(-1)?.userId.username).toBe('named_later');
});

test('a comment shows the current name of its writer and links to no profile (SC-4)', async () => {
  const { id } = await makeVent(app, ann);
  await makeComment(app, ben, id);
  await app.call(changeUsername, { as: ben, body: { newUsername: 'ben_renamed' } });
  const { text } = await app.call(getVent, { as: cat, params: { id } });
  expect(text).toContain('ben_renamed');
  expect(text).not.toContain(ben.user._id);
  await app.call(changeUsername, { as: ben, body: { newUsername: 'ben_of_tests' } });
});

test.each([
  ['nothing', {}],
  ['blanks', { text: ' \n\u200B' }],
  ['501', { text: '😢'.repeat(501) }],
  ['a NUL', { text: 'a\u0000' }],
  ['a number', { text: 5 }],
  ['a string for anonymous', { text: 'x', anonymous: 'true' }],
])('a comment of %s is rejected with the message of the specification', async (_, body) => {
  const { id } = await makeVent(app, ann);
  const answer = await app.call(commentOnVent, { as: ben, body: { ventId: id, ...body } as never });
  expect([...outcomeOf(answer), answer.body.message]).toEqual([
    422,
    'VALIDATION_FAILED',
    'Please enter a comment.',
  ]);
  expect((await commentOn(ben, id, '😢'.repeat(500))).status).toBe(201);
});

test('comments are closed for one vent, for everyone and at once, and existing ones stay (SC-6, S4.11, S6.4)', async () => {
  const [first, second] = [await makeVent(app, ann), await makeVent(app, ann)];
  const other = await makeVent(app, ben);
  await makeComment(app, ben, first.id, { text: 'before' });
  await listFeed(cat);
  expect((await allowComments(ann, first.id, false)).status).toBe(200);
  for (const person of [ann, ben, cat]) {
    const answer = await commentOn(person, first.id, 'too late', { anonymous: person === cat });
    expect(outcomeOf(answer)).toEqual([403, 'COMMENTS_DISABLED']);
  }
  // Every reader sees that comments are closed, including the author.
  const fetchShown = async () =>
    Object.fromEntries((await listFeed(ann)).vents.map(({ _id, userId }) => [_id, userId.allowComments]));
  expect(await fetchShown()).toEqual({ [first.id]: false, [second.id]: true, [other.id]: true });
  expect((await fetchVent(cat, first.id)).comments.map(({ text }) => text)).toEqual(['before']);
  expect((await commentOn(ben, second.id, 'still open')).status).toBe(201);
  await allowComments(ann, first.id, true);
  expect((await commentOn(ben, first.id, 'again')).status).toBe(201);
  expect((await fetchVent(cat, first.id)).commentCount).toBe(2);
});

test('only the author closes comments: others get the response for a vent that never existed', async () => {
  const { id } = await makeVent(app, ann);
  const never = app.deps.publicIds.vent.encode(10n ** 12n);
  for (const ventId of [id, never])
    expect(outcomeOf(await allowComments(ben, ventId, false))).toEqual([404, 'VENT_NOT_FOUND']);
  expect((await fetchVent(cat, id)).userId.allowComments).toBe(true);
});

test('the profile’s switch applies to new vents only, and the composer overrides it (S6.4)', async () => {
  const old = await makeVent(app, ann);
  await allowByDefault(ann, false);
  expect((await fetchVent(cat, old.id)).userId.allowComments).toBe(true);
  expect((await makeVent(app, ann)).view.userId.allowComments).toBe(false);
  expect((await makeVent(app, ann, { allowComments: true })).view.userId.allowComments).toBe(true);
  await allowByDefault(ann, true);
  expect((await makeVent(app, ann)).view.userId.allowComments).toBe(true);
  expect((await makeVent(app, ann, { allowComments: false })).view.userId.allowComments).toBe(false);
});

test('closeAllVents closes comments on all vents of the caller and on no others (S6.4)', async () => {
  for (let n = 0; n < 7; n += 1) await makeVent(app, n === 3 ? ben : ann);
  await app.call(closeAllVents, { as: ann });
  const { vents } = await listFeed(cat, { limit: '100' });
  expect(vents.map(({ userId }) => userId.allowComments)).toEqual([
    false,
    false,
    false,
    true,
    false,
    false,
    false,
  ]);
});

test('closing comments refuses one that comes after it, though that one had found the vent open', async () => {
  const { id } = await makeVent(app, ann);
  expect((await commentOn(cat, id, 'before')).status).toBe(201);
  const answers = await collide<{ status: number }>(rows, 'select 1 from content.vent_stats for update', [
    () => allowComments(ann, id, false),
    () => commentOn(ben, id, 'after'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 403]);
  expect([await countRows('content.comments'), (await fetchVent(ann, id)).commentCount]).toEqual([1, 1]);
});

test('closing comments during 30 concurrent ones keeps exactly those that got a 201', async () => {
  const { id } = await makeVent(app, ann);
  const speaking = Array.from({ length: 30 }, (_, n) =>
    commentOn([ben, cat][n % 2] ?? ben, id, `comment ${n}`),
  );
  const closing = allowComments(ann, id, false);
  const answers = await Promise.all(speaking);
  await closing;
  const taken = answers.filter(({ status }) => status === 201).length;
  expect(answers.filter(({ body }) => body.code === 'COMMENTS_DISABLED').length).toBe(30 - taken);
  expect([await countRows('content.comments'), (await fetchVent(ann, id)).commentCount]).toEqual([
    taken,
    taken,
  ]);
  expect((await commentOn(ben, id, 'after')).status).toBe(403);
});

test('a vent carries its newest 20 comments, oldest first, and a cursor lists older ones, each exactly once (S3.7)', async () => {
  const { id } = await makeVent(app, ann);
  const said: string[] = [];
  for (let n = 0; n < 47; n += 1) {
    said.push(`comment ${n}`);
    await makeComment(app, [ann, ben, cat][n % 3] ?? ann, id, {
      text: `comment ${n}`,
      anonymous: n % 2 === 0,
    });
  }
  const vent = await fetchVent(cat, id);
  expect(vent.commentCount).toBe(47);
  expect(vent.comments.map(({ text }) => text)).toEqual(said.slice(27));
  expect((await listFeed(cat)).vents[0]?.comments).toEqual(vent.comments);
  const seen = [...vent.comments];
  const listOlder = (before: string) =>
    app.call(listComments, { as: cat, params: { id }, query: { before } });
  for (let hasOlder = true; hasOlder;) {
    const { body } = await listOlder(seen[0]?._id ?? '');
    seen.unshift(...body.comments);
    hasOlder = body.hasOlder;
  }
  expect(seen.map(({ text }) => text)).toEqual(said);
  expect(new Set(seen.map(({ _id }) => _id)).size).toBe(47);
  const { body } = await app.call(listComments, { as: cat, params: { id }, query: {} });
  expect([body.comments, body.hasOlder]).toEqual([vent.comments, true]);
  expect((await listOlder('A'.repeat(22))).body.comments).toEqual([]);
});

test('comments are listed from a given one on, also when that one was deleted since', async () => {
  const [{ id }, elsewhere] = [await makeVent(app, ann), await makeVent(app, ann)];
  const ids: string[] = [];
  for (let n = 0; n < 25; n += 1) ids.push(await makeComment(app, ben, id, { text: `comment ${n}` }));
  const listFrom = async (from: string) => {
    const { body } = await app.call(listComments, { as: cat, params: { id }, query: { from } });
    return [body.comments.map(({ _id }) => _id), body.hasOlder, body.hasNewer];
  };
  expect(await listFrom(ids[0] ?? '')).toEqual([ids.slice(0, 20), false, true]);
  expect(await listFrom(ids[5] ?? '')).toEqual([ids.slice(5), true, false]);
  await app.call(deleteComment, { as: ben, params: { ventId: id, commentId: ids[5] ?? '' } });
  expect(await listFrom(ids[5] ?? '')).toEqual([ids.slice(6), true, false]);
  for (const foreign of [await makeComment(app, ben, elsewhere.id, { text: 'x' }), 'A'.repeat(22), ''])
    expect(await listFrom(foreign)).toEqual([[], true, false]);
});

test('a comment is deleted by the vent’s author or its writer, once, and by no one else (R38, S6.5, S6.8, S7.15)', async () => {
  const [vent, elsewhere] = [await makeVent(app, ann), await makeVent(app, ann)];
  const remove = (as: Actor, commentId: string, ventId = vent.id) =>
    app.call(deleteComment, { as, params: { ventId, commentId } });
  const gone = [404, 'COMMENT_NOT_FOUND'];
  const named = await makeComment(app, ben, vent.id, { text: 'named' });
  const masked = await makeComment(app, ben, vent.id, { text: 'masked', anonymous: true });
  const own = await makeComment(app, ann, vent.id, { text: 'own' });
  const theirs = await makeComment(app, cat, vent.id, { text: 'theirs' });
  await listFeed(cat);
  for (const id of [named, masked, own]) expect(outcomeOf(await remove(cat, id))).toEqual(gone);
  expect(outcomeOf(await remove(ben, own))).toEqual(gone);
  expect(outcomeOf(await remove(ann, named, elsewhere.id))).toEqual(gone);
  expect(outcomeOf(await remove(ben, named, elsewhere.id))).toEqual(gone);
  expect((await fetchVent(cat, vent.id)).commentCount).toBe(4);
  expect((await remove(ben, masked)).status).toBe(200);
  expect(outcomeOf(await remove(ben, masked))).toEqual(gone);
  const removing = Array.from({ length: 4 }, () => () => remove(ann, theirs));
  const atOnce = await collide(rows, 'lock table content.comments in share mode', removing);
  expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await remove(ben, named)).status).toBe(200);
  const shown = (await listFeed(cat)).vents.find(({ _id }) => _id === vent.id);
  expect([shown?.comments.map(({ text }) => text), shown?.commentCount]).toEqual([['own'], 1]);
  expect((await remove(ann, own)).status).toBe(200);
  expect((await fetchVent(cat, vent.id)).commentCount).toBe(0);
});

describe('a comment that tells somebody to die', () => {
  const refused = 'canary-4471 go kill yourself';
  const refusals = async () => {
    const { values } = await app.deps.metrics.guardRefusals.get();
    return values.find(({ labels }) => labels.rule === 'encourages_self_harm')?.value ?? 0;
  };
  const send = (as: Actor, ventId: string, text: string, key: string) =>
    app.call(commentOnVent, { as, body: { ventId, text }, headers: { 'idempotency-key': key } });

  test.each([refused, 'ja ke mar ja', 'जा कर मर जा', 'k*ll yourself'])(
    'is refused, and nothing of it is stored, echoed or logged: %s',
    async (text) => {
      const { id } = await makeVent(app, ann);
      const before = await refusals();
      const answer = await commentOn(ben, id, text.includes('canary') ? `nobody likes you. ${text}` : text);
      expect([...outcomeOf(answer), answer.body.message]).toEqual([
        422,
        'ENCOURAGES_SELF_HARM',
        "This tells someone to hurt themselves, so we can't post it. Please change it.",
      ]);
      expect(answer.text).not.toContain('canary');
      expect(Object.keys(answer.body).toSorted()).toEqual(['code', 'message', 'requestId', 'success']);
      expect((await fetchVent(cat, id)).comments).toEqual([]);
      expect(await countRows('content.comments')).toBe(0);
      expect(app.log.lines.join('\n')).not.toContain('canary');
      expect(app.log.lines.join('\n')).not.toContain('SELF_HARM');
      // One count by rule: no person, vent or text.
      expect(await refusals()).toBe(before + 1);
    },
  );

  test('leaves its idempotency key free for the corrected comment', async () => {
    const { id } = await makeVent(app, ann);
    const key = 'one-key-for-this-comment';
    expect((await send(ben, id, 'go kill yourself', key)).status).toBe(422);
    expect(await countRows('content.idempotency')).toBe(0);
    const corrected = await send(ben, id, "please don't go", key);
    expect(corrected.status).toBe(201);
    // The earlier answer comes again, and no second comment.
    expect((await send(ben, id, "please don't go", key)).body).toEqual(corrected.body);
    expect((await fetchVent(cat, id)).comments.map(({ text }) => text)).toEqual(["please don't go"]);
  });

  test('is refused alike for the author, on an unknown vent and where comments are off; signed out it is 401', async () => {
    const open = await makeVent(app, ann);
    const closed = await makeVent(app, ann);
    await allowComments(ann, closed.id, false);
    for (const [as, ventId] of [
      [ann, open.id],
      [ben, closed.id],
      [ben, 'A'.repeat(22)],
    ] as const)
      expect(outcomeOf(await commentOn(as, ventId, 'kys'))).toEqual([422, 'ENCOURAGES_SELF_HARM']);
    expect((await app.call(commentOnVent, { body: { ventId: open.id, text: 'kys' } })).status).toBe(401);
  });

  test.each([
    "please don't kill yourself",
    'my dad told me to go die',
    'people said kys to me',
    'मेरे पापा ने कहा मर जा',
    'I want to die too, some nights',
  ])('is not what this is, and it is posted: %s', async (text) => {
    const { id } = await makeVent(app, ann);
    expect((await commentOn(ben, id, text)).status).toBe(201);
  });
});
