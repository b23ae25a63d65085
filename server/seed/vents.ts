import { reactionTypes, type Emotion } from '@unsaid/contract';
import { sql } from 'kysely';
import type { ContentDb } from '../src/platform/db.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { dayInIndia, startOfMinute } from '../src/platform/clock.ts';
import type { ItemKind, Person, Persons } from '../src/kernel/person-keys.ts';
import type { Speakers, Voice } from '../src/kernel/speakers.ts';
import { seedBytes } from './people.ts';
import { soundsOfVent } from '../src/content/search/search-terms.ts';
import { emotionLexeme } from '../src/content/search/vent-search.hot.queries.ts';

/** Fills a database with vents, reactions and comments of seeded people, with realistic skew. */

export interface SeedVent {
  readonly emotion: Emotion;
  readonly title: string;
  readonly body: string;
  readonly hashtags: readonly string[];
  /** Not used where the author has comments switched off. */
  readonly comments: readonly string[];
  /** In place of a comment whose writer happens to be the author. */
  readonly authorComments: readonly string[];
}

/** A source of vents, deterministic by the random generator. */
export type SeedTexts = (random: SeededRandom) => () => SeedVent;

interface SeedContentOptions {
  readonly seed: number;
  readonly vents: number;
  /** The number of people. Their keys follow from the seed. */
  readonly users: number;
  readonly texts: SeedTexts;
  readonly persons: Persons;
  readonly speakers: Speakers;
  readonly now: number;
}

const batchSize = 2000;
export const seedSpanDays = 120;
const spanMs = seedSpanDays * 24 * 60 * 60 * 1000;
/** Vents become more frequent over time. */
export const growthPower = 0.6;
/** One author in ten has comments switched off. */
const closedOneIn = 10;

interface Author {
  readonly person: Person;
  readonly isClosed: boolean;
  claim(kind: ItemKind, voice: Voice): Slot;
}

interface Slot {
  readonly slotKey: Buffer;
  readonly takenKey: Buffer;
  readonly speaker: Buffer;
}

/** Seeded people, created lazily: a count of items for each person, and a cache of keys for the recently active. */
function createAuthors({ seed, users, persons, speakers }: SeedContentOptions) {
  const taken = { vent: new Uint32Array(users), comment: new Uint32Array(users) };
  const recent = new Map<number, Author>();
  return (position: number): Author => {
    const known = recent.get(position);
    if (known) return known;
    const person = persons(seedBytes(seed, position));
    const author: Author = {
      person,
      isClosed: (person.speakerId[0] ?? 0) % closedOneIn === 0,
      claim(kind, voice) {
        const number = ++taken[kind][position]!;
        const [slotKey] = person.slotKeys(kind, [number]) as [Buffer];
        const [takenKey] = person.takenKeys(kind, [number]) as [Buffer];
        return { slotKey, takenKey, speaker: speakers.encrypt(voice, person.speakerId, number) };
      },
    };
    if (recent.size > 20_000) recent.clear();
    recent.set(position, author);
    return author;
  };
}

/** Yields the number of vents written so far. Memory is bounded by one batch and a count for each person. */
export async function* seedVents(db: ContentDb, options: SeedContentOptions): AsyncGenerator<number> {
  const { seed, vents, users, texts, now } = options;
  const random = createSeededRandom(seed + 1);
  const nextVent = texts(createSeededRandom(seed + 2));
  // A few people write much, most write little.
  const randomAuthor = () => Math.floor(random.next() ** 2.2 * users);
  const authorAt = createAuthors(options);

  for (let done = 0; done < vents; done += batchSize) {
    const count = Math.min(batchSize, vents - done);
    const drafts = Array.from({ length: count }, (_, offset) => {
      const position = randomAuthor();
      const author = authorAt(position);
      const at = now - spanMs * (1 - ((done + offset + 1) / vents) ** growthPower);
      return {
        position,
        isClosed: author.isClosed,
        slot: author.claim('vent', 'vent'),
        ...nextVent(),
        createdAt: startOfMinute(at),
      };
    });
    const ids = await insertVents(db, drafts);
    const interactions = drafts.map((draft, offset) =>
      randomInteractions(random, draft, { ventId: ids[offset] as bigint, users, authorAt }),
    );
    await insertInteractions(db, ids, interactions, drafts);
    yield done + count;
  }
}

type Draft = SeedVent & {
  position: number;
  isClosed: boolean;
  slot: Slot;
  createdAt: Date;
};

async function insertTakenSlots(db: ContentDb, slots: readonly Slot[]): Promise<void> {
  const keys = slots.map(({ takenKey }) => takenKey);
  await sql`insert into content.taken_slots select * from unnest(${keys}::bytea[])`.execute(db);
}

