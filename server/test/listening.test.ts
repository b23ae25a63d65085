import {
  closeToVoice,
  commentOnVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  hide,
  listen,
  reactionTypes,
  setMutes,
  unhide,
  updateDetails,
  type RequestOf,
} from '@unsaid/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as commentModeration from '../src/content/comments/comment-moderation.ts';
import { languageOf } from '@unsaid/guard/language';
import { newActor, ownTestApp, startBeside, startReadOnly, type Actor, type TestApp } from './app.ts';
import { finishLeaving, makeUser, markConfirmed, runJob } from './factories.ts';
import { collide } from './locks.ts';
import {
  allowComments,
  ann,
  app,
  ben,
  cat,
  commentOn,
  fetchVent,
  hour,
  outcomeOf,
  postVent,
  reactTo,
  rows,
  setState,
  useVentApp,
} from './vent-app.ts';

useVentApp();

type Query = RequestOf<typeof listen>['query'];

/** Longer than the list is kept. */
const readListAgain = () => app.clock.advance(6000);

async function offered(as: Actor, query: Query = { count: '5' }, on: TestApp = app): Promise<string[]> {
  readListAgain();
  const answer = await on.call(listen, { as, query });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.vents.map(({ title }) => title).toSorted();
}

async function post(as: Actor, title: string, text = 'What I could not say'): Promise<string> {
  const answer = await postVent(as, { title, text, emotion: 'Sad' });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.vent?._id ?? '';
}

async function answerTo(as: Actor, ventId: string, anonymous = true): Promise<string> {
  const answer = await commentOn(as, ventId, 'I hear you', { anonymous });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.comment._id;
}

/** The counted answers of each vent, and those that a recount finds. */
async function countAnswers() {
  const { rows: found } = await rows.query<{ answers: number; recount: number }>(`
    select answers, (select least(2, count(*))::int from content.comments as comment
                      where comment.vent_id = stats.vent_id and state = 'visible' and voice <> 'author') as recount
      from content.vent_stats as stats order by vent_id`);
  return found;
}
async function expectAnswers(...expected: number[]): Promise<void> {
  const counted = await countAnswers();
  expect(counted.map(({ answers }) => answers)).toEqual(expected);
  expect(counted.map(({ recount }) => recount)).toEqual(expected);
}

const moderation = () => {
  const { content } = app.features;
  const ctx = {
    ...content,
    feedCache: { ...content.feedCache, invalidateAll: async () => {} },
    waiting: { ...content.waiting, addAnswer: () => {}, remove: () => {} },
  };
  type Input = Parameters<typeof commentModeration.applyToComment>;
  return {
    apply: (subject: Input[1], event: Input[2]) => commentModeration.applyToComment(ctx, subject, event),
  };
};
const commentSubject = (commentId: string) => ({
  kind: 'comment' as const,
  ...(app.deps.publicIds.comment.decode(commentId) ?? { ventId: 0n, no: 0 }),
});

