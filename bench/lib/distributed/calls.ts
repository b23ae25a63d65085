import { randomBytes } from 'node:crypto';
import { createBenchmarkTexts, wordAt } from '../../../server/seed/benchmark-texts.ts';
import { createSeededRandom } from '../../../server/seed/seeded-random.ts';
import { findVents, listNewest } from '../../../server/src/content/feed/feed.hot.queries.ts';
import { listExisting } from '../../../server/src/content/reactions/reactions.hot.queries.ts';
import { parseSearchTerms } from '../../../server/src/content/search/search-terms.ts';
import { searchNewest } from '../../../server/src/content/search/vent-search.hot.queries.ts';
import { listTakenPositions } from '../../../server/src/content/slots/slots.queries.ts';
import { findIds } from '../../../server/src/content/vents/authored-vents.queries.ts';
import {
  addToStats,
  drawVentId,
  insertVent,
  lockStats,
  lockVisible,
} from '../../../server/src/content/vents/vents.queries.ts';
import { startOfMinute } from '../../../server/src/platform/clock.ts';
import { transaction, type ContentDb } from '../../../server/src/platform/db.ts';
import { preparedSql as sql } from '../../../server/src/platform/prepared-sql.ts';

/**
 * The statements of the product's calls, on one server and on three. Where a statement would visit the others row by row,
 * the three have one of their own.
 */

const page = { size: 6, pages: 10 };
const searchLimit = 21;
const serializationFailure = '40001';
const ownKeys = 75;
const words = [wordAt(10), wordAt(100), wordAt(1000), 'feel'].map(parseSearchTerms);
const nothingAdded = { heart: 0, hug: 0, listen: 0, comments: 0, ownWeight: 0 };
const nextText = createBenchmarkTexts(createSeededRandom(7));

export interface Side {
  /** One handle for each server that takes statements. */
  readonly handles: readonly ContentDb[];
  readonly isDistributed: boolean;
  /** Transactions begun again: postgres_fdw reads repeatably, so whoever waited for a row gets an error instead of it. */
  retries: number;
}

async function retrying<T>(side: Side, db: ContentDb, work: (tx: ContentDb) => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await transaction(db, work);
    } catch (error) {
      if ((error as { code?: string }).code !== serializationFailure) throw error;
      side.retries += 1;
    }
}

const handleOf = ({ handles }: Side, n: number) => handles[n % handles.length] as ContentDb;
const idsIn = (rows: readonly { id: bigint }[]) => rows.map(({ id }) => id);

/** What every list does with its ids: the rows, and which of the reader's reactions exist. */
async function load(db: ContentDb, { isDistributed }: Side, ids: readonly bigint[]): Promise<void> {
  const ventIds = ids.flatMap((id) => [id, id, id]);
  const reactorKeys = randomBytes(16 * ventIds.length);
  const keys = ventIds.map((_, n) => reactorKeys.subarray(16 * n, 16 * n + 16));
  const [one] = ids;
  const [{ length }] = (await Promise.all(
    !isDistributed
      ? [findVents(db, ids), listExisting(db, { ventIds, reactorKeys })]
      : // Of one id the planner knows the server; of a list it asks all of them at once.
        ids.length === 1
        ? [
            sql`select vent.*, heart, hug, listen, comments, allow_comments
                  from (select * from content.vents where id = ${one} offset 0) as vent
                 cross join (select * from content.vent_stats where vent_id = ${one} offset 0) as stats`.rows(
              db,
            ),
            sql`select reactor_key from content.reactions
                 where vent_id = ${one} and reactor_key = any(${keys}::bytea[])`.rows(db),
          ]
        : [
            findVents(db, ids),
            sql`select reactor_key from content.reactions
                 where vent_id = any(${ids}::bigint[]) and reactor_key = any(${keys}::bytea[])`.rows(db),
          ],
  )) as [unknown[], unknown];
  if (length !== ids.length) throw new Error(`found ${length} of ${ids.length} vents`);
}

async function feed(side: Side, n: number): Promise<void> {
  const db = handleOf(side, n);
  const [limit, offset, maxCount] = [page.size, (n % page.pages) * page.size, page.size * page.pages + 1];
  const ids = side.isDistributed
    ? idsIn(
        await sql<{ id: bigint }>`
          select id from content.newest order by created_at desc, id desc limit ${maxCount}`.rows(db),
      ).slice(offset, offset + limit)
    : (await listNewest(db, [{ limit, offset, maxCount }]))[0]?.ids;
  return load(db, side, ids ?? []);
}

const takenPositions = (db: ContentDb, { isDistributed }: Side) => {
  const keys = Array.from({ length: 15 }, () => randomBytes(16));
  return isDistributed
    ? sql`select taken_key from content.taken_slots where taken_key = any(${keys}::bytea[])`.rows(db)
    : listTakenPositions(db, Buffer.concat(keys));
};

