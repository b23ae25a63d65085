import type { ReactionType } from '@unsaid/contract';
import { statement, type ContentDb } from '../platform/db.ts';

interface Reaction {
  readonly ventId: bigint;
  readonly reactorKey: Buffer;
  readonly kind: ReactionType;
}

/** True when it was not there before: one of a kind for each person and vent, by the primary key. */
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
  { ventId, reactorKey, kind }: Reaction,
): Promise<boolean> {
  const row = await db
    .deleteFrom('content.reactions')
    .where('ventId', '=', ventId)
    .where('reactorKey', '=', reactorKey)
    .where('kind', '=', kind)
    .returning('ventId')
    .executeTakeFirst();
  return row !== undefined;
}

/** One place where somebody may have reacted: their key differs on every vent, so it names vent and person. */
export interface Place {
  readonly ventId: bigint;
  readonly reactorKey: Buffer;
}

/** What stands at each of these places, of however many readers. */
export async function listAt(db: ContentDb, places: readonly Place[]) {
  if (places.length === 0) return [];
  return statement<{ ventId: bigint; reactorKey: Buffer; kind: string }>`
    select reaction.vent_id, reaction.reactor_key, reaction.kind
      from unnest(${places.map(({ ventId }) => ventId)}::bigint[], ${places.map(({ reactorKey }) => reactorKey)}::bytea[])
             as place (vent_id, reactor_key)
      join content.reactions as reaction using (vent_id, reactor_key)`.rows(db);
}
