import type { ContentDb } from '../../platform/db.ts';
import { preparedSql } from '../../platform/prepared-sql.ts';

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