describe('a listener', () => {
  test('who is signed out gets nothing', async () => {
    await post(ann, 'waits');
    expect((await app.call(listen, { as: newActor(), query: {} })).status).toBe(401);
  });

  test('is offered vents of others that nobody answered, one unless they ask for more', async () => {
    for (const title of ['one', 'two', 'three']) await post(ann, title);
    expect(await offered(ben)).toEqual(['one', 'three', 'two']);
    expect(await offered(ben, {})).toHaveLength(1);
    expect(await offered(ben, { count: '2' })).toHaveLength(2);
    expect(await offered(ann)).toEqual([]);
  });

  test('is not offered what is hidden, removed, deleted or closed for comments', async () => {
    const ids = [];
    for (const title of ['hidden', 'removed', 'deleted', 'closed', 'open']) ids.push(await post(ann, title));
    const [hidden = '', removed = '', deleted = '', closed = ''] = ids;
    expect(await offered(ben)).toHaveLength(5);
    await setState(hidden, 'hidden');
    await setState(removed, 'removed');
    await app.call(deleteVent, { as: ann, params: { id: deleted } });
    await allowComments(ann, closed, false);
    // Also where the list was read before.
    const before = await app.call(listen, { as: ben, query: { count: '5' } });
    expect(before.body.vents.map(({ title }) => title)).toEqual(['open']);
    expect(await offered(ben)).toEqual(['open']);
    await setState(hidden, 'visible');
    await allowComments(ann, closed, true);
    expect(await offered(ben)).toEqual(['closed', 'hidden', 'open']);
  });

  test('is not offered what they hid or muted', async () => {
    const hidden = await post(ann, 'hidden by ben');
    await post(ann, 'about exams');
    await post(ann, 'other');
    const about = { kind: 'vent' as const, id: hidden };
    await app.call(hide, { as: ben, body: { about } });
    await app.call(setMutes, { as: ben, body: { words: ['exams'], hashtags: [], emotions: [] } });
    expect(await offered(ben)).toEqual(['other']);
    expect(await offered(cat)).toHaveLength(3);
    await app.call(unhide, { as: ben, body: { about } });
    await app.call(setMutes, { as: ben, body: { words: [], hashtags: [], emotions: [] } });
    expect(await offered(ben)).toHaveLength(3);
  });

  test('is not offered what they answered, in any voice', async () => {
    const [anonymous, named] = [await post(ann, 'anonymous'), await post(ann, 'named')];
    await answerTo(ben, anonymous);
    await answerTo(ben, named, false);
    await post(ann, 'unheard');
    expect(await offered(ben)).toEqual(['unheard']);
    await answerTo(cat, (await post(ann, 'last')) || '');
    expect(await offered(ben)).toEqual(['unheard']);
  });

  test('is offered a vent with one answer only where nobody else waits, and one with two never', async () => {
    const [first, second] = [await post(ann, 'first'), await post(ann, 'second')];
    await answerTo(cat, first);
    expect(await offered(ben)).toEqual(['second']);
    await answerTo(cat, second);
    expect(await offered(ben)).toEqual(['first', 'second']);
    const dan = await makeUser(app);
    await answerTo(dan, first);
    expect(await offered(ben)).toEqual(['second']);
    await expectAnswers(2, 1);
  });

  test('is offered a vent on which its author alone commented', async () => {
    const id = await post(ann, 'still unheard');
    await answerTo(ann, id);
    await answerTo(ann, id);
    await expectAnswers(0);
    expect(await offered(ben)).toEqual(['still unheard']);
  });

  test('is offered vents in the languages that they read, and those in others', async () => {
    await post(ann, 'english', 'I could not tell this to anyone in my family');
    await post(ann, 'हिंदी', 'मैं यह किसी को नहीं बता सका');
    await post(ann, 'hinglish', 'mujhe kuch samajh nahi aa raha yaar');
    await post(ann, 'தமிழ்', 'இதை யாரிடமும் சொல்ல முடியவில்லை');
    expect(languageOf('தமிழ்\nஇதை யாரிடமும் சொல்ல முடியவில்லை')).toBe('other');
    expect(await offered(ben, { count: '5', reads: 'en' })).toEqual(['english', 'தமிழ்']);
    expect(await offered(ben, { count: '5', reads: 'hinglish,hi' })).toEqual(['hinglish', 'हिंदी', 'தமிழ்']);
    expect(await offered(ben)).toHaveLength(4);
    await rows.query('update content.vents set language = null');
    await app.call(listen, { as: ben, query: {} });
    // A process that starts now knows no language.
    const second = await startBeside(app);
    onTestFinished(second.close);
    expect(await offered(ben, { count: '5', reads: 'en' }, second)).toHaveLength(4);
  });

  test('is offered nothing older than a week', async () => {
    await post(ann, 'old');
    app.clock.advance(7 * 24 * hour + 60_000);
    await post(ann, 'new');
    expect(await offered(ben)).toEqual(['new']);
  });

  test('gets an answer of the same length, whatever waits', async () => {
    const empty = await app.call(listen, { as: ben, query: { count: '5' } });
    await post(ann, 'one');
    readListAgain();
    const [own, other] = [
      await app.call(listen, { as: ann, query: { count: '5' } }),
      await app.call(listen, { as: ben, query: { count: '5' } }),
    ];
    expect(other.body.vents).toHaveLength(1);
    expect([own.text.length, other.text.length]).toEqual([empty.text.length, empty.text.length]);
  });

  test.each([{ count: '0' }, { count: '6' }, { count: '1e0' }, { reads: 'fr' }, { reads: '' }])(
    'cannot ask for %o',
    async (query) => {
      expect((await app.call(listen, { as: ben, query })).status).toBe(422);
      expect(listen.cost.ventsRead(query)).toBe(1);
    },
  );
});

