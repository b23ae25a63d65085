import {
  commentOnVent,
  createVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  emotions,
  getVent,
  listComments,
  listVents,
  react,
  reactionTypes,
  reportVent,
  searchVents,
  setVentComments,
  ventsSince,
  type ReactionType,
} from '@unsaid/contract';
import fc from 'fast-check';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { Viewer } from '../src/kernel/viewer.ts';
import type { Person as PersonKeys } from '../src/kernel/person-keys.ts';
import { nextState, statesAllowing, type VentState } from '../src/content/vents/vents.state.ts';
import { removeVentInSlot } from '../src/content/vents/deletions.ts';
import { usePool, useTestApp, type Answer } from './app.ts';
import {
  finishLeaving,
  makeComment,
  makeUser,
  makeVent,
  runJob,
  type MadeVent,
  type Person,
} from './factories.ts';
import { runs, seed } from './runs.ts';
import { listSpoken } from './speakers.ts';

const histories = runs('PROPERTY_RUNS', { change: 5, full: 20 });

const app = useTestApp({ limitsScale: 1_000_000 });
const database = usePool(app);

async function rowsOf<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
  return (await database.query<R>(text, values)).rows;
}

async function viewerOf({ token }: Person): Promise<Viewer> {
  const viewer = await app.features.sessions.authenticate(token, { skipCache: true });
  if (!viewer) throw new Error('no session');
  return viewer;
}

async function countDeadlocks(): Promise<number> {
  const [row] = await rowsOf<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(row?.deadlocks);
}

/** The internal errors in the log, distinct by call and code. */
function readInternalErrors(): string[] {
  const lines = app.log.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const found = lines.filter(({ event }) => event === 'internal_error');
  return [...new Set(found.map((line) => `${String(line['route'])} ${String(line['errorCode'])}`))];
}

const commentWeight = 3;

interface Stats {
  readonly id: string;
  readonly speaker: Buffer;
  readonly last_no: number;
  readonly heart: number;
  readonly hug: number;
  readonly listen: number;
  readonly comments: number;
  readonly own_weight: number;
}

/** Compares every counter with the rows it counts. Without the author's keys, their own reactions cannot be left out. */
async function expectTrueCounters(authors: ReadonlyMap<bigint, PersonKeys>): Promise<void> {
  const [stats, reactions, comments, repeated, orphans] = await Promise.all([
    rowsOf<Stats>(
      'select v.id, v.speaker, s.* from content.vents v left join content.vent_stats s on s.vent_id = v.id',
    ),
    rowsOf<{ vent_id: string; reactor_key: Buffer; kind: ReactionType }>('select * from content.reactions'),
    rowsOf<{ vent_id: string; no: number; voice: string; speaker: Buffer }>('select * from content.comments'),
    rowsOf('select 1 from content.reactions group by vent_id, reactor_key, kind having count(*) > 1'),
    rowsOf(
      'select 1 from content.vent_stats s left join content.vents v on v.id = s.vent_id where v.id is null',
    ),
  ]);
  expect([repeated.length, orphans.length]).toEqual([0, 0]);
  const reactionsOf = Map.groupBy(reactions, (row) => row.vent_id);
  const commentsOf = Map.groupBy(comments, (row) => row.vent_id);
  for (const vent of stats) {
    const given = reactionsOf.get(vent.id) ?? [];
    const said = commentsOf.get(vent.id) ?? [];
    const author = authors.get(BigInt(vent.id));
    const ownKeys = new Set(
      author?.reactorKeys(BigInt(vent.id), reactionTypes).map((key) => key.toString('hex')),
    );
    const own = said.filter((row) => row.voice === 'author').length * commentWeight;
    const count = (kind: ReactionType) =>
      given.filter((row) => row.kind === kind && !ownKeys.has(row.reactor_key.toString('hex'))).length;
    expect([vent.comments, vent.own_weight], `comments of vent ${vent.id}`).toEqual([said.length, own]);
    for (const kind of reactionTypes) {
      const most = count(kind);
      expect(vent[kind], `${kind} of vent ${vent.id}`).toBeLessThanOrEqual(most);
      if (author) expect(vent[kind], `${kind} of vent ${vent.id}`).toBe(most);
    }
    for (const { no, voice, speaker } of said) {
      expect(no, 'numbers are given once and in order').toBeLessThanOrEqual(vent.last_no);
      if (voice === 'author' && author)
        expect(
          app.deps.speakers.numberOf({ voice, ventId: BigInt(vent.id), no, speaker }, author.speakerId),
          'the author is known',
        ).not.toBeNull();
    }
  }
}

