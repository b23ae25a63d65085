import {
  deleteComment,
  deleteVent,
  listInbox,
  markInboxSeen,
  react,
  reactionTypes,
  type InboxLine,
  type ReactionCounts,
  type ReactionType,
} from '@unsaid/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, dayInIndia, dayMs, type Day } from '../src/platform/clock.ts';
import { createSeededRandom, type SeededRandom } from '../seed/seeded-random.ts';
import { startTestApp, type TestApp } from './app.ts';
import { makeComment, makeUser, makeVent, type Person } from './factories.ts';
import { runs, seed } from './runs.ts';

/**
 * Random histories against a naive model. The model knows who wrote what and remembers each comment that a person was
 * told of; the server knows neither. Readers look, mark some of the lines, keep an older cursor, mark lines of an older
 * list, lose their cursor: after every step the whole list must be the model's.
 */
const histories = runs('INBOX_RUNS', { change: 12, full: 100 });
const steps = 60;

let app: TestApp;
let people: Person[];
beforeAll(async () => {
  app = await startTestApp({ limitsScale: 1_000_000 });
  people = [await makeUser(app), await makeUser(app), await makeUser(app)];
});
afterAll(() => app.close());

interface Comment {
  readonly id: string;
  readonly by: number;
  readonly day: Day;
}

interface Vent {
  readonly id: string;
  readonly title: string;
  readonly by: number;
  /** In the order of writing, without deleted ones. */
  comments: Comment[];
  readonly reactions: Record<ReactionType, Set<number>>;
}

/** What a person was told. A value: a cursor that is not kept is forgotten with its memory. */
interface Memory {
  /** Before the first list, reactions count from now on. */
  readonly isStart: boolean;
  readonly fromDay: Day;
  readonly comments: ReadonlySet<string>;
  /** The highest totals that were shown or that began the count, by vent. */
  readonly reactions: ReadonlyMap<string, ReactionCounts>;
}

type WithoutKey<Line> = Line extends unknown ? Omit<Line, 'key'> : never;
type Known = WithoutKey<InboxLine>;

/** A line, and the memory of a person to whom it was shown. */
interface ModelLine {
  readonly line: Known;
  remember(memory: Memory): Memory;
}

const none: ReactionCounts = { heart: 0, hug: 0, listen: 0 };
const totalOf = (counts: ReactionCounts) => counts.heart + counts.hug + counts.listen;
const each = (of: (kind: ReactionType) => number): ReactionCounts => ({
  heart: of('heart'),
  hug: of('hug'),
  listen: of('listen'),
});

function emptyMemory(): Memory {
  const fromDay = addDays(dayInIndia(app.clock.now()), -7);
  return { isStart: true, fromDay, comments: new Set(), reactions: new Map() };
}

const told = (memory: Memory, comments: readonly Comment[]): Memory => ({
  ...memory,
  comments: new Set([...memory.comments, ...comments.map(({ id }) => id)]),
});

/** The list that a person must get, and what they remember once it was computed. */
function modelInbox(vents: readonly Vent[], reader: number, memory: Memory) {
  const lines: ModelLine[] = [];
  let next: Memory = { ...memory, isStart: false };
  const addComments = (kind: 'comments' | 'replies', vent: Vent, comments: readonly Comment[]) => {
    const newest = comments.at(-1);
    if (!newest) return;
    const unread = comments.filter(({ id, day }) => !memory.comments.has(id) && day >= memory.fromDay);
    const line = {
      isUnread: unread.length > 0,
      vent: { _id: vent.id, title: vent.title },
      count: unread.length,
      commentId: (unread[0] ?? newest).id,
      day: newest.day,
    };
    const isByAuthor = unread.some(({ by }) => by === vent.by);
    lines.push({
      line: kind === 'replies' ? { kind, ...line, isByAuthor } : { kind, ...line },
      remember: (before) => told(before, comments),
    });
  };
  for (const vent of vents) {
    const ofOthers = vent.comments.filter(({ by }) => by !== reader);
    if (vent.by === reader) {
      addComments('comments', vent, ofOthers);
      const now = each((kind) => [...vent.reactions[kind]].filter((by) => by !== reader).length);
      const seen = memory.reactions.get(vent.id) ?? (memory.isStart ? now : none);
      next = { ...next, reactions: new Map([...next.reactions, [vent.id, seen]]) };
      const since = each((kind) => Math.max(0, now[kind] - seen[kind]));
      const isUnread = totalOf(since) > 0;
      if (totalOf(now) > 0)
        lines.push({
          line: {
            kind: 'reactions',
            isUnread,
            vent: { _id: vent.id, title: vent.title },
            reactions: isUnread ? since : now,
            day: null,
          },
          remember: (before) => {
            const had = before.reactions.get(vent.id) ?? none;
            const most = each((kind) => Math.max(had[kind], now[kind]));
            return { ...before, reactions: new Map([...before.reactions, [vent.id, most]]) };
          },
        });
    } else {
      const own = vent.comments.findLastIndex(({ by }) => by === reader);
      if (own === -1) continue;
      addComments('replies', vent, vent.comments.slice(own + 1));
      // Who speaks has seen what was said before.
      next = told(next, vent.comments.slice(0, own));
    }
  }
  return { lines, next };
}

const sortKey = ({ kind, ...line }: Known) => `${kind} ${'vent' in line ? line.vent._id : ''}`;
const sorted = (lines: readonly Known[]) =>
  lines.toSorted((one, other) => sortKey(one).localeCompare(sortKey(other)));

interface Reader {
  cursor: string | undefined;
  memory: Memory;
  /** The last list: the server's keys with the model's lines. */
  shown: { readonly key: string; readonly model: ModelLine }[];
}

const seenKinds = new Map<string, number>();