/** Two thirds of the keys have a vent, as after deletions. */
async function own(
  side: Side,
  n: number,
  slots: readonly Buffer[],
  column: 'directory' | 'everywhere',
): Promise<void> {
  const db = handleOf(side, n);
  const keys = Array.from({ length: ownKeys }, (_, k) =>
    k % 3 === 2 ? randomBytes(16) : (slots[(n * 50 + k) % slots.length] as Buffer),
  );
  await takenPositions(db, side);
  const ids = !side.isDistributed
    ? await findIds(db, Buffer.concat(keys), ['visible', 'hidden'])
    : idsIn(
        column === 'directory'
          ? await sql<{ id: bigint }>`
              select vent_id as id from content.slot_directory where slot_key = any(${keys}::bytea[])`.rows(
              db,
            )
          : await sql<{ id: bigint }>`
              select id from content.vents where slot_key = any(${keys}::bytea[])
                 and state in ('visible', 'hidden')`.rows(db),
      );
  return load(db, side, ids.slice(0, 50));
}

async function search(side: Side, n: number): Promise<void> {
  const db = handleOf(side, n);
  const terms = words[Math.floor(n / 3) % words.length] ?? [];
  const found = side.isDistributed
    ? idsIn(
        await sql<{ id: bigint }>`
          select id from content.search_everywhere(${terms.map((term) => term.words)}::text[],
                   ${terms.map((term) => term.sounds)}::text[], ${searchLimit})`.rows(db),
      )
    : idsIn(await searchNewest(db, { terms, emotions: null, beforeId: null }, searchLimit));
  return load(db, side, found);
}

export function react(side: Side, n: number, ventId: bigint): Promise<unknown> {
  return retrying(side, handleOf(side, n), async (tx) => {
    if (!(await lockVisible(tx, ventId))) throw new Error('no such vent');
    await lockStats(tx, ventId);
    await sql`insert into content.reactions (vent_id, reactor_key, kind) values (${ventId}, ${randomBytes(16)}, 'hug')
              on conflict do nothing returning reactor_key`.rows(tx);
    await addToStats(tx, ventId, { ...nothingAdded, hug: 1 });
  });
}

const claim = (tx: ContentDb) =>
  sql`insert into content.taken_slots (taken_key) values (${randomBytes(16)})
      on conflict do nothing returning taken_key`.rows(tx);

function comment(side: Side, n: number, ventId: bigint): Promise<unknown> {
  return retrying(side, handleOf(side, n), async (tx) => {
    if (!(await lockVisible(tx, ventId))) throw new Error('no such vent');
    await claim(tx);
    const [counted] = await sql<{ lastNo: number }>`
      update content.vent_stats set comments = comments + 1, last_no = last_no + 1, answers = least(2, answers + 1)
       where vent_id = ${ventId} and allow_comments returning last_no`.rows(tx);
    if (!counted) return;
    await sql`
      insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on)
      values (${ventId}, ${counted.lastNo}, 'anonymous', ${randomBytes(16)}, ${randomBytes(16)},
              'I hear you, and I have been there too.', '2026-11-18')`.rows(tx);
  });
}

/** The directory first, in a transaction of its own: repeated, it does nothing. Returns the id. */
export async function vent(side: Side, n: number): Promise<bigint> {
  const db = handleOf(side, n);
  const id = await drawVentId(db);
  const slotKey = randomBytes(16);
  const { emotion, title, body, hashtags } = nextText();
  const createdAt = startOfMinute(Date.now());
  if (side.isDistributed)
    await sql`insert into content.slot_directory values (${slotKey}, ${id}) on conflict do nothing`.rows(db);
  await transaction(db, async (tx) => {
    await claim(tx);
    const row = {
      id,
      speaker: randomBytes(16),
      slotKey,
      emotion,
      title,
      body,
      hashtags: [...hashtags],
      createdAt,
    };
    await insertVent(tx, row, true, null);
    if (side.isDistributed) await sql`insert into content.newest values (${id}, ${createdAt})`.rows(tx);
  });
  return id;
}

/** One vent and one comment to three reactions, on the newest vents. */
export const write = (side: Side, n: number, ids: readonly bigint[]): Promise<unknown> => {
  const on = ids[(n * 7919) % ids.length] as bigint;
  return n % 5 === 0 ? vent(side, n) : n % 5 === 1 ? comment(side, n, on) : react(side, n, on);
};

export interface Targets {
  /** Of the newest vents. */
  readonly ids: readonly bigint[];
  readonly slots: readonly Buffer[];
}

export const reads: Record<string, (side: Side, n: number, targets: Targets) => Promise<void>> = {
  feed,
  detail: (side, n, { ids }) => load(handleOf(side, n), side, [ids[(n * 31) % ids.length] as bigint]),
  'own vents, by the directory': (side, n, { slots }) => own(side, n, slots, 'directory'),
  'own vents, asking every server': (side, n, { slots }) => own(side, n, slots, 'everywhere'),
  search,
};
