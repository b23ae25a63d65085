import { sql, type Selectable } from 'kysely';
import type { ContentTables } from '../../db/schema.ts';
import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';
import type { CommentId } from '../../kernel/public-ids.ts';
import type { Voice } from '../../kernel/speakers.ts';
import type { Claims } from '../slots/slots.queries.ts';
import { enoughAnswers, type CommentWeight } from '../vents/vents.queries.ts';
import type { VentState } from '../vents/vents.state.ts';
import { forgettingThanks } from './thanks.queries.ts';

export type CommentVoice = Exclude<Voice, 'vent'>;
export type CommentState = Exclude<VentState, 'author_deleted'>;

/** `speaker` is encrypted (kernel/speakers.ts). */
export interface CommentRow
  extends
    CommentId,
    Readonly<Pick<Selectable<ContentTables['content.comments']>, 'speaker' | 'body' | 'saidOn'>> {
  readonly voice: CommentVoice;
}

/** A comment in any state. Readers, its writer among them, see those that are visible. */
export interface OwnCommentRow extends CommentRow {
  readonly state: CommentState;
}

/** With what only the author of the vent sees. */
export interface ListedComment extends CommentRow {
  readonly isThanked: boolean;
}

/** Part of every list, whoever asks: a lookup for authors alone would be one more statement for them. */
const isThanked = sql<boolean>`exists (select from content.thanks
  where thanks.vent_id = comments.vent_id and thanks.no = comments.no) as is_thanked`;

/** Newest first. `beforeNo` is a cursor. */
export async function listComments(
  db: ContentDb,
  ventId: bigint,
  beforeNo: number | null,
  limit: number,
): Promise<ListedComment[]> {
  const { rows } = await sql<ListedComment>`
    select vent_id, no, voice, speaker, body, said_on, ${isThanked} from content.comments
     where vent_id = ${ventId} and no < coalesce(${beforeNo}::int, 2147483647) and state = 'visible'
     order by no desc limit ${limit}`.execute(db);
  return rows;
}

