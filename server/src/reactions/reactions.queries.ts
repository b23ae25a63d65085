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

/** A reader's own, on a page of vents: a key for each vent, all in one statement. */
export async function listMine(db: ContentDb, keys: readonly { ventId: bigint; reactorKey: Buffer }[]) {
  if (keys.length === 0) return [];
  return statement<{ ventId: bigint; kind: string }>`
    select reaction.vent_id, reaction.kind
      from unnest(${keys.map(({ ventId }) => ventId)}::bigint[], ${keys.map(({ reactorKey }) => reactorKey)}::bytea[])
             as mine (vent_id, reactor_key)
      join content.reactions as reaction using (vent_id, reactor_key)`.rows(db);
}
