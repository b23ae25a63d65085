import {
  changeUsername,
  closeToVoice,
  deleteAccount,
  emotions,
  exportData,
  getChoices,
  hide,
  limits,
  listComments,
  listInbox,
  listVents,
  react,
  setMutes,
  unhide,
  type CommentView,
  type HideTarget,
  type Mutes,
  type VentView,
} from '@unsaid/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { addDays } from '../src/platform/clock.ts';
import { weekOf } from '../src/platform/coarse-days.ts';
import { changeFactsOf } from './facts.ts';
import type { Actor } from './app.ts';
import { makeComment, makeUser, makeVent, markConfirmed, runJob, type Person } from './factories.ts';
import { collide } from './locks.ts';
import {
  accept,
  changePair,
  historyOf,
  makeNamed,
  otherIdIn,
  pairIdOf,
  pendingOf,
  readPairs,
  seenBy,
  suggestionWith,
  suggestionsOf,
} from './pairs.ts';
import {
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
  setState,
  useVentApp,
} from './vent-app.ts';

useVentApp();
beforeEach(async () => {
  await rows.query('delete from identity.choices');
  // Longer than choices are cached.
  app.clock.advance(61_000);
});

const hideFrom = (as: Actor, about: HideTarget) => app.call(hide, { as, body: { about } });
const hideVent = async (as: Actor, id: string) => {
  const answer = await hideFrom(as, { kind: 'vent', id });
  expect(answer.status, answer.text).toBe(200);
};
const hideComment = async (as: Actor, ventId: string, id: string) => {
  const answer = await hideFrom(as, { kind: 'comment', ventId, id });
  expect(answer.status, answer.text).toBe(200);
};
const hideName = async (as: Actor, ventId: string, commentId: string) => {
  const answer = await hideFrom(as, { kind: 'name', ventId, commentId });
  expect(answer.status, answer.text).toBe(200);
};
const mute = async (as: Actor, mutes: Partial<Mutes>) => {
  const answer = await app.call(setMutes, { as, body: { words: [], hashtags: [], emotions: [], ...mutes } });
  expect(answer.status, answer.text).toBe(200);
};
const choicesOf = async (as: Actor) => (await app.call(getChoices, { as })).body;
const commentsOf = async (as: Actor, id: string, query: Record<string, string> = {}) =>
  (await app.call(listComments, { as, params: { id }, query })).body.comments;
const inFeed = async (as: Actor, id: string): Promise<VentView> => {
  const found = (await listFeed(as)).vents.find(({ _id }) => _id === id);
  if (!found) throw new Error('not in the feed');
  return found;
};
const reasons = (items: readonly (VentView | CommentView)[]) => items.map(({ hiddenBy }) => hiddenBy ?? null);
const feedText = async (as: Actor) => (await app.call(listVents, { as })).text;
const rename = async (as: Actor, newUsername: string) => {
  const answer = await app.call(changeUsername, { as, body: { newUsername } });
  expect(answer.status, answer.text).toBe(200);
};