/** Oldest first, beginning with this number. */
export async function listCommentsFrom(
  db: ContentDb,
  { ventId, no }: CommentId,
  limit: number,
): Promise<ListedComment[]> {
  const { rows } = await sql<ListedComment>`
    select vent_id, no, voice, speaker, body, said_on, ${isThanked} from content.comments
     where vent_id = ${ventId} and no >= ${no}::int and state = 'visible' order by no limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** In every state, by slot keys, which only their writer can compute. In the order of the keys. */
export async function listBySlots(db: ContentDb, slotKeys: readonly Buffer[]): Promise<OwnCommentRow[]> {
  const { rows } = await sql<OwnCommentRow>`
    select comment.vent_id, comment.no, comment.voice, comment.speaker, comment.body, comment.said_on, comment.state
      from unnest(${slotKeys}::bytea[]) with ordinality as slot (key, position)
      join content.comments as comment on comment.slot_key = slot.key
     order by slot.position`.execute(db);
  return rows;
}

export interface CommentPlace extends CommentId {
  /** The index of its slot key among those given. */
  readonly position: number;
  readonly voice: CommentVoice;
  /** The day from which its writer may know that it helped. Null before it, and where nobody said so. */
  readonly thankedOn: Day | null;
}

/** Where the visible comments in these slots are, in the order of the keys, which are concatenated. */
export async function listPlaces(db: ContentDb, slotKeys: Buffer, today: Day): Promise<CommentPlace[]> {
  const { rows } = await sql<CommentPlace>`
    select slot.position::int - 1 as position, comment.vent_id, comment.no, comment.voice,
           (select shown_from from content.thanks
             where thanks.vent_id = comment.vent_id and thanks.no = comment.no
               and shown_from <= ${today}::date) as thanked_on
      from (values (${slotKeys}::bytea)) as given (keys)
     cross join generate_series(0, octet_length(given.keys) / 16 - 1) with ordinality as slot (n, position)
     cross join lateral (select vent_id, no, voice from content.comments
                          where slot_key = substring(given.keys from slot.n * 16 + 1 for 16) and state = 'visible'
                          limit 1) as comment
     order by slot.position`.execute(db);
  return rows;
}

export async function listSlotsInUse(db: ContentDb, slotKeys: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ slotKey: Buffer }>`
    select slot_key from content.comments where slot_key = any(${slotKeys}::bytea[])`.execute(db);
  return rows.map(({ slotKey }) => slotKey);
}

export async function findComment(db: ContentDb, { ventId, no }: CommentId): Promise<CommentRow | undefined> {
  const { rows } = await sql<CommentRow>`
    select vent_id, no, voice, speaker, body, said_on from content.comments
     where vent_id = ${ventId} and no = ${no} and state = 'visible'`.execute(db);
  return rows[0];
}

type CommentedVent = Selectable<ContentTables['content.vents']> &
  Selectable<ContentTables['content.ventStats']>;

/** What a comment needs to know of its vent, for the statement that begins it. No row where it is not visible. */
export const ventOfComment = (ventId: bigint) => sql<
  Pick<CommentedVent, 'speaker' | 'createdAt' | 'need' | 'keepDays' | 'allowComments' | 'lastNo'> & {
    shutOuts: Buffer[];
  }
>`select vent.speaker, vent.created_at, vent.need, vent.keep_days, stats.allow_comments, stats.last_no,
         array(select voice_key from content.shut_outs where vent_id = vent.id) as shut_outs
    from content.vents as vent join content.vent_stats as stats on stats.vent_id = vent.id
   where vent.id = ${ventId} and vent.state = 'visible'`;

interface NewComment extends Omit<CommentRow, 'no' | 'speaker'>, CommentWeight, Claims {
  /** As `speakers` and `result` have one block for each number from here on. */
  readonly firstNo: number;
  readonly speakers: Buffer;
  readonly slotKey: Buffer;
  /** Those that this voice is not among. */
  readonly knownShutOuts: readonly Buffer[];
}

/** Returns its number within the vent. Null where anything is not as the caller has read it, and nothing is written. */
export async function insertComment(db: ContentDb, comment: NewComment): Promise<number | null> {
  const { ventId, firstNo, knownShutOuts, voice, speakers, slotKey, body, saidOn } = comment;
  const { ownWeight, isAnswer, takenKey, key, sentOn, result } = comment;
  const { rows } = await sql<{ no: number | null }>`
    select content.add_comment(${ventId}, ${firstNo}, ${knownShutOuts}, ${voice}, ${speakers}, ${slotKey}, ${body},
                               ${saidOn}, ${ownWeight}, ${enoughAnswers}, ${isAnswer}, ${takenKey}, ${key}, ${sentOn},
                               ${result}) as no`.execute(db);
  return rows[0]?.no ?? null;
}

const selectSpeakers = (db: ContentDb, { ventId, no }: CommentId) =>
  db
    .selectFrom('content.vents as vent')
    .innerJoin('content.comments as comment', 'comment.ventId', 'vent.id')
    .select(['vent.speaker as ventSpeaker', 'comment.speaker', 'comment.voice', 'comment.state'])
    .where('vent.id', '=', ventId)
    .where('vent.state', 'in', ['visible', 'hidden'])
    .where('comment.no', '=', no);

/** The speakers of the vent and the comment. */
export const findSpeakers = (db: ContentDb, id: CommentId) => selectSpeakers(db, id).executeTakeFirst();

/** The same. Locks the vent, as every writer of its comments and counters does. */
export const lockVentAndFindSpeakers = (tx: ContentDb, id: CommentId) =>
  selectSpeakers(tx, id).forKeyShare('vent').executeTakeFirst();

export async function lockVent(tx: ContentDb, ventId: bigint): Promise<void> {
  await tx.selectFrom('content.vents').select('id').where('id', '=', ventId).forKeyShare().execute();
}

/** Returns what was deleted. Undefined where there is none. Its thanks go with it. */
export async function deleteComment(tx: ContentDb, { ventId, no }: CommentId) {
  const row = await forgettingThanks(tx, { ventId, no })
    .deleteFrom('content.comments')
    .where('ventId', '=', ventId)
    .where('no', '=', no)
    .returning(['voice', 'state'])
    .executeTakeFirst();
  return row as { readonly voice: CommentVoice; readonly state: CommentState } | undefined;
}

export async function insertShutOut(tx: ContentDb, ventId: bigint, voiceKey: Buffer): Promise<void> {
  await tx.insertInto('content.shutOuts').values({ ventId, voiceKey }).execute();
}