describe('a vent that wants a hug', () => {
  const wantHug = async (as: Actor = ann) =>
    (await postVent(as, { title: 'a hug', text: 'no words', emotion: 'Sad', need: 'hug' })).body.vent?._id ??
    '';
  const answersOf = async () => (await countAnswers()).map(({ answers }) => answers);

  test('takes no comments, its author’s neither, and says so to clients that know no needs', async () => {
    const id = await wantHug();
    expect((await fetchVent(ben, id)).userId.allowComments).toBe(false);
    for (const as of [ann, ben])
      expect(outcomeOf(await commentOn(as, id, 'here'))).toEqual([403, 'COMMENTS_DISABLED']);
    expect((await fetchVent(ben, id)).commentCount).toBe(0);
    expect(await answersOf()).toEqual([0]);
  });

  test('is offered until the first reaction of somebody else, and again without it', async () => {
    const id = await wantHug();
    expect(await offered(ben)).toEqual(['a hug']);
    expect(await offered(ann)).toEqual([]);
    // Of its author: nobody has heard it yet.
    for (const kind of reactionTypes) await reactTo(ann, id, kind, true);
    expect(await offered(ben)).toEqual(['a hug']);
    for (const kind of reactionTypes) {
      await reactTo(cat, id, kind, true);
      expect(await answersOf()).toEqual([2]);
      // At once: the list was read before.
      expect((await app.call(listen, { as: ben, query: {} })).body.vents).toEqual([]);
      expect(await offered(ben)).toEqual([]);
      await reactTo(cat, id, kind, false);
      expect(await answersOf()).toEqual([0]);
      expect(await offered(ben)).toEqual(['a hug']);
    }
  });

  test('is no longer offered by another process, which has not read its list again', async () => {
    const id = await wantHug();
    const second = await startBeside(app);
    onTestFinished(second.close);
    expect(await offered(ben, {}, second)).toEqual(['a hug']);
    await reactTo(cat, id, 'heart', true);
    expect((await second.call(listen, { as: ben, query: {} })).body.vents).toEqual([]);
  });

  test('waits whether or not the author takes comments otherwise, and keeps its count when rewritten', async () => {
    await app.call(updateDetails, { as: ann, body: { allowComments: false } });
    onTestFinished(
      async () => void (await app.call(updateDetails, { as: ann, body: { allowComments: true } })),
    );
    const [heard] = [await wantHug(), await wantHug()];
    const { rows: open } = await rows.query('select allow_comments from content.vent_stats');
    expect(open).toEqual([{ allow_comments: true }, { allow_comments: true }]);
    await reactTo(ben, heard, 'hug', true);
    await runJob(app, 'rewrite-todays-content');
    expect(await answersOf()).toEqual([2, 0]);
    expect(await offered(cat)).toEqual(['a hug']);
  });

  test('is not offered where its author closed it', async () => {
    const id = await wantHug();
    expect(await offered(ben)).toHaveLength(1);
    await allowComments(ann, id, false);
    expect((await app.call(listen, { as: ben, query: {} })).body.vents).toEqual([]);
    expect(await offered(ben)).toEqual([]);
  });
});