describe('a hidden vent', () => {
  test('keeps its place, time and counters in every list, has no words, and is whole where it is asked for (SC-20)', async () => {
    const vents = [];
    for (const title of ['one', 'two', 'three'])
      vents.push(await makeVent(app, ann, { title, text: `words of ${title}`, hashtags: ['night'] }));
    const [, middle] = vents as [unknown, { id: string }];
    await makeComment(app, ann, middle.id, { text: 'a word of the author' });
    await app.call(react, { as: cat, body: { ventId: middle.id, reactionType: 'hug' } });
    const before = await listFeed(ben);
    await hideVent(ben, middle.id);
    const after = await listFeed(ben);
    expect(
      after.vents.map(({ _id, createdAt, reactions, commentCount, emotion }) => ({
        _id,
        createdAt,
        reactions,
        commentCount,
        emotion,
      })),
    ).toEqual(
      before.vents.map(({ _id, createdAt, reactions, commentCount, emotion }) => ({
        _id,
        createdAt,
        reactions,
        commentCount,
        emotion,
      })),
    );
    expect({ ...after, vents: [] }).toEqual({ ...before, vents: [] });
    expect(reasons(after.vents)).toEqual([null, 'you', null]);
    expect(after.vents[1]).toMatchObject({
      title: '',
      text: '',
      hashtags: [],
      comments: [],
      commentCount: 1,
    });
    for (const query of [{ sort: 'trending' }, { limit: '100' }, { emotion: 'Sad' }] as const) {
      const { vents: listed } = await listFeed(ben, query);
      expect(JSON.stringify(listed)).not.toMatch(/words of two|a word of the author/u);
      expect(listed.find(({ _id }) => _id === middle.id)?.hiddenBy).toBe('you');
    }
    // One tap shows it.
    const shown = await fetchVent(ben, middle.id);
    expect([shown.title, shown.hiddenBy, shown.comments.length]).toEqual(['two', 'you', 1]);
  });

  test('is hidden from nobody else, neither are others of its author, and nothing tells the author', async () => {
    const [x, y] = [await makeVent(app, ann), await makeVent(app, ann)];
    const [forAnn, forCat] = [await feedText(ann), await feedText(cat)];
    await hideVent(ben, x.id);
    expect((await inFeed(ben, y.id)).hiddenBy).toBeUndefined();
    expect(await feedText(ann)).toBe(forAnn);
    expect(await feedText(cat)).toBe(forCat);
  });

  test('comes back, also when it is gone or was never hidden', async () => {
    const { id } = await makeVent(app, ann, { title: 'back' });
    const plain = await feedText(ben);
    await hideVent(ben, id);
    await setState(id, 'hidden');
    expect((await app.call(unhide, { as: ben, body: { about: { kind: 'vent', id } } })).status).toBe(200);
    await setState(id, 'visible');
    await app.call(unhide, { as: ben, body: { about: { kind: 'vent', id } } });
    expect(await feedText(ben)).toBe(plain);
    // Without choices there is no row.
    expect(await countRows('identity.choices')).toBe(0);
  });

  test('cannot be one that the caller cannot see', async () => {
    const { id } = await makeVent(app, ann);
    await setState(id, 'hidden');
    expect(outcomeOf(await hideFrom(ben, { kind: 'vent', id }))).toEqual([404, 'VENT_NOT_FOUND']);
    expect(outcomeOf(await hideFrom(ben, { kind: 'vent', id: 'forged' }))).toEqual([404, 'VENT_NOT_FOUND']);
  });

  test('keeps its line in the inbox, without its title', async () => {
    const hidden = await makeVent(app, ann, { title: 'Hidden' });
    const tagged = await makeVent(app, ann, { title: 'Tagged', hashtags: ['night'] });
    const other = await makeVent(app, ann, { title: 'Other' });
    const own = await makeVent(app, ben, { title: 'Own', hashtags: ['night'] });
    for (const { id } of [hidden, tagged, other]) {
      await makeComment(app, ben, id);
      await makeComment(app, ann, id);
    }
    await makeComment(app, ann, own.id);
    const titles = async () => {
      const { body } = await app.call(listInbox, { as: ben, query: {} });
      return {
        counts: body.counts,
        titles: Object.fromEntries(
          body.lines.flatMap((line) => ('vent' in line ? [[line.vent._id, line.vent.title]] : [])),
        ),
      };
    };
    const before = await titles();
    await hideVent(ben, hidden.id);
    await mute(ben, { hashtags: ['night'] });
    const after = await titles();
    expect(after.counts).toEqual(before.counts);
    expect(before.titles).toEqual({
      [hidden.id]: 'Hidden',
      [tagged.id]: 'Tagged',
      [other.id]: 'Other',
      [own.id]: 'Own',
    });
    expect(after.titles).toEqual({ ...before.titles, [hidden.id]: '', [tagged.id]: '' });
  });

  test('is never one of the caller’s own, whatever they muted', async () => {
    const { id } = await makeVent(app, ben, { text: 'my exams', emotion: 'Sad', hashtags: ['night'] });
    const commentId = await makeComment(app, ben, id, { text: 'exams again' });
    await hideVent(ben, id);
    await hideComment(ben, id, commentId);
    await mute(ben, { words: ['exams'], emotions: ['Sad'], hashtags: ['night'] });
    const own = await inFeed(ben, id);
    expect([own.text, own.hiddenBy, own.comments[0]?.text]).toEqual(['my exams', undefined, 'exams again']);
  });
});