async function insertVents(db: ContentDb, drafts: readonly Draft[]): Promise<bigint[]> {
  await insertTakenSlots(
    db,
    drafts.map(({ slot }) => slot),
  );
  const { rows } = await sql<{ id: bigint }>`
    insert into content.vents (speaker, slot_key, emotion, title, body, hashtags, created_at)
    select speaker, slot, emotion, title, body, case when tags = '' then '{}' else string_to_array(tags, ',') end, at
      from unnest(${drafts.map(({ slot }) => slot.speaker)}::bytea[], ${drafts.map(({ slot }) => slot.slotKey)}::bytea[],
                  ${drafts.map(({ emotion }) => emotion)}::text[],
                  ${drafts.map(({ title }) => title)}::text[], ${drafts.map(({ body }) => body)}::text[],
                  ${drafts.map(({ hashtags }) => hashtags.join(','))}::text[],
                  ${drafts.map(({ createdAt }) => createdAt)}::timestamptz[])
             with ordinality as d (speaker, slot, emotion, title, body, tags, at, n)
     order by n
    returning id`.execute(db);
  const ids = rows.map(({ id }) => id);
  await sql`
    insert into content.vent_search (vent_id, words)
    select id,
           setweight(to_tsvector('simple', content.folded(array_to_string(hashtags, ' , '))), 'A') ||
           setweight(to_tsvector('simple', content.folded(title)), 'B') ||
           setweight(to_tsvector('simple', content.folded(body)), 'D') ||
           array_to_tsvector(array[${emotionLexeme('')} || emotion]) || sounds::tsvector
      from content.vents join unnest(${ids}::bigint[], ${drafts.map(soundsOfVent)}::text[]) as heard (id, sounds) using (id)`.execute(
    db,
  );
  return ids;
}

interface InteractionTarget {
  readonly ventId: bigint;
  readonly users: number;
  authorAt(position: number): Author;
}

function randomInteractions(
  random: SeededRandom,
  vent: Draft,
  { ventId, users, authorAt }: InteractionTarget,
) {
  const reactions = new Map<string, { key: Buffer; kind: string }>();
  const wanted = Math.min(random.skewed(3), users, 400);
  for (let n = 0; n < wanted; n += 1) {
    const position = random.below(users);
    const kind = random.pick(reactionTypes);
    const [key] = authorAt(position).person.reactorKeys(ventId, [kind]) as [Buffer];
    reactions.set(`${position} ${kind}`, { key, kind });
  }
  const comments = (vent.isClosed ? [] : vent.comments).map((comment) => {
    const writer = random.below(users);
    const voice = writer === vent.position ? 'author' : random.next() < 0.7 ? 'named' : 'anonymous';
    const body = voice === 'author' ? random.pick(vent.authorComments) : comment;
    return { voice, slot: authorAt(writer).claim('comment', voice), body } as const;
  });
  return { reactions: [...reactions.values()], comments };
}

async function insertInteractions(
  db: ContentDb,
  ids: readonly bigint[],
  interactions: readonly ReturnType<typeof randomInteractions>[],
  drafts: readonly Draft[],
): Promise<void> {
  const reactions = interactions.flatMap(({ reactions: some }, n) =>
    some.map((one) => ({ ...one, ventId: ids[n] as bigint })),
  );
  const comments = interactions.flatMap(({ comments: some }, n) =>
    some.map((one, index) => ({
      ...one,
      ventId: ids[n] as bigint,
      no: index + 1,
      on: dayInIndia((drafts[n] as Draft).createdAt.getTime()),
    })),
  );
  const countKind = (kind: string) =>
    interactions.map(({ reactions: some }) => some.filter((one) => one.kind === kind).length);
  const commentCounts = interactions.map((vent) => vent.comments.length);
  await sql`
    insert into content.vent_stats (vent_id, heart, hug, listen, comments, last_no, allow_comments)
    select * from unnest(${ids}::bigint[], ${countKind('heart')}::int[], ${countKind('hug')}::int[],
                         ${countKind('listen')}::int[], ${commentCounts}::int[], ${commentCounts}::int[],
                         ${drafts.map(({ isClosed }) => !isClosed)}::boolean[])`.execute(db);
  await sql`
    insert into content.reactions (vent_id, reactor_key, kind, is_fresh)
    select *, false from unnest(${reactions.map(({ ventId }) => ventId)}::bigint[],
                         ${reactions.map(({ key }) => key)}::bytea[], ${reactions.map(({ kind }) => kind)}::text[])
    on conflict do nothing`.execute(db);
  await insertTakenSlots(
    db,
    comments.map(({ slot }) => slot),
  );
  await sql`
    insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on, is_fresh)
    select *, false
      from unnest(${comments.map(({ ventId }) => ventId)}::bigint[], ${comments.map(({ no }) => no)}::int[],
                  ${comments.map(({ voice }) => voice)}::text[], ${comments.map(({ slot }) => slot.speaker)}::bytea[],
                  ${comments.map(({ slot }) => slot.slotKey)}::bytea[], ${comments.map(({ body }) => body)}::text[],
                  ${comments.map(({ on }) => on)}::date[])`.execute(db);
}