describe('the states of a vent', () => {
  const states: VentState[] = ['visible', 'hidden', 'removed', 'author_deleted'];
  const events = ['hide', 'restore', 'remove', 'delete'] as const;
  /** The complete transition table, legal and illegal, repeated here so that every change of it is deliberate. */
  const table: Record<VentState, Record<(typeof events)[number], VentState | null>> = {
    visible: { hide: 'hidden', restore: null, remove: 'removed', delete: 'author_deleted' },
    hidden: { hide: null, restore: 'visible', remove: 'removed', delete: 'author_deleted' },
    removed: { hide: null, restore: 'visible', remove: null, delete: 'author_deleted' },
    author_deleted: { hide: null, restore: null, remove: null, delete: null },
  };

  test.each(states.flatMap((state) => events.map((event) => ({ state, event, to: table[state][event] }))))(
    'go from $state by $event to $to',
    ({ state, event, to }) => expect(nextState(state, event)).toBe(to),
  );

  test('allow an event exactly where the table has a transition', () => {
    for (const event of events) {
      expect(statesAllowing(event)).toEqual(states.filter((state) => table[state][event] !== null));
    }
  });

  test('include no way back after a deletion, which only the author can make', async () => {
    const [author, other] = [await makeUser(app), await makeUser(app)];
    const vent = await makeVent(app, author);
    expect((await app.call(deleteVent, { as: other, params: { id: vent.id } })).status).toBe(404);
    expect((await app.call(deleteVent, { as: author, params: { id: vent.id } })).status).toBe(200);
    expect((await app.call(deleteVent, { as: author, params: { id: vent.id } })).status).toBe(404);
    expect(await rowsOf('select state from content.vents where id = $1', [String(vent.number)])).toEqual([
      { state: 'author_deleted' },
    ]);
  });
});

// Random histories ---------------------------------------------------------------------------------------