describe('a hidden comment', () => {
  test('keeps its place and its day, and has neither words nor a name, until its words are asked for', async () => {
    const { id } = await makeVent(app, ann);
    const ids = [];
    for (const text of ['first', 'second', 'third']) ids.push(await makeComment(app, ben, id, { text }));
    await hideComment(cat, id, ids[1] ?? '');
    for (const listed of [
      await commentsOf(cat, id),
      (await fetchVent(cat, id)).comments,
      (await inFeed(cat, id)).comments,
    ]) {
      expect(listed.map(({ _id }) => _id)).toEqual(ids);
      expect(reasons(listed)).toEqual([null, 'you', null]);
      expect(listed[1]).toMatchObject({ text: '', userId: { username: null, profilePic: null } });
      expect(listed[1]?.createdAt).toBe(listed[0]?.createdAt);
    }
    const [shown] = await commentsOf(cat, id, { from: ids[1] ?? '', withHidden: 'true' });
    expect([shown?.text, shown?.userId.username, shown?.hiddenBy]).toEqual(['second', 'ben_of_tests', 'you']);
  });

  test('of Anonymous or the author hides no other of the same person', async () => {
    const { id } = await makeVent(app, ann);
    const anonymous = [];
    for (const text of ['a', 'b']) anonymous.push(await makeComment(app, ben, id, { text, anonymous: true }));
    const author = [];
    for (const text of ['c', 'd']) author.push(await makeComment(app, ann, id, { text }));
    await makeComment(app, ben, id, { text: 'e' });
    await hideComment(cat, id, anonymous[0] ?? '');
    await hideComment(cat, id, author[0] ?? '');
    expect(reasons(await commentsOf(cat, id))).toEqual(['you', null, 'you', null, null]);
  });

  test('is not found under another vent, and without a name it hides no name', async () => {
    const [{ id }, other] = [await makeVent(app, ann), await makeVent(app, ann)];
    const anonymous = await makeComment(app, ben, id, { anonymous: true });
    const byAuthor = await makeComment(app, ann, id);
    const byCat = await makeComment(app, cat, id);
    const own = await makeComment(app, ben, id);
    expect(outcomeOf(await hideFrom(cat, { kind: 'comment', ventId: other.id, id: anonymous }))).toEqual([
      404,
      'COMMENT_NOT_FOUND',
    ]);
    for (const commentId of [anonymous, byAuthor, byCat])
      expect(outcomeOf(await hideFrom(ben, { kind: 'name', ventId: id, commentId }))).toEqual([
        404,
        'NOT_FOUND',
      ]);
    // Nor the caller's own.
    expect(outcomeOf(await hideFrom(ben, { kind: 'name', ventId: id, commentId: own }))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  });
});

describe('a hidden name', () => {
  test('hides all comments under it, and none that the same person wrote in another voice', async () => {
    const [one, two, own] = [await makeVent(app, ann), await makeVent(app, cat), await makeVent(app, ben)];
    const named = await makeComment(app, ben, one.id, { text: 'by name' });
    await makeComment(app, ben, one.id, { text: 'masked', anonymous: true });
    await makeComment(app, ben, two.id, { text: 'by name again' });
    await makeComment(app, ben, own.id, { text: 'as the author' });
    const viewer = await makeUser(app);
    await hideName(viewer, one.id, named);
    expect(reasons(await commentsOf(viewer, one.id))).toEqual(['name', null]);
    expect(reasons(await commentsOf(viewer, two.id))).toEqual(['name']);
    expect(reasons(await commentsOf(viewer, own.id))).toEqual([null]);
    // The vent of that person stays: nobody knows that it is theirs.
    expect((await inFeed(viewer, own.id)).hiddenBy).toBeUndefined();
    const { names } = await choicesOf(viewer);
    expect(names).toEqual([{ _id: expect.any(String) as string, username: 'ben_of_tests' }]);
    await app.call(unhide, { as: viewer, body: { about: { kind: 'name', _id: names[0]?._id ?? '' } } });
    expect(reasons(await commentsOf(viewer, one.id))).toEqual([null, null]);
  });

  test('is the account behind it: a new name of theirs stays hidden, and a new owner of the name does not', async () => {
    const [person, heir, viewer] = [await makeUser(app), await makeUser(app), await makeUser(app)];
    await rename(person, 'goes_on');
    const { id } = await makeVent(app, ann);
    const commentId = await makeComment(app, person, id, { text: 'mine' });
    await hideName(viewer, id, commentId);
    await rename(person, 'went_on');
    await rows.query('delete from identity.held_usernames');
    await rename(heir, 'goes_on');
    await makeComment(app, heir, id, { text: 'of the heir' });
    expect(reasons(await commentsOf(viewer, id))).toEqual(['name', null]);
    await app.call(unhide, { as: viewer, body: { about: { kind: 'name', ventId: id, commentId } } });
    expect((await choicesOf(viewer)).names).toEqual([]);
  });

  test('stays hidden after the person left, for as long as their name is shown', async () => {
    const [person, viewer] = [await makeUser(app), await makeUser(app)];
    await rename(person, 'leaves_soon');
    const { id } = await makeVent(app, ann);
    await hideName(viewer, id, await makeComment(app, person, id));
    await markConfirmed(app, person);
    expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
    expect(reasons(await commentsOf(viewer, id))).toEqual(['name']);
    const { names } = await choicesOf(viewer);
    await app.call(unhide, { as: viewer, body: { about: { kind: 'name', _id: names[0]?._id ?? '' } } });
    expect((await commentsOf(viewer, id))[0]?.userId.username).toBe('leaves_soon');
  });

  test('of a match does not follow later names, which an ended match does not show', async () => {
    const [me, other] = [await makeNamed(app, ['Sad']), await makeNamed(app, ['Sad'])];
    await rename(other, 'of_a_match');
    const peerId = otherIdIn(me, await suggestionWith(app, me, other));
    const answer = await hideFrom(me, { kind: 'name', peerId });
    expect(answer.status, answer.text).toBe(200);
    const { id } = await makeVent(app, ann);
    await makeComment(app, other, id);
    expect(reasons(await commentsOf(me, id))).toEqual(['name']);
    await rename(other, 'of_nobody');
    expect(reasons(await commentsOf(me, id))).toEqual([null]);
    // Nor does an entry more tell that both names are one person's.
    await hideName(me, id, (await commentsOf(me, id))[0]?._id ?? '');
    expect((await choicesOf(me)).names.map(({ username }) => username)).toEqual(['of_nobody', 'of_a_match']);
  });
});

describe('a match with a hidden name', () => {
  let me: Person;
  let other: Person;
  let count = 0;
  beforeEach(async () => {
    await rows.query('delete from matching.pairs');
    // The people of earlier tests are away for too long to be suggested.
    await changeFactsOf(app, 'all', ({ createdOn }) => ({
      createdOn: addDays(createdOn, -200),
      lastSeenOn: addDays(createdOn, -200),
    }));
    [me, other] = [await makeNamed(app, ['Angry']), await makeNamed(app, ['Angry'])];
    count += 1;
    await rename(me, `hider_${count}`);
    await rename(other, `hidden_${count}`);
  });
  const peer = async () => otherIdIn(me, await suggestionWith(app, me, other));
  /** As if all that happened to the pairs had happened so many days earlier. */
  const daysLater = async (days: number) => {
    const earlier = (day: string) => addDays(day, -days);
    for (const { row, closesOn, madeOn } of await readPairs(app)) {
      const change = { closesOn: earlier(closesOn), madeOn: earlier(madeOn) };
      await changePair(app, row.id, change, weekOf(earlier(row.week)));
    }
    await runJob(app, 'forget-old-matches');
  };

  test('ends, and the other person sees what they see after a no', async () => {
    const peerId = await peer();
    const matchId = (await pairIdOf(app, me, other)) ?? '';
    await accept(app, other, matchId);
    const before = await seenBy(app, other);
    const answer = await hideFrom(me, { kind: 'name', peerId });
    expect(answer.status, answer.text).toBe(200);
    expect(await seenBy(app, other)).toBe(before);
    expect((await historyOf(app, me)).map(({ status }) => status)).toEqual(['rejected']);
    expect((await pendingOf(app, me)).receivedMatches).toEqual([]);
    expect(
      (await app.call(listInbox, { as: me, query: {} })).body.lines.map(({ kind }) => kind),
    ).not.toContain('said_yes');
    // Repeating it changes nothing.
    await hideFrom(me, { kind: 'name', peerId });
    expect((await choicesOf(me)).names).toHaveLength(1);
  });

  test('that both accepted shows as closed', async () => {
    const peerId = await peer();
    const matchId = (await pairIdOf(app, me, other)) ?? '';
    await accept(app, me, matchId);
    await accept(app, other, matchId);
    await hideFrom(me, { kind: 'name', peerId });
    expect((await historyOf(app, other)).map(({ matchId: id, status }) => [id, status])).toEqual([
      [matchId, 'closed'],
    ]);
    expect((await historyOf(app, me)).map(({ status }) => status)).toEqual(['rejected']);
  });

  test('never comes again, and leaves the other’s history on the same day as any other', async () => {
    const third = await makeNamed(app, ['Angry']);
    const peerId = await peer();
    const matchId = (await pairIdOf(app, me, other)) ?? '';
    await suggestionWith(app, third, other);
    await accept(app, other, matchId);
    await accept(app, other, (await pairIdOf(app, third, other)) ?? '');
    await hideFrom(me, { kind: 'name', peerId });
    await daysLater(29);
    expect((await historyOf(app, other)).map(({ status }) => status)).toEqual(['closed', 'closed']);
    await daysLater(90);
    expect(await historyOf(app, other)).toEqual([]);
    for (const [one, two] of [
      [me, other],
      [other, me],
    ] as const)
      await expect(suggestionWith(app, one, two)).rejects.toThrow('not suggested');
    await suggestionWith(app, third, other);
    // Shown again, they may be suggested: the usual time is over.
    const { names } = await choicesOf(me);
    await app.call(unhide, { as: me, body: { about: { kind: 'name', _id: names[0]?._id ?? '' } } });
    await suggestionWith(app, me, other);
  });

  test('that does not exist yet never comes, and neither sees a trace of it', async () => {
    const { id } = await makeVent(app, ann);
    await hideName(me, id, await makeComment(app, other, id));
    expect(await readPairs(app)).toEqual([]);
    for (const [one, two] of [
      [me, other],
      [other, me],
    ] as const)
      await expect(suggestionWith(app, one, two)).rejects.toThrow('not suggested');
    expect(await historyOf(app, me)).toEqual([]);
    expect(await historyOf(app, other)).toEqual([]);
    expect(await suggestionsOf(app, other)).toEqual([]);
  });

  test('never comes while one of the two hides the other, and may come again when neither does', async () => {
    const [mine, theirs] = [await peer(), otherIdIn(other, await suggestionWith(app, other, me))];
    await hideFrom(me, { kind: 'name', peerId: mine });
    // For the other it is still open.
    await hideFrom(other, { kind: 'name', peerId: theirs });
    const show = async (as: Person) => {
      const { names } = await choicesOf(as);
      await app.call(unhide, { as, body: { about: { kind: 'name', _id: names[0]?._id ?? '' } } });
      expect((await choicesOf(as)).names).toEqual([]);
    };
    await daysLater(119);
    expect(await readPairs(app)).toEqual([]);
    await show(me);
    for (const [one, two] of [
      [me, other],
      [other, me],
    ] as const)
      await expect(suggestionWith(app, one, two)).rejects.toThrow('not suggested');
    await show(other);
    await suggestionWith(app, me, other);
  });

  test('is left by hiding as by an ordinary no: no row comes or goes, and no plain column changes', async () => {
    const plain = async () =>
      (await readPairs(app))
        .toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1))
        .map(({ row: { id, aKey, bKey, isAskedByA, week, details } }) => [
          [id, aKey, bKey, isAskedByA, week],
          details.length,
        ]);
    const peerId = await peer();
    const matchId = (await pairIdOf(app, me, other)) ?? '';
    const open = await plain();
    await hideFrom(me, { kind: 'name', peerId });
    expect(await plain()).toEqual(open);
    // Both accepted, and one of them hides the other.
    const third = await makeNamed(app, ['Angry']);
    const thirdId = otherIdIn(me, await suggestionWith(app, me, third));
    const second = (await pairIdOf(app, me, third)) ?? '';
    expect(second).not.toBe(matchId);
    for (const as of [me, third]) await accept(app, as, second);
    const mutual = await plain();
    await hideFrom(me, { kind: 'name', peerId: thirdId });
    expect(await plain()).toEqual(mutual);
  });

  test('is not made by a search that runs while one of the two hides the other', async () => {
    const { id } = await makeVent(app, ann);
    const comment = await makeComment(app, other, id);
    await Promise.all([
      hideName(me, id, comment),
      ...Array.from({ length: 4 }, () => suggestionsOf(app, me)),
      ...Array.from({ length: 4 }, () => suggestionsOf(app, other)),
    ]);
    expect(await suggestionsOf(app, me)).toEqual([]);
  });

  test('hides the person also where no name stands, and then no comment', async () => {
    const unnamed = await makeNamed(app, ['Angry']);
    const peerId = otherIdIn(me, await suggestionWith(app, me, unnamed));
    expect((await hideFrom(me, { kind: 'name', peerId })).status).toBe(200);
    expect((await choicesOf(me)).names.map(({ username }) => username)).toEqual([null]);
    await rename(unnamed, `named_now_${count}`);
    const { id } = await makeVent(app, ann);
    await makeComment(app, unnamed, id);
    expect(reasons(await commentsOf(me, id))).toEqual([null]);
    expect(outcomeOf(await hideFrom(me, { kind: 'name', peerId: 'forged' }))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('a muted', () => {
  test('word hides vents and comments that have it as a whole word, in any case, accent and script', async () => {
    const { id } = await makeVent(app, ann, { title: 'quiet', text: 'nothing here' });
    for (const text of [
      'My EXAMS!',
      'examsheet',
      'les éxams',
      'परीक्षा कल है',
      'परीक्षाएँ',
      'kal se phir',
      'so 🔪🔪',
    ])
      await makeComment(app, ben, id, { text, anonymous: true });
    await makeVent(app, ann, { title: 'Exams', text: 'x' });
    await makeVent(app, ann, { text: 'before exams, after' });
    await makeVent(app, ann, { hashtags: ['exams'] });
    await mute(cat, { words: ['exams', 'परीक्षा', 'Se  phir', '🔪'] });
    expect(reasons(await commentsOf(cat, id))).toEqual(['word', null, 'word', 'word', null, 'word', 'word']);
    expect(reasons((await listFeed(cat)).vents)).toEqual(['word', 'word', 'word', null]);
    await mute(cat, {});
    expect(reasons((await listFeed(cat)).vents)).toEqual([null, null, null, null]);
  });

  test('hashtag or emotion hides vents with it', async () => {
    await makeVent(app, ann, { hashtags: ['Night'], emotion: 'Happy' });
    await makeVent(app, ann, { hashtags: ['nights'], emotion: 'Sad' });
    await makeVent(app, ann, { text: 'night', emotion: 'Angry' });
    await mute(cat, { hashtags: ['#night'], emotions: ['Angry'] });
    expect(reasons((await listFeed(cat)).vents)).toEqual(['emotion', null, 'hashtag']);
    expect((await choicesOf(cat)).mutes).toEqual({ words: [], hashtags: ['night'], emotions: ['Angry'] });
  });

  test('word has letters, is short, and there are at most 50', async () => {
    const send = (body: Partial<Mutes>) =>
      app.call(setMutes, { as: cat, body: { words: [], hashtags: [], emotions: [], ...body } });
    const many = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`);
    for (const words of [many(51), ['x'.repeat(31)], ['!!'], ['']])
      expect((await send({ words })).status).toBe(422);
    expect((await send({ hashtags: many(51) })).status).toBe(422);
    expect((await send({ words: many(50), hashtags: many(50), emotions: [...emotions] })).status).toBe(200);
    expect((await choicesOf(cat)).mutes.words).toHaveLength(50);
  });
});

describe('choices', () => {
  test('leave the bytes of people without any as they were', async () => {
    const { id } = await makeVent(app, ann, { hashtags: ['night'] });
    await makeComment(app, ben, id);
    const all = async (as: Actor) => [
      await feedText(as),
      (await app.call(listComments, { as, params: { id }, query: {} })).text,
      JSON.stringify(await fetchVent(as, id)),
    ];
    const before = await all(cat);
    expect(before.join('')).not.toContain('hiddenBy');
    await hideVent(ben, id);
    await mute(ann, { words: ['title'] });
    expect(await all(cat)).toEqual(before);
    // A choice that hits nothing changes nothing.
    await mute(cat, { words: ['unsaidword'] });
    expect(await all(cat)).toEqual(before);
  });

  test('are one encrypted row for a person, in steps of 1 kB, that opens in no other row', async () => {
    const { id } = await makeVent(app, ann);
    await hideVent(ben, id);
    await mute(cat, { words: ['findthisword'] });
    const sealed = async (person: Person) => {
      const { rows: found } = await rows.query<{ sealed: Buffer }>(
        'select sealed from identity.choices where user_id = $1',
        [String(person.userId)],
      );
      return found[0]?.sealed ?? Buffer.alloc(0);
    };
    const [bens, cats] = [await sealed(ben), await sealed(cat)];
    expect([bens.length, cats.length]).toEqual([1024, 1024]);
    expect(cats.includes('findthisword')).toBe(false);
    await rows.query('update identity.choices set sealed = $2 where user_id = $1', [
      String(ben.userId),
      cats,
    ]);
    app.clock.advance(61_000);
    // It counts as no row: nothing is hidden, and no page fails.
    const { status, body } = await app.call(listVents, { as: ben });
    expect([status, body.vents.find(({ _id }) => _id === id)?.hiddenBy]).toEqual([200, undefined]);
    await rows.query('delete from identity.choices');
  });

  test('hold 500 items and 200 names with the longest words, and refuse more', async () => {
    const viewer = await makeUser(app);
    const { publicIds } = app.deps;
    const full = Array.from({ length: limits.hiddenItems }, (_, n) =>
      publicIds.vent.encode(BigInt(10 ** 12 + n)),
    );
    const names = Array.from({ length: limits.hiddenNames }, (_, n) => ({
      id: 'x'.repeat(12),
      account: `account${String(n).padStart(4, '0')}`,
      username: `${'u'.repeat(16)}${String(n).padStart(4, '0')}`,
      isFromMatch: false,
    }));
    const { sealChoices } = await import('../src/identity/choices/choices.ts');
    const { noChoices } = await import('../src/kernel/choices.ts');
    await rows.query('insert into identity.choices values ($1, $2)', [
      String(viewer.userId),
      sealChoices(app.deps.keys, viewer.userId, { ...noChoices, vents: full, names }),
    ]);
    const wide = (n: number) => `${String(n).padStart(3, '0')}${'क्षि'.repeat(7)}`;
    await mute(viewer, {
      words: Array.from({ length: limits.mutedWords }, (_, n) => wide(n)),
      hashtags: Array.from({ length: limits.mutedHashtags }, (_, n) => `${wide(n)}${'क्षि'.repeat(20)}`),
    });
    const { id } = await makeVent(app, ann);
    const commentId = await makeComment(app, ben, id);
    for (const about of [
      { kind: 'vent', id },
      { kind: 'comment', ventId: id, id: commentId },
      { kind: 'name', ventId: id, commentId },
    ] as const) {
      const answer = await hideFrom(viewer, about);
      expect(outcomeOf(answer)).toEqual([422, 'VALIDATION_FAILED']);
      expect(answer.text).toContain('too_many');
    }
    await app.call(unhide, { as: viewer, body: { about: { kind: 'vent', id: full[7] ?? '' } } });
    await hideVent(viewer, id);
    expect((await choicesOf(viewer)).hidden).toHaveLength(limits.hiddenItems);
  });

  test('made at the same time are all kept', async () => {
    const vents = await Promise.all(Array.from({ length: 4 }, () => makeVent(app, ann)));
    const lock = 'lock table identity.choices in share mode';
    const hiding = vents.map(
      ({ id }) =>
        () =>
          hideVent(ben, id),
    );
    await collide(rows, lock, hiding);
    expect((await choicesOf(ben)).hidden).toHaveLength(4);
    const showing = vents.slice(0, 3).map(
      ({ id }) =>
        () =>
          app.call(unhide, { as: ben, body: { about: { kind: 'vent', id } } }),
    );
    await collide(rows, lock, showing);
    expect((await choicesOf(ben)).hidden).toEqual([{ kind: 'vent', id: vents[3]?.id }]);
  });

  test('count at once, although they are cached, and are not asked for again while they are', async () => {
    const { id } = await makeVent(app, ann);
    expect((await inFeed(cat, id)).hiddenBy).toBeUndefined();
    await hideVent(cat, id);
    // Messages arrive in order: after this one the invalidation has arrived, which would empty the cache once more.
    const arrived = Promise.withResolvers<void>();
    await app.deps.redis.onMessage('arrived', () => arrived.resolve());
    await app.deps.redis.publish('arrived');
    await arrived.promise;
    expect((await inFeed(cat, id)).hiddenBy).toBe('you');
    await rows.query('delete from identity.choices');
    app.clock.advance(2000);
    expect((await inFeed(cat, id)).hiddenBy).toBe('you');
    app.clock.advance(61_000);
    expect((await inFeed(cat, id)).hiddenBy).toBeUndefined();
  });

  test('are in the export, and go with the account', async () => {
    const person = await makeUser(app);
    const { id } = await makeVent(app, ann);
    const commentId = await makeComment(app, ben, id);
    await hideVent(person, id);
    await hideComment(person, id, commentId);
    await hideName(person, id, commentId);
    await mute(person, { words: ['exams'], emotions: ['Angry'] });
    await markConfirmed(app, person);
    const { data } = (await app.call(exportData, { as: person })).body as { data: Record<string, unknown> };
    expect(data['hiddenAndMuted']).toEqual({
      hidden: [
        { kind: 'vent', id },
        { kind: 'comment', id: commentId, ventId: id },
      ],
      names: ['ben_of_tests'],
      words: ['exams'],
      hashtags: [],
      emotions: ['Angry'],
    });
    const others = await countRows(`identity.choices where user_id <> ${person.userId}`);
    expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
    expect(await countRows('identity.choices')).toBe(others);
  });
});

describe('a vent that its author closed to a voice', () => {
  const close = (as: Actor, ventId: string, commentId: string) =>
    app.call(closeToVoice, { as, params: { ventId, commentId } });

  test('has lost that comment, keeps older ones, and refuses this name here only', async () => {
    const [{ id }, other] = [await makeVent(app, ann), await makeVent(app, ann)];
    await makeComment(app, ben, id, { text: 'older' });
    const commentId = await makeComment(app, ben, id, { text: 'newer' });
    expect((await close(ann, id, commentId)).status).toBe(200);
    const vent = await fetchVent(cat, id);
    expect([vent.comments.map(({ text }) => text), vent.commentCount]).toEqual([['older'], 1]);
    expect(outcomeOf(await commentOn(ben, id, 'again'))).toEqual([403, 'COMMENTS_DISABLED']);
    expect((await fetchVent(cat, id)).commentCount).toBe(1);
    // Refused comments leave no trace: the next one of this person is as if they had not been.
    expect((await commentOn(ben, other.id, 'elsewhere')).status).toBe(201);
    expect((await commentOn(ben, id, 'as Anonymous', { anonymous: true })).status).toBe(201);
    expect((await commentOn(cat, id, 'somebody else')).status).toBe(201);
    expect((await commentOn(ann, id, 'the author')).status).toBe(201);
    // Nobody but them can see it.
    expect((await fetchVent(ben, id)).userId.allowComments).toBe(true);
  });

  test('refuses this Anonymous, and not the others', async () => {
    const { id } = await makeVent(app, ann);
    const [bens] = [
      await makeComment(app, ben, id, { anonymous: true }),
      await makeComment(app, cat, id, { anonymous: true }),
    ];
    await close(ann, id, bens);
    expect(outcomeOf(await commentOn(ben, id, 'again', { anonymous: true }))).toEqual([
      403,
      'COMMENTS_DISABLED',
    ]);
    expect((await commentOn(cat, id, 'again', { anonymous: true })).status).toBe(201);
    expect((await commentOn(ben, id, 'by name')).status).toBe(201);
  });

  test('is closed by its author alone, and not to themselves', async () => {
    const { id } = await makeVent(app, ann);
    const [own, bens] = [await makeComment(app, ann, id), await makeComment(app, ben, id)];
    for (const [as, commentId] of [
      [ben, bens],
      [cat, bens],
      [ann, own],
      [ann, 'forged'],
    ] as const)
      expect(outcomeOf(await close(as, id, commentId))).toEqual([404, 'COMMENT_NOT_FOUND']);
    expect((await close(ann, id, bens)).status).toBe(200);
    expect(outcomeOf(await close(ann, id, bens))).toEqual([404, 'COMMENT_NOT_FOUND']);
  });

  test('keeps exactly the comments that got a 201 before it closed', async () => {
    const { id } = await makeVent(app, ann);
    const commentId = await makeComment(app, ben, id, { text: 'n' });
    expect((await commentOn(ben, id, 'before')).status).toBe(201);
    const answers = await collide<{ status: number }>(rows, 'select 1 from content.vent_stats for update', [
      () => close(ann, id, commentId),
      () => commentOn(ben, id, 'too late'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 403]);
    expect((await fetchVent(cat, id)).commentCount).toBe(1);
    expect(await commentsOf(cat, id)).toHaveLength(1);
    expect((await commentOn(ben, id, 'after')).status).toBe(403);
  });

  test('stores a key that is another one on every vent and for every voice, and goes with the vent', async () => {
    const vents = [];
    for (let n = 0; n < 4; n += 1) {
      const { id, number } = await makeVent(app, ann);
      vents.push({ id, number });
      await close(ann, id, await makeComment(app, ben, id));
      await close(ann, id, await makeComment(app, ben, id, { anonymous: true }));
    }
    const keys = async () =>
      (
        await rows.query<{ key: string }>(`select encode(voice_key, 'hex') as key from content.shut_outs`)
      ).rows.map(({ key }) => key);
    expect(new Set(await keys()).size).toBe(8);
    // In the order of the keys: rows in the order of writing would tell which vents were closed in one visit.
    await runJob(app, 'rewrite-fresh-content');
    expect(await keys()).toEqual((await keys()).toSorted());
    expect(await countRows('content.shut_outs where is_fresh')).toBe(0);
    await rows.query('delete from content.vents where id = $1', [String(vents[0]?.number)]);
    expect(await keys()).toHaveLength(6);
  });
});
