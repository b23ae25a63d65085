import { sql } from 'kysely';
import { statement, type ContentDb } from '../platform/db.ts';

const columns = ['id', 'ventId', 'userId', 'writerKey', 'isAuthor', 'body', 'createdAt'] as const;

export type CommentRow = Awaited<ReturnType<typeof listOf>>[number];

/** Newest first, before a given one where it is named. */
export async function listOf(db: ContentDb, ventId: bigint, beforeId: bigint | null, limit: number) {
  let query = db.selectFrom('content.comments').select(columns).where('ventId', '=', ventId);
  if (beforeId !== null) query = query.where('id', '<', beforeId);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** The newest few of each vent on a page, in one statement. */
export async function listNewestOf(
  db: ContentDb,
  ventIds: readonly bigint[],
  limit: number,
): Promise<CommentRow[]> {
  if (ventIds.length === 0) return [];
  return statement<CommentRow>`
    select comment.id, comment.vent_id, comment.user_id, comment.writer_key, comment.is_author, comment.body,
           comment.created_at
      from unnest(${ventIds}::bigint[]) as vent (id)
     cross join lateral (
       select * from content.comments as c where c.vent_id = vent.id order by c.id desc limit ${limit}
     ) as comment`.rows(db);
}

export async function listByIds(db: ContentDb, ids: readonly bigint[]) {
  return db
    .selectFrom('content.comments')
    .select(['body', 'createdAt'])
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .orderBy('id')
    .execute();
}

export async function findComment(db: ContentDb, id: bigint) {
  return db.selectFrom('content.comments').select(columns).where('id', '=', id).executeTakeFirst();
}

interface NewComment {
  readonly ventId: bigint;
  readonly userId: bigint | null;
  readonly writerKey: Buffer | null;
  /** For those spoken as Anonymous on somebody else's vent. */
  readonly slotKey: Buffer | null;
  readonly isAuthor: boolean;
  readonly body: string;
  readonly createdAt: Date;
}

/** Only where the vent is visible and its author takes comments at this very moment. */
export async function insertComment(db: ContentDb, comment: NewComment): Promise<CommentRow | undefined> {
  const { ventId, userId, writerKey, slotKey, isAuthor, body, createdAt } = comment;
  const { rows } = await sql<CommentRow>`
    insert into content.comments (vent_id, user_id, writer_key, slot_key, is_author, body, created_at)
    select vent.id, ${userId}::bigint, ${writerKey}::bytea, ${slotKey}::bytea, ${isAuthor}::boolean, ${body},
           ${createdAt}::timestamptz
      from content.vents as vent
      left join content.pens as pen on pen.author_key = vent.author_key
     where vent.id = ${ventId} and vent.state = 'visible' and coalesce(pen.allow_comments, true)
    returning id, vent_id, user_id, writer_key, is_author, body, created_at`.execute(db);
  return rows[0];
}

interface Deletion {
  readonly ventId: bigint;
  readonly commentId: bigint;
  readonly userId: bigint;
  readonly authorKey: Buffer;
  readonly commentKey: Buffer;
}

/** The vent's owner any, the writer their own: who may is part of the statement. The vent is held first. */
export async function deleteComment(db: ContentDb, deletion: Deletion) {
  const { rows } = await sql<{ isAuthor: boolean; authorKey: Buffer }>`
    with vent as (
      select id, author_key from content.vents
       where id = ${deletion.ventId} and state in ('visible', 'hidden') for key share
    )
    delete from content.comments as comment
     using vent
     where comment.id = ${deletion.commentId} and comment.vent_id = vent.id
       and (vent.author_key = ${deletion.authorKey} or comment.user_id = ${deletion.userId}
            or comment.writer_key = ${deletion.commentKey})
    returning comment.is_author, vent.author_key`.execute(db);
  return rows[0];
}

/** For someone who leaves: no reader is told, the counter follows. */
export async function removeComment(db: ContentDb, id: bigint) {
  const { rows } = await sql<{ ventId: bigint; isAuthor: boolean; authorKey: Buffer }>`
    with vent as (
      select id, author_key from content.vents
       where id = (select vent_id from content.comments where id = ${id}) for key share
    )
    delete from content.comments as comment using vent
     where comment.id = ${id} and comment.vent_id = vent.id
    returning comment.vent_id, comment.is_author, vent.author_key`.execute(db);
  return rows[0];
}