describe('the number of answers', () => {
  test('falls when the only answer is deleted by its writer or by the author, and the vent waits again', async () => {
    const id = await post(ann, 'heard');
    const removals = [
      (commentId: string) => app.call(deleteComment, { as: ben, params: { ventId: id, commentId } }),
      (commentId: string) => app.call(deleteComment, { as: ann, params: { ventId: id, commentId } }),
      (commentId: string) => app.call(closeToVoice, { as: ann, params: { ventId: id, commentId } }),
    ];
    for (const remove of removals) {
      const commentId = await answerTo(ben, id);
      await expectAnswers(1);
      expect((await remove(commentId)).status).toBe(200);
      await expectAnswers(0);
      expect(await offered(cat)).toEqual(['heard']);
    }
  });

  test('counts again what was beyond two', async () => {
    const id = await post(ann, 'heard');
    const comments = [await answerTo(ben, id), await answerTo(cat, id), await answerTo(ben, id)];
    for (const [n, commentId] of comments.entries()) {
      await expectAnswers(Math.min(2, 3 - n));
      await app.call(deleteComment, { as: ann, params: { ventId: id, commentId } });
    }
    await expectAnswers(0);
  });

  test('falls when moderation hides the answer, and rises when it is restored', async () => {
    const id = await post(ann, 'heard');
    const subject = commentSubject(await answerTo(ben, id));
    await moderation().apply(subject, 'hide');
    await expectAnswers(0);
    await moderation().apply(subject, 'restore');
    await expectAnswers(1);
    await moderation().apply(subject, 'remove');
    await expectAnswers(0);
    // Of its author: it is no answer.
    const own = commentSubject(await answerTo(ann, id));
    await moderation().apply(own, 'hide');
    await expectAnswers(0);
  });

  test('is the same after each rewrite of the counters', async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push(await post(ann, `vent ${n}`));
    await answerTo(ben, ids[1] ?? '');
    for (const as of [ben, cat]) await answerTo(as, ids[2] ?? '');
    await answerTo(ann, ids[0] ?? '');
    await runJob(app, 'rewrite-todays-content');
    await expectAnswers(0, 1, 2);
    app.clock.advance(24 * hour);
    await runJob(app, 'rewrite-fresh-content');
    await expectAnswers(0, 1, 2);
    expect(await offered(cat)).toEqual(['vent 0']);
  });

  test('is exact after two comments and a deletion that meet at the counters', async () => {
    const dan = await makeUser(app);
    for (let round = 0; round < 3; round += 1) {
      const id = await post(ann, `race ${round}`);
      const number = String(app.deps.publicIds.vent.decode(id));
      const [first, second] = [await answerTo(ben, id), await answerTo(ben, id)];
      const take = (commentId: string) => () =>
        app.call(deleteComment, { as: ben, params: { ventId: id, commentId } });
      const say = (as: Actor) => () => app.call(commentOnVent, { as, body: { ventId: id, text: 'here' } });
      const calls = [take(first), say(cat), take(second), say(dan)];
      const order = [0, 1, 2, 3].map((n) => calls[(n + round) % 4] as () => Promise<{ status: number }>);
      const lock = 'select vent_id from content.vent_stats where vent_id = $1 for update';
      const answers = await collide(rows, lock, order, [number]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 201, 201]);
      expect((await countAnswers()).at(-1)).toEqual({ answers: 2, recount: 2 });
    }
  });
});

