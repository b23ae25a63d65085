import { reactionTypes, type Emotion } from '@unsaid/contract';
import { sql } from 'kysely';
import type { ContentDb } from '../src/platform/db.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { dayInIndia, startOfMinute } from '../src/platform/clock.ts';
import { languageOf } from '@unsaid/guard/language';
import type { ItemKind, Person, Persons } from '../src/kernel/person-keys.ts';
import { ventPlace, type SpeakerPlace, type Speakers } from '../src/kernel/speakers.ts';
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
  claim(place: SpeakerPlace): Slot;
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
      claim(place) {
        const kind: ItemKind = place.voice === 'vent' ? 'vent' : 'comment';
        const number = ++taken[kind][position]!;
        const [slotKey] = person.slotKeys(kind, [number]) as [Buffer];
        const [takenKey] = person.takenKeys(kind, [number]) as [Buffer];
        return { slotKey, takenKey, speaker: speakers.encrypt(place, person.speakerId, number) };
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
    const ids = await drawIds(db, count);
    const drafts = ids.map((id, offset) => {
      const position = randomAuthor();
      const author = authorAt(position);
      const at = now - spanMs * (1 - ((done + offset + 1) / vents) ** growthPower);
      return {
        id,
        position,
        isClosed: author.isClosed,
        slot: author.claim(ventPlace(id)),
        ...nextVent(),
        createdAt: startOfMinute(at),
      };
    });
    await insertVents(db, drafts);
    const interactions = drafts.map((draft) => randomInteractions(random, draft, { users, authorAt }));
    await insertInteractions(db, ids, interactions, drafts);
    yield done + count;
  }
}

type Draft = SeedVent & {
  id: bigint;
  position: number;
  isClosed: boolean;
  slot: Slot;
  createdAt: Date;
};

async function insertTakenSlots(db: ContentDb, slots: readonly Slot[]): Promise<void> {
  const keys = slots.map(({ takenKey }) => takenKey);
  await sql`insert into content.taken_slots select * from unnest(${keys}::bytea[])`.execute(db);
}

/** Rising: speakers are bound to them. */
async function drawIds(db: ContentDb, count: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select nextval('content.vents_id_seq') as id from generate_series(1, ${count}) order by 1`.execute(db);
  return rows.map(({ id }) => id);
}

async function insertVents(db: ContentDb, drafts: readonly Draft[]): Promise<void> {
  await insertTakenSlots(
    db,
    drafts.map(({ slot }) => slot),
  );
  const ids = drafts.map(({ id }) => id);
  await sql`
    insert into content.vents (id, speaker, slot_key, emotion, title, body, hashtags, created_at, language)
    select id, speaker, slot, emotion, title, body, case when tags = '' then '{}' else string_to_array(tags, ',') end, at, language
      from unnest(${ids}::bigint[], ${drafts.map(({ slot }) => slot.speaker)}::bytea[], ${drafts.map(({ slot }) => slot.slotKey)}::bytea[],
                  ${drafts.map(({ emotion }) => emotion)}::text[],
                  ${drafts.map(({ title }) => title)}::text[], ${drafts.map(({ body }) => body)}::text[],
                  ${drafts.map(({ hashtags }) => hashtags.join(','))}::text[],
                  ${drafts.map(({ createdAt }) => createdAt)}::timestamptz[],
                  ${drafts.map(({ title, body }) => languageOf(`${title}\n${body}`))}::text[])
             with ordinality as d (id, speaker, slot, emotion, title, body, tags, at, language, n)
     order by n`.execute(db);
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
}

interface InteractionTarget {
  readonly users: number;
  authorAt(position: number): Author;
}

function randomInteractions(random: SeededRandom, vent: Draft, { users, authorAt }: InteractionTarget) {
  const ventId = vent.id;
  const reactions = new Map<string, { key: Buffer; kind: string }>();
  const wanted = Math.min(random.skewed(3), users, 400);
  for (let n = 0; n < wanted; n += 1) {
    const position = random.below(users);
    const kind = random.pick(reactionTypes);
    const [key] = authorAt(position).person.reactorKeys(ventId, [kind]) as [Buffer];
    reactions.set(`${position} ${kind}`, { key, kind });
  }
  const comments = (vent.isClosed ? [] : vent.comments).map((comment, index) => {
    const writer = random.below(users);
    const voice = writer === vent.position ? 'author' : random.next() < 0.7 ? 'named' : 'anonymous';
    const body = voice === 'author' ? random.pick(vent.authorComments) : comment;
    const place = { ventId, no: index + 1, voice } as const;
    return { ...place, slot: authorAt(writer).claim(place), body };
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
    some.map((one) => ({
      ...one,
      on: dayInIndia((drafts[n] as Draft).createdAt.getTime()),
    })),
  );
  const countKind = (kind: string) =>
    interactions.map(({ reactions: some }) => some.filter((one) => one.kind === kind).length);
  const commentCounts = interactions.map((vent) => vent.comments.length);
  const answers = interactions.map((vent) =>
    Math.min(2, vent.comments.filter(({ voice }) => voice !== 'author').length),
  );
  await sql`
    insert into content.vent_stats (vent_id, heart, hug, listen, comments, last_no, allow_comments, answers)
    select * from unnest(${ids}::bigint[], ${countKind('heart')}::int[], ${countKind('hug')}::int[],
                         ${countKind('listen')}::int[], ${commentCounts}::int[], ${commentCounts}::int[],
                         ${drafts.map(({ isClosed }) => !isClosed)}::boolean[], ${answers}::smallint[])`.execute(
    db,
  );
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