async function runHistory(random: SeededRandom): Promise<void> {
  app.clock.reset();
  const vents: Vent[] = [];
  const readers: Reader[] = people.map(() => ({ cursor: undefined, memory: emptyMemory(), shown: [] }));
  await app.deps.databases.content.deleteFrom('content.vents').execute();

  async function look(n: number): Promise<void> {
    const [reader, as] = [readers[n] as Reader, people[n] as Person];
    if (reader.cursor === undefined) reader.memory = emptyMemory();
    const query = reader.cursor === undefined ? {} : { cursor: reader.cursor };
    const { body } = await app.call(listInbox, { as, query });
    const { lines, next } = modelInbox(vents, n, reader.memory);
    expect(sorted(body.lines.map(({ key: _key, ...line }) => line))).toEqual(
      sorted(lines.map(({ line }) => line)),
    );
    // Unread first, then by day; reactions have none.
    const ranks = body.lines.map(({ isUnread, day }) => `${Number(isUnread)} ${day ?? ''}`);
    expect(ranks).toEqual(ranks.toSorted().toReversed());
    const answers = lines.map(({ line }) => ('count' in line ? line.count : 0));
    const gifts = lines.map(({ line }) =>
      'reactions' in line && line.isUnread ? totalOf(line.reactions) : 0,
    );
    const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
    expect(body.counts).toEqual({ answers: sum(answers), gifts: sum(gifts), matches: 0 });
    for (const { kind, isUnread } of body.lines) {
      const name = `${kind} ${isUnread ? 'unread' : 'seen'}`;
      seenKinds.set(name, (seenKinds.get(name) ?? 0) + 1);
    }
    reader.shown = body.lines.map(({ key, ...line }) => {
      const model = lines.find((one) => sortKey(one.line) === sortKey(line));
      if (!model) throw new Error('no such line');
      return { key, model };
    });
    // Some clients keep an older cursor, if they have one.
    if (reader.cursor !== undefined && random.below(3) === 0) return;
    reader.cursor = body.cursor;
    reader.memory = next;
  }

  async function markSeen(n: number, shown: Reader['shown']): Promise<void> {
    const reader = readers[n] as Reader;
    if (reader.cursor === undefined) return;
    const { body } = await app.call(markInboxSeen, {
      as: people[n] as Person,
      body: { cursor: reader.cursor, shown: shown.map(({ key }) => key) },
    });
    expect(body.cursor).toHaveLength(reader.cursor.length);
    reader.cursor = body.cursor;
    for (const { model } of shown) reader.memory = model.remember(reader.memory);
  }

  for (let step = 0; step < steps; step += 1) {
    const n = random.below(people.length);
    const as = people[n] as Person;
    const vent = vents.length > 0 ? random.pick(vents) : undefined;
    const what = vent ? random.below(20) : 0;
    if (!vent || what === 0) {
      const made = await makeVent(app, as);
      const reactions = { heart: new Set<number>(), hug: new Set<number>(), listen: new Set<number>() };
      vents.push({ id: made.id, title: made.view.title, by: n, comments: [], reactions });
    } else if (what < 7) {
      const id = await makeComment(app, as, vent.id, { anonymous: random.below(2) === 0 });
      vent.comments.push({ id, by: n, day: dayInIndia(app.clock.now()) });
    } else if (what < 10) {
      const kind = random.pick(reactionTypes);
      const given = vent.reactions[kind];
      await app.call(react, { as, body: { ventId: vent.id, reactionType: kind } });
      if (!given.delete(n)) given.add(n);
    } else if (what === 10) {
      const mine = vent.comments.filter(({ by }) => by === n || vent.by === n);
      const gone = mine.length > 0 ? random.pick(mine) : undefined;
      if (!gone) continue;
      await app.call(deleteComment, { as, params: { ventId: vent.id, commentId: gone.id } });
      vent.comments = vent.comments.filter((comment) => comment !== gone);
    } else if (what === 11 && vents.length > 2) {
      await app.call(deleteVent, { as: people[vent.by] as Person, params: { id: vent.id } });
      vents.splice(vents.indexOf(vent), 1);
    } else if (what === 12) {
      app.clock.advance(random.below(2) * dayMs);
      // Sessions end after two idle weeks.
      if (app.clock.now() > Date.parse('2026-11-26')) app.clock.reset();
    } else if (what < 17) await look(n);
    else if (what < 19) {
      // Of the last list, which may be old by now.
      const { shown } = readers[n] as Reader;
      await markSeen(
        n,
        shown.filter(() => random.below(2) === 0),
      );
    } else if (random.below(3) === 0) readers[n] = { cursor: undefined, memory: emptyMemory(), shown: [] };
  }

  for (const n of people.keys()) {
    await look(n);
    const reader = readers[n] as Reader;
    await markSeen(n, reader.shown);
    // Nothing is unread after all of it was seen.
    const query = reader.cursor === undefined ? {} : { cursor: reader.cursor };
    const { body } = await app.call(listInbox, { as: people[n] as Person, query });
    expect(body.counts).toEqual({ answers: 0, gifts: 0, matches: 0 });
    await look(n);
  }
}

test('the inbox is what a naive model of who wrote what and who was told gives, over random histories', async () => {
  for (let history = 0; history < histories; history += 1) {
    const of = history < 4 ? history : seed + history;
    try {
      await runHistory(createSeededRandom(of));
    } catch (error) {
      throw new Error(`history ${of}`, { cause: error });
    }
  }
  console.log([...seenKinds].map(([name, count]) => `${name}: ${count}`).join(', '));
  for (const kind of ['comments', 'replies', 'reactions'])
    for (const state of ['unread', 'seen'])
      expect(seenKinds.get(`${kind} ${state}`) ?? 0, `${kind} ${state}`).toBeGreaterThan(5);
});