describe('a draw', () => {
  const isBudget = (key: string) => key.startsWith(`${app.config.redisPrefix}bucket:`);

  test('writes nothing: 200 of them send only selects, where PostgreSQL refuses writes, and no Redis key but budgets', async () => {
    for (let n = 0; n < 12; n += 1) await post(n % 2 ? ann : ben, `waits ${n}`);
    const second = await startReadOnly(app);
    try {
      // Their cached sessions may have expired since they posted: a slow machine takes a minute.
      for (const as of [ann, ben, cat]) await second.call(listen, { as, query: {} });
      const keys = async () => (await app.redis.keys(`${app.config.redisPrefix}*`)).toSorted();
      const before = await keys();
      const from = second.statements.length;
      for (let n = 0; n < 200; n += 1) {
        app.clock.advance(500);
        const as = [ann, ben, cat][n % 3] as Actor;
        const answer = await second.call(listen, { as, query: { count: String(1 + (n % 5)) } });
        expect(answer.status).toBe(200);
      }
      await second.deps.backgroundDone();
      const statements = second.statements.slice(from);
      expect(statements.length).toBeGreaterThan(200);
      expect(
        statements.filter(
          ({ text }) => !/^\s*select\b/u.test(text) || /\bfor\s+(?:update|(?:no )?key|share)/u.test(text),
        ),
      ).toEqual([]);
      expect((await keys()).filter((key) => !before.includes(key) && !isBudget(key))).toEqual([]);
    } finally {
      await second.close();
    }
  });

  test('of another process knows an answer within five seconds, that of its own at once', async () => {
    const [first] = [await post(ann, 'first'), await post(ann, 'second')];
    const second = await startBeside(app);
    onTestFinished(second.close);
    const count = async (on: TestApp) =>
      (await on.call(listen, { as: ben, query: { count: '5' } })).body.vents.length;
    readListAgain();
    expect([await count(app), await count(second)]).toEqual([2, 2]);
    await answerTo(cat, first);
    expect([await count(app), await count(second)]).toEqual([1, 2]);
    app.clock.advance(5000);
    expect(await count(second)).toBe(1);
  });

  test('costs a comment no statement more, and its deletion one', async () => {
    const id = await post(ann, 'waits');
    const own = await commentOn(ann, id, 'from me');
    const countStatements = async (call: () => Promise<unknown>) => {
      const from = app.statements.length;
      await call();
      return app.statements.slice(from).filter(({ role }) => role === 'content').length;
    };
    let answered = '';
    const remove = (as: Actor, commentId: string) => () =>
      app.call(deleteComment, { as, params: { ventId: id, commentId } });
    const comment = await countStatements(async () => (answered = await answerTo(cat, id)));
    const ownComment = await countStatements(() => commentOn(ann, id, 'again'));
    expect(comment).toBe(ownComment);
    const deletion = await countStatements(remove(cat, answered));
    const ownDeletion = await countStatements(remove(ann, own.body.comment._id));
    expect(deletion).toBe(ownDeletion + 1);
  });

  test('has limits of its own, and counts what it reads', async () => {
    const limited = await ownTestApp({ limitsScale: 1 });
    const me = await makeUser(limited);
    const statuses = [];
    for (let n = 0; n < 65; n += 1)
      statuses.push((await limited.call(listen, { as: me, query: { count: '5' } })).status);
    expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 200));
    expect(statuses.at(-1)).toBe(429);
    expect(listen.cost.ventsRead({ count: '5' })).toBe(5);
    expect(listen.cost.ventsRead({})).toBe(1);
  });
});

// Last: it takes days, after which the sessions of this file may have ended.
test('a vent waits again when the only one who answered has left and the words are removed', async () => {
  const id = await post(ann, 'heard');
  const leaver = await makeUser(app);
  await answerTo(leaver, id);
  await markConfirmed(app, leaver);
  expect((await app.call(deleteAccount, { as: leaver, query: { removeWords: '3days' } })).status).toBe(200);
  await expectAnswers(1);
  await finishLeaving(app, 3);
  await expectAnswers(0);
});
