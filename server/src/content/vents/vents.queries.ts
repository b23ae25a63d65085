import { sql, type Insertable } from 'kysely';
import type { ContentTables } from '../../db/schema.ts';
import type { ContentDb } from '../../platform/db.ts';
import { statesAllowing, type VentState } from './vents.state.ts';
import { soundsOfVent } from '../search/search-terms.ts';
import { claiming, type Claims } from '../slots/slots.queries.ts';
import { emotionLexeme } from '../search/vent-search.hot.queries.ts';

type Vents = ContentTables['content.vents'];
type VentStats = ContentTables['content.ventStats'];

/** `createdAt` is cut to the minute. */
export type NewVent = Readonly<Insertable<Vents> & { id: bigint; hashtags: string[] }>;

/** Before the row is written: its speaker is bound to the id. */
export const nextVentId = sql<{ id: bigint }>`select nextval('content.vents_id_seq') as id`;

export async function drawVentId(tx: ContentDb): Promise<bigint> {
  const { rows } = await nextVentId.execute(tx);
  return (rows[0] as { id: bigint }).id;
}

/** `content.in_segment` puts up to five letters before a word, and PostgreSQL refuses one of more than 2,046 bytes. */
const longestWordBytes = 2000;

/** In one statement, with what it claims: null for a held vent, which has claimed it. False where that was taken. */
export async function insertVent(
  db: ContentDb,
  vent: NewVent,
  allowComments: boolean,
  claims: Claims | null,
): Promise<boolean> {
  const columns = Object.keys(vent) as (keyof NewVent)[];
  const { rows } = await sql`
    ${claims ? claiming(claims) : sql`with claimed as (select)`}, vent as (
      insert into content.vents (${sql.join(columns.map((column) => sql.ref(column)))})
      select ${sql.join(columns.map((column) => sql.val(vent[column])))} from claimed returning id
    ), stats as (
      insert into content.vent_stats (vent_id, allow_comments) select id, ${allowComments} from vent
    )
    insert into content.vent_search (vent_id, words)
    select id, ts_delete(words, array(select word from unnest(tsvector_to_array(words)) as word
                                          where octet_length(word) > ${longestWordBytes}))
      from (select
        setweight(to_tsvector('simple', content.folded(${vent.hashtags.join(' , ')})), 'A') ||
        setweight(to_tsvector('simple', content.folded(${vent.title})), 'B') ||
        setweight(to_tsvector('simple', content.folded(${vent.body})), 'D') ||
        array_to_tsvector(array[${emotionLexeme(vent.emotion)}]) || ${soundsOfVent(vent)}::tsvector as words
      ) as said, vent
    returning vent_id`.execute(db);
  return rows.length > 0;
}

/** Soft deletion. False where the vent is in no state that allows it. */
export async function markDeleted(tx: ContentDb, ventId: bigint): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('content.vents')
    .set({ state: 'author_deleted' })
    .where('id', '=', ventId)
    .where('state', 'in', statesAllowing('delete'))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** In any state: the caller decides by it what the author may do. */
export async function findSpeaker(
  db: ContentDb,
  ventId: bigint,
): Promise<{ speaker: Buffer; state: VentState } | undefined> {
  const row = await db
    .selectFrom('content.vents')
    .select(['speaker', 'state'])
    .where('id', '=', ventId)
    .executeTakeFirst();
  return row && { speaker: row.speaker, state: row.state as VentState };
}

/**
 * The switch is on the row of counters, which is updated in place. An update of `vents` would move the row to the end
 * of its table, where vents of one author would lie side by side.
 */
export async function updateAllowComments(
  tx: ContentDb,
  ventIds: readonly bigint[],
  allowComments: boolean,
): Promise<void> {
  await sql`select id from content.vents where id = any(${ventIds}::bigint[]) order by id for key share`.execute(
    tx,
  );
  await tx
    .updateTable('content.ventStats')
    .set({ allowComments, isSwitched: true })
    .where('ventId', '=', sql<bigint>`any(${ventIds}::bigint[])`)
    .where('allowComments', '<>', allowComments)
    .execute();
}

const selectVisible = (db: ContentDb, ventId: bigint) =>
  db
    .selectFrom('content.vents')
    .select(['speaker', 'createdAt', 'need', 'keepDays'])
    .where('id', '=', ventId)
    .where('state', '=', 'visible');

export async function findVisible(db: ContentDb, ventId: bigint) {
  return selectVisible(db, ventId).executeTakeFirst();
}

/** `FOR KEY SHARE`: the row stays until the transaction ends, and its deletion waits for that. */
export async function lockVisible(tx: ContentDb, ventId: bigint) {
  return selectVisible(tx, ventId).forKeyShare().executeTakeFirst();
}

/** Changes to the reactions of one vent wait here for each other, so that each sees the rows of the one before. */
export async function lockStats(tx: ContentDb, ventId: bigint): Promise<void> {
  await tx
    .selectFrom('content.ventStats')
    .select('ventId')
    .where('ventId', '=', ventId)
    .forNoKeyUpdate()
    .execute();
}

/** A vent with so many answers waits no longer, and further ones are not counted. */
export const enoughAnswers = 2;

/**
 * Counts the answers again after one was deleted, hidden or restored. A statement of its own, after the counters are
 * locked: it sees every comment that was committed before the lock.
 */
export async function recountAnswers(tx: ContentDb, ventId: bigint): Promise<void> {
  await sql`
    update content.vent_stats
       set answers = (select count(*) from (select from content.comments
                                             where vent_id = ${ventId} and state = 'visible' and voice <> 'author'
                                             limit ${enoughAnswers}) as answer)
     where vent_id = ${ventId}`.execute(tx);
}

/** A vent that wants a hug is heard by the first reaction of another person, and waits again without it. */
export async function updateHugged(tx: ContentDb, ventId: bigint, isHugged: boolean): Promise<void> {
  const answers = isHugged ? enoughAnswers : 0;
  await tx
    .updateTable('content.ventStats')
    .set({ answers })
    .where('ventId', '=', ventId)
    .where('answers', '<>', answers)
    .execute();
}

/** What a comment counts. */
export interface CommentWeight {
  readonly ownWeight: number;
  readonly isAnswer: boolean;
}

export type StatColumn = keyof Pick<VentStats, 'heart' | 'hug' | 'listen' | 'comments'>;

/** Runs in the transaction of what it counts, so that counters are exact. */
export async function addToStats(
  tx: ContentDb,
  ventId: bigint,
  added: Readonly<Record<StatColumn | 'ownWeight', number>>,
) {
  return tx
    .updateTable('content.ventStats')
    .set((eb) => ({
      heart: eb('heart', '+', added.heart),
      hug: eb('hug', '+', added.hug),
      listen: eb('listen', '+', added.listen),
      comments: eb('comments', '+', added.comments),
      ownWeight: eb('ownWeight', '+', added.ownWeight),
    }))
    .where('ventId', '=', ventId)
    .returning(['heart', 'hug', 'listen', 'comments'])
    .executeTakeFirst();
}

export async function findReactionCounts(db: ContentDb, ventId: bigint) {
  return db
    .selectFrom('content.ventStats')
    .select(['heart', 'hug', 'listen'])
    .where('ventId', '=', ventId)
    .executeTakeFirst();
}
