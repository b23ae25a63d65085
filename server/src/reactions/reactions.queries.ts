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

/** Where somebody may have reacted: their key differs on every vent and for every kind, so it names all three. */
export interface Place {
  readonly ventId: bigint;
  readonly reactorKey: Buffer;
}

/** Which of these places are taken, of however many readers. */
export async function listAt(db: ContentDb, places: readonly Place[]): Promise<Buffer[]> {
  if (places.length === 0) return [];
  const rows = await statement<{ reactorKey: Buffer }>`
    select reaction.reactor_key
      from unnest(${places.map(({ ventId }) => ventId)}::bigint[], ${places.map(({ reactorKey }) => reactorKey)}::bytea[])
             as place (vent_id, reactor_key)
      join content.reactions as reaction using (vent_id, reactor_key)`.rows(db);
  return rows.map(({ reactorKey }) => reactorKey);
}