const people = 5;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), who: fc.nat(people - 1) }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('react' as const),
      who: fc.nat(people - 1),
      vent: fc.nat(7),
      kind: fc.constantFrom(...reactionTypes),
      active: fc.constantFrom(true, false, undefined),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('comment' as const),
      who: fc.nat(people - 1),
      vent: fc.nat(7),
      anonymous: fc.boolean(),
      key: fc.constantFrom(undefined, 'a-key-of-mine-1', 'a-key-of-mine-2'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('allow' as const),
      who: fc.nat(people - 1),
      vent: fc.nat(7),
      isOpen: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('uncomment' as const),
      who: fc.nat(people - 1),
      comment: fc.nat(9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('delete' as const), who: fc.nat(people - 1), vent: fc.nat(7) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('look' as const), who: fc.nat(people - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tidy' as const), who: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), who: fc.nat(people - 1) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
/** The steps of one round run concurrently. */
const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 5, maxLength: 25 });

interface Vent extends MadeVent {
  readonly author: number;
  readonly word: string;
  /** The author's changes of the comment switch. */
  readonly switches: Switch[];
  /** Ticks at which its deletion was requested and was confirmed. */
  deletedFrom: number;
  deletedAt: number;
}

interface Switch {
  readonly isOpen: boolean;
  readonly from: number;
  /** Infinity while the call is running or if its outcome is unknown. */
  to: number;
}

/** The model of a history: what the clients know from the responses. */
class History {
  tick = 0;
  readonly vents: Vent[] = [];
  /** Accepted comments by id, with their writer. */
  readonly comments = new Map<string, { vent: Vent; writer: number }>();
  readonly gone = new Set<string>();
  /** Existing reactions: `vent person kind`. */
  readonly held = new Set<string>();
  readonly left = new Set<number>();
  /** Requests for reactions in this round, `vent person kind`. */
  touches: { readonly name: string; readonly active: boolean | undefined }[] = [];
  readonly persons: Person[];
  readonly viewers: Viewer[];

  constructor(persons: Person[], viewers: Viewer[]) {
    this.persons = persons;
    this.viewers = viewers;
  }

  /** Possible values of the comment switch between two ticks. */
  possiblyOpen({ switches: all }: Vent, from: number, to: number): Set<boolean> {
    const before = all.filter((one) => one.to < from);
    const last = before.filter((one) => !before.some((other) => other.from > one.to));
    const during = all.filter((one) => one.to >= from && one.from <= to);
    return new Set([...last, ...during].map((one) => one.isOpen));
  }

  /** Whether the vent may be deleted at this tick: its author requested that, or deleted the account. */
  mayBeGone(vent: Vent, at: number): boolean {
    return vent.deletedFrom <= at || this.left.has(vent.author);
  }
}

async function startHistory(): Promise<History> {
  const persons: Person[] = [];
  for (let n = 0; n < people; n += 1) persons.push(await makeUser(app));
  return new History(persons, await Promise.all(persons.map(viewerOf)));
}

function expectOneOf(answer: Answer<unknown>, ...allowed: (number | string)[]): void {
  expect(allowed, answer.text).toContain(
    answer.status < 300 ? answer.status : (answer.body.code ?? answer.status),
  );
}

let words = 0;

async function performStep(history: History, one: Step): Promise<void> {
  const as = history.persons[one.who] as Person;
  history.tick += 1;
  const from = history.tick;
  const end = () => (history.tick += 1);
  const isGone = () => history.left.has(one.who);
  const vent = 'vent' in one ? history.vents[one.vent % Math.max(1, history.vents.length)] : undefined;

  switch (one.do) {
    case 'create': {
      words += 1;
      const word = `quokka${words.toString(36)}`;
      const body = {
        title: `Said by ${one.who}`,
        text: `only ${word}`,
        emotion: 'Sad' as const,
        hashtags: [word],
      };
      const answer = await app.call(createVent, { as, body });
      // If the account is deleted in this round, the vent may be gone or the session refused.
      expectOneOf(answer, 201, ...(isGone() ? ['UNAUTHENTICATED', 'VENT_NOT_FOUND'] : []));
      if (answer.status !== 201) return;
      const { vent: view } = answer.body;
      if (!view) throw new Error('the vent was held back');
      const number = app.deps.publicIds.vent.decode(view._id) ?? 0n;
      history.vents.push({
        id: view._id,
        number,
        view,
        author: one.who,
        word,
        switches: [{ isOpen: true, from: -2, to: -1 }],
        deletedFrom: Infinity,
        deletedAt: Infinity,
      });
      return;
    }
    case 'react': {
      if (!vent) return;
      const { kind, active } = one;
      if (!isGone()) history.touches.push({ name: `${vent.id} ${one.who} ${kind}`, active });
      const body = { ventId: vent.id, reactionType: kind, ...(active === undefined ? {} : { active }) };
      const answer = await app.call(react, { as, body });
      end();
      if (vent.deletedAt < from)
        return expectOneOf(answer, 'VENT_NOT_FOUND', ...(isGone() ? ['UNAUTHENTICATED'] : []));
      expectOneOf(
        answer,
        200,
        ...(history.mayBeGone(vent, history.tick) ? ['VENT_NOT_FOUND'] : []),
        ...(isGone() ? ['UNAUTHENTICATED'] : []),
      );
      if (answer.status !== 200) return;
      for (const count of Object.values(answer.body.reactions)) expect(count).toBeGreaterThanOrEqual(0);
      return;
    }
    case 'comment': {
      if (!vent) return;
      const answer = await app.call(commentOnVent, {
        as,
        body: { ventId: vent.id, text: 'I hear you', anonymous: one.anonymous },
        ...(one.key ? { headers: { 'idempotency-key': `${one.key}-${vent.id.replace(/\W/gu, '-')}` } } : {}),
      });
      end();
      const known = answer.status === 201 ? history.comments.get(answer.body.comment._id) : undefined;
      const couldBe = history.possiblyOpen(vent, from, history.tick);
      const mayBeGone = history.mayBeGone(vent, history.tick);
      const isAgain = known !== undefined;
      if (answer.status === 201 && !isAgain) {
        expect(vent.deletedAt, 'a comment on a deleted vent was accepted').toBeGreaterThan(from);
        expect([...couldBe], 'a comment on a closed vent was accepted').toContain(true);
      }
      expectOneOf(
        answer,
        201,
        ...(couldBe.has(false) || mayBeGone ? ['COMMENTS_DISABLED'] : []),
        ...(mayBeGone ? ['VENT_NOT_FOUND'] : []),
        ...(isGone() ? ['UNAUTHENTICATED'] : []),
        // The comment of this key was accepted before and is deleted.
        ...(one.key ? ['COMMENT_NOT_FOUND'] : []),
      );
      if (answer.status === 201) history.comments.set(answer.body.comment._id, { vent, writer: one.who });
      return;
    }
    case 'allow': {
      if (!vent) return;
      const turned: Switch = { isOpen: one.isOpen, from, to: Infinity };
      vent.switches.push(turned);
      const answer = await app.call(setVentComments, {
        as: history.persons[vent.author] as Person,
        params: { id: vent.id },
        body: { allowComments: one.isOpen },
      });
      end();
      expectOneOf(
        answer,
        200,
        ...(history.mayBeGone(vent, history.tick) ? ['VENT_NOT_FOUND', 'UNAUTHENTICATED'] : []),
      );
      if (answer.status === 200) turned.to = history.tick;
      return;
    }
    case 'uncomment': {
      const [id, comment] = [...history.comments][one.comment % Math.max(1, history.comments.size)] ?? [];
      if (!id || !comment) return;
      const mayDelete = comment.writer === one.who || comment.vent.author === one.who;
      const wasGone = history.gone.has(id);
      const answer = await app.call(deleteComment, {
        as,
        params: { ventId: comment.vent.id, commentId: id },
      });
      end();
      expectOneOf(
        answer,
        ...(mayDelete && !wasGone ? [200] : []),
        'COMMENT_NOT_FOUND',
        ...(isGone() ? ['UNAUTHENTICATED'] : []),
      );
      if (answer.status === 200) {
        expect(history.gone.has(id), 'a comment was taken away twice').toBe(false);
        expect(comment.vent.deletedAt, 'a comment of a deleted vent was taken away').toBeGreaterThan(from);
        history.gone.add(id);
      }
      return;
    }
    case 'delete': {
      if (!vent) return;
      const isMine = vent.author === one.who;
      const wasDeleted = vent.deletedAt < from;
      if (isMine) vent.deletedFrom = Math.min(vent.deletedFrom, from);
      const answer = await app.call(deleteVent, { as, params: { id: vent.id } });
      end();
      expectOneOf(
        answer,
        ...(isMine && !wasDeleted ? [200] : []),
        'VENT_NOT_FOUND',
        ...(isGone() ? ['UNAUTHENTICATED'] : []),
      );
      if (answer.status === 200) {
        expect(vent.deletedAt, 'a vent was deleted twice').toBe(Infinity);
        vent.deletedAt = history.tick;
      }
      return;
    }
    case 'look': {
      const answer = await app.call(ventsSince, { as, query: {} });
      expectOneOf(answer, 200, ...(isGone() ? ['UNAUTHENTICATED'] : []));
      if (answer.status === 200)
        for (const count of Object.values(answer.body.since)) expect(count).toBeGreaterThanOrEqual(0);
      return;
    }
    case 'tidy':
      await runJob(app, 'remove-deleted-vents');
      await runJob(app, 'remove-due-content');
      await runJob(app, 'rewrite-leavings');
      await runJob(app, 'rewrite-fresh-content');
      return runJob(app, 'rewrite-todays-content');
    case 'leave': {
      if (isGone()) return;
      history.left.add(one.who);
      await app.features.sessions.markReauthenticated(history.viewers[one.who] as Viewer);
      expectOneOf(await app.call(deleteAccount, { as }), 200);
      return;
    }
  }
}

/** Checks that the stored reactions are those requested, wherever the order of requests is known. */
async function expectHeldReactions(history: History): Promise<void> {
  const rows = await rowsOf<{ vent_id: string; reactor_key: string; kind: string }>(
    `select vent_id, encode(reactor_key, 'hex') as reactor_key, kind from content.reactions`,
  );
  const present = new Set(rows.map((row) => `${row.vent_id} ${row.reactor_key} ${row.kind}`));
  const touches = Map.groupBy(history.touches, ({ name }) => name);
  history.touches = [];
  for (const vent of history.vents) {
    if (vent.deletedFrom < Infinity || history.left.has(vent.author)) continue;
    for (const [who, { person }] of history.viewers.entries()) {
      const keys = person.reactorKeys(vent.number, reactionTypes);
      for (const [n, kind] of reactionTypes.entries()) {
        const key = keys[n]?.toString('hex');
        const name = `${vent.id} ${who} ${kind}`;
        const isThere = present.has(`${vent.number} ${key} ${kind}`);
        const asked = touches.get(name) ?? [];
        const was = history.held.has(name);
        // Concurrent toggles all take effect. Otherwise the order of concurrent requests is unknown.
        const isKnown =
          !history.left.has(who) && (asked.length <= 1 || asked.every(({ active }) => active === undefined));
        if (isKnown) {
          const now = asked.reduce((held, { active }) => active ?? !held, was);
          expect(isThere, `${kind} of person ${who} on vent ${vent.number}`).toBe(now);
        } else if (asked.length === 0) expect(isThere, name).toBe(was);
        if (isThere) history.held.add(name);
        else history.held.delete(name);
      }
    }
  }
}

/** Checks that every accepted comment is stored, unless it was deleted. */
async function expectComments(history: History): Promise<void> {
  const rows = await rowsOf<{ vent_id: string; no: number }>('select vent_id, no from content.comments');
  const present = new Set(
    rows.map(({ vent_id, no }) => app.deps.publicIds.comment.encode({ ventId: BigInt(vent_id), no })),
  );
  for (const [id, { vent, writer }] of history.comments) {
    if (vent.deletedFrom < Infinity || history.left.has(vent.author) || history.left.has(writer)) continue;
    expect(present.has(id), 'an accepted comment').toBe(!history.gone.has(id));
  }
}

/** Checks that no call reads or changes a deleted vent. */
async function expectUnreadable(history: History): Promise<void> {
  const readers = history.persons.filter((_, who) => !history.left.has(who));
  const as = readers[0];
  if (!as) return;
  for (const vent of history.vents.filter(({ deletedAt }) => deletedAt < Infinity)) {
    for (const reader of new Set([as, ...readers.filter((one) => one === history.persons[vent.author])])) {
      const { id } = vent;
      const refusals = await Promise.all([
        app.call(getVent, { as: reader, params: { id } }),
        app.call(listComments, { as: reader, params: { id }, query: {} }),
        app.call(react, { as: reader, body: { ventId: id, reactionType: 'hug' } }),
        app.call(commentOnVent, { as: reader, body: { ventId: id, text: 'too late' } }),
        app.call(reportVent, { as: reader, body: { ventId: id, reason: 'Spam' } }),
        app.call(deleteVent, { as: reader, params: { id } }),
      ]);
      for (const answer of refusals) expectOneOf(answer, 'VENT_NOT_FOUND');
      const lists = await Promise.all([
        app.call(searchVents, { as: reader, query: { query: vent.word } }),
        app.call(searchVents, { as: reader, query: { query: `#${vent.word}` } }),
        app.call(listVents, { as: reader, query: { mine: 'true', limit: '100' } }),
        app.call(listVents, { as: reader, query: { mine: 'true', query: vent.word } }),
        app.call(listVents, { as: reader, query: { limit: '100' } }),
        app.call(listVents, { as: reader, query: {} }),
        app.call(listVents, { as: reader, query: { sort: 'trending', limit: '50' } }),
        ...emotions.map((emotion) => app.call(listVents, { as: reader, query: { emotion, limit: '100' } })),
        app.call(listVents, { as: reader, query: { sort: 'trending', emotion: emotions.slice(1).join() } }),
        app.call(listVents, { as: reader, query: { before: id, limit: '100' } }),
      ]);
      for (const list of lists) {
        expect(list.status).toBe(200);
        expect(list.text).not.toContain(id);
        expect(list.text).not.toContain(`only ${vent.word}`);
      }
    }
  }
}

/** Checks that the feed is sorted newest first, by exact time and then by id, over all pages. */
async function expectFeedOrder(history: History): Promise<void> {
  const as = history.persons.find((_, who) => !history.left.has(who));
  if (!as) return;
  const rows = await rowsOf<{ id: string }>(
    `select id from content.vents where state = 'visible' order by created_at desc, id desc limit 40`,
  );
  const inOrder = rows.map(({ id }) => app.deps.publicIds.vent.encode(BigInt(id)));
  const shown: string[] = [];
  let before: string | undefined;
  for (let page = 1; page <= 8; page += 1) {
    // The first four pages by number, the rest by cursor.
    const query = page <= 4 ? { page: String(page) } : { before: before as string, limit: '5' };
    if (page > 4 && before === undefined) break;
    const { body } = await app.call(listVents, { as, query });
    shown.push(...body.vents.map(({ _id }) => _id));
    before = body.vents.at(-1)?._id;
    const times = body.vents.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  }
  expect(shown).toEqual(inOrder.slice(0, shown.length));
  expect(shown.length).toBe(inOrder.length);
}

/** Checks that after the removal period no row of a deleted account is left. */
async function expectForgotten(history: History): Promise<void> {
  await runJob(app, 'remove-deleted-vents');
  await finishLeaving(app);
  for (const who of history.left) {
    const { userId, person } = history.viewers[who] as Viewer;
    expect(await rowsOf('select 1 from identity.users where id = $1', [String(userId)])).toEqual([]);
    const theirs = app.deps.speakers.ownAmong(await listSpoken(database), person.speakerId);
    expect([...theirs], `rows of person ${who}`).toEqual([]);
  }
  const due = await rowsOf(`select 1 from content.vents where state = 'author_deleted'`);
  expect(due, 'deleted vents after the worker came by').toEqual([]);
}

describe(`random histories of ${people} people, many steps at once, seed ${seed}`, () => {
  test('keep every counter equal to its rows, return no deleted vent and accept no comment on a closed one', async () => {
    const before = await countDeadlocks();
    const authors = new Map<bigint, PersonKeys>();
    await fc.assert(
      fc.asyncProperty(rounds, async (history_) => {
        const history = await startHistory();
        for (const round of history_) {
          app.clock.advance(1000);
          // A person who deletes their account does nothing else in that round: the responses would find no
          // account.
          const leaving = new Set(round.filter((one) => one.do === 'leave').map(({ who }) => who));
          const steps = round.filter(
            (one) => one.do === 'leave' || one.do === 'tidy' || !leaving.has(one.who),
          );
          await Promise.all(steps.map((one) => performStep(history, one)));
          for (const { number, author } of history.vents)
            authors.set(number, (history.viewers[author] as Viewer).person);
          await expectTrueCounters(authors);
          await expectHeldReactions(history);
          await expectComments(history);
        }
        await expectUnreadable(history);
        await expectFeedOrder(history);
        await expectForgotten(history);
        await expectTrueCounters(authors);
      }),
      { numRuns: histories, seed },
    );
    expect((await countDeadlocks()) - before, 'deadlocks').toBe(0);
    expect(readInternalErrors()).toEqual([]);
  });
});

describe('concurrent calls on one vent', () => {
  test('keep the counters equal to the rows and never negative, without a deadlock, when 17 people react 30 times each', async () => {
    const author = await makeUser(app);
    const crowd: Person[] = [];
    for (let n = 0; n < 16; n += 1) crowd.push(await makeUser(app));
    const vent = await makeVent(app, author);
    const before = await countDeadlocks();
    let lowest = 0;
    await Promise.all(
      [...crowd, author].map(async (as, position) => {
        for (let turn = 0; turn < 30; turn += 1) {
          const reactionType = reactionTypes[(turn + position) % 3] as ReactionType;
          // A third of the people toggle, the others set `active`, alternately on and off.
          const active = position % 3 === 0 ? undefined : turn % 2 === 0;
          const answer = await app.call(react, {
            as,
            body: { ventId: vent.id, reactionType, ...(active === undefined ? {} : { active }) },
          });
          expect(answer.status, answer.text).toBe(200);
          lowest = Math.min(lowest, ...Object.values(answer.body.reactions));
          if (active !== undefined) expect(answer.body.myReactions.includes(reactionType)).toBe(active);
        }
      }),
    );
    const viewer = await viewerOf(author);
    await expectTrueCounters(new Map([[vent.number, viewer.person]]));
    expect(lowest).toBe(0);
    expect((await countDeadlocks()) - before).toBe(0);
  });

  test('get 200 or 404 and no error while the vent is removed from the database', async () => {
    const before = await countDeadlocks();
    const crowd: Person[] = [];
    for (let n = 0; n < 8; n += 1) crowd.push(await makeUser(app));
    const statuses = new Map<string, number>();
    for (let round = 0; round < runs('REMOVAL_ROUNDS', { change: 8, full: 40 }); round += 1) {
      const author = await makeUser(app);
      const vent = await makeVent(app, author);
      const comments = await Promise.all(crowd.map((as) => makeComment(app, as, vent.id)));
      await Promise.all(
        crowd.map((as) =>
          app.call(react, { as, body: { ventId: vent.id, reactionType: 'heart', active: true } }),
        ),
      );
      const [slotKey] = (await viewerOf(author)).person.slotKeys('vent', [1]) as [Buffer];
      app.clock.advance(11_000);
      const removal = (async () => {
        await new Promise((resolve) => setTimeout(resolve, round % 8));
        // As for a deleted account: the vent is still visible when it is removed.
        expect(await removeVentInSlot(app.features.content, slotKey)).toBe(true);
      })();
      // In the first round the vent is removed before the calls; the reactions above came while it existed.
      if (round === 0) await removal;
      const touches = crowd.flatMap((as, n) => [
        app.call(react, { as, body: { ventId: vent.id, reactionType: 'heart' } }),
        app.call(react, { as, body: { ventId: vent.id, reactionType: 'hug', active: true } }),
        app.call(deleteComment, { as, params: { ventId: vent.id, commentId: comments[n] ?? '' } }),
        app.call(commentOnVent, { as, body: { ventId: vent.id, text: 'still here' } }),
        app.call(listVents, { as, query: { sort: 'trending' } }),
      ]);
      for (const answer of await Promise.all(touches)) {
        const outcome = `${answer.status} ${answer.body.code ?? ''}`.trim();
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      }
      await removal;
    }
    expect(readInternalErrors()).toEqual([]);
    expect([...statuses.keys()].filter((status) => status.startsWith('5'))).toEqual([]);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining(['200', '404 VENT_NOT_FOUND']));
    expect((await countDeadlocks()) - before).toBe(0);
    await expectTrueCounters(new Map());
  });
});
