import type { ReactionType } from '@unsaid/contract';
import type { ContentDb } from '../platform/db.ts';
import { preparedSql } from '../platform/prepared-sql.ts';

/** A reactor key differs on every vent and for every kind, so no two rows of one person have a value in common. */
interface ReactionKey {
  readonly ventId: bigint;
  readonly reactorKey: Buffer;
}

interface Reaction extends ReactionKey {
  readonly kind: ReactionType;
}

/** False when it exists. The key allows one of each kind for each person and vent. */
export async function insertReaction(db: ContentDb, reaction: Reaction): Promise<boolean> {
  const row = await db
    .insertInto('content.reactions')
    .values(reaction)
    .onConflict((conflict) => conflict.doNothing())
    .returning('ventId')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteReaction(db: ContentDb, { ventId, reactorKey }: ReactionKey): Promise<boolean> {
  const row = await db
    .deleteFrom('content.reactions')
    .where('ventId', '=', ventId)
    .where('reactorKey', '=', reactorKey)
    .returning('ventId')
    .executeTakeFirst();
  return row !== undefined;
}

/** Reaction keys to look up, as two columns. */
export interface ReactionKeys {
  readonly ventIds: readonly bigint[];
  /** One key for each vent id, concatenated. */
  readonly reactorKeys: Buffer;
}

/** The positions, from 0, of the keys that exist. The keys may belong to several readers. */
export async function listExisting(db: ContentDb, { ventIds, reactorKeys }: ReactionKeys): Promise<number[]> {
  if (ventIds.length === 0) return [];
  const rows = await preparedSql<{ position: number }>`
    select place.n::int - 1 as position
      from (values (${reactorKeys}::bytea)) as given (keys)
     cross join unnest(${ventIds}::bigint[]) with ordinality as place (vent_id, n)
      join content.reactions as reaction
        on reaction.vent_id = place.vent_id
       and reaction.reactor_key = substring(given.keys from place.n::int * 16 - 15 for 16)`.rows(db);
  return rows.map(({ position }) => position);
}
