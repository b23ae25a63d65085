import { sql, type Insertable } from 'kysely';
import type { ContentTables } from '../../db/schema.ts';
import type { ContentDb } from '../../platform/db.ts';
import { statesAllowing, type VentState } from './vents.state.ts';
import { soundsOfVent } from '../search/search-terms.ts';
import { emotionLexeme } from '../search/vent-search.hot.queries.ts';

type Vents = ContentTables['content.vents'];
type VentStats = ContentTables['content.ventStats'];

/** `createdAt` is cut to the minute. */
export type NewVent = Readonly<Insertable<Vents> & { id: bigint; hashtags: string[] }>;

/** Before the row is written: its speaker is bound to the id. */
export async function drawVentId(tx: ContentDb): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`select nextval('content.vents_id_seq') as id`.execute(tx);
  return (rows[0] as { id: bigint }).id;
}

export async function insertVent(tx: ContentDb, vent: NewVent, allowComments: boolean): Promise<void> {
  const { id } = vent;
  await tx.insertInto('content.vents').values(vent).execute();
  await tx.insertInto('content.ventStats').values({ ventId: id, allowComments }).execute();
  await sql`
    insert into content.vent_search (vent_id, words)
    values (${id},
      setweight(to_tsvector('simple', content.folded(${vent.hashtags.join(' , ')})), 'A') ||
      setweight(to_tsvector('simple', content.folded(${vent.title})), 'B') ||
      setweight(to_tsvector('simple', content.folded(${vent.body})), 'D') ||
      array_to_tsvector(array[${emotionLexeme(vent.emotion)}]) || ${soundsOfVent(vent)}::tsvector)`.execute(
    tx,
  );
}

/** Soft deletion. Undefined where the vent is in no state that allows it. */
export async function markDeleted(tx: ContentDb, ventId: bigint) {
  return tx
    .updateTable('content.vents')
    .set({ state: 'author_deleted' })
    .where('id', '=', ventId)
    .where('state', 'in', statesAllowing('delete'))
    .returning((eb) => [
      'createdAt',
      'keepDays',
      'need',
      eb
        .exists(
          eb
            .selectFrom('content.ventStats')
            .select('ventId')
            .where('ventId', '=', ventId)
            .where('answers', '=', 0)
            .where('allowComments', '=', true),
        )
        .as('isUnheard'),
    ])
    .executeTakeFirst();
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
const enoughAnswers = 2;

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

export type StatColumn = keyof Pick<VentStats, 'heart' | 'hug' | 'listen' | 'comments'>;

/**
 * Counts a comment and returns its number within the vent. Undefined where the vent is closed for comments.
 * Concurrent comments on one vent wait here for each other.
 */
export async function addCommentToStats(tx: ContentDb, ventId: bigint, ownWeight: number, answers: 0 | 1) {
  return tx
    .updateTable('content.ventStats')
    .set((eb) => ({
      comments: eb('comments', '+', 1),
      lastNo: eb('lastNo', '+', 1),
      ownWeight: eb('ownWeight', '+', ownWeight),
      answers: sql<number>`least(${enoughAnswers}, answers + ${answers})`,
    }))
    .where('ventId', '=', ventId)
    .where('allowComments', '=', true)
    .returning(['comments', 'lastNo', 'answers'])
    .executeTakeFirst();
}

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
