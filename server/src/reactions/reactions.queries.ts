import type { ReactionType } from '@unsaid/contract';
import { statement, type ContentDb } from '../platform/db.ts';

interface Reaction {
  readonly ventId: bigint;
  readonly reactorKey: Buffer;
  readonly kind: ReactionType;
}

/** True when it was not there before: one of a kind for each person and vent, by the key. */
export async function insertReaction(db: ContentDb, reaction: Reaction): Promise<boolean> {
  const row = await db
    .insertInto('content.reactions')
    .values(reaction)
    .onConflict((conflict) => conflict.doNothing())
    .returning('ventId')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteReaction(
  db: ContentDb,
  { ventId, reactorKey }: Pick<Reaction, 'ventId' | 'reactorKey'>,
): Promise<boolean> {
  const row = await db
    .deleteFrom('content.reactions')
    .where('ventId', '=', ventId)
    .where('reactorKey', '=', reactorKey)
    .returning('ventId')
    .executeTakeFirst();
  return row !== undefined;
}

/** Where people may have reacted: a vent for each key. A key differs on every vent and for every kind. */
export interface Places {
  readonly ventIds: readonly bigint[];
  /** One behind the other. */
  readonly reactorKeys: Buffer;
}

/** Which of these places are taken, by their positions from 0; of however many readers. */
export async function listTaken(db: ContentDb, { ventIds, reactorKeys }: Places): Promise<number[]> {
  if (ventIds.length === 0) return [];
  const rows = await statement<{ position: number }>`
    select place.n::int - 1 as position
      from (values (${reactorKeys}::bytea)) as given (keys)
     cross join unnest(${ventIds}::bigint[]) with ordinality as place (vent_id, n)
      join content.reactions as reaction
        on reaction.vent_id = place.vent_id
       and reaction.reactor_key = substring(given.keys from place.n::int * 16 - 15 for 16)`.rows(db);
  return rows.map(({ position }) => position);
}
