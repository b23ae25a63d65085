import type { ReactionType } from '@unsaid/contract';
import { sql } from 'kysely';
import type { ContentDb } from '../../platform/db.ts';

/** What to do with one person's reaction of one kind: `set` and `clear` are idempotent. */
export type ReactionChange = 'set' | 'clear' | 'toggle';

/** A reactor key differs on every vent and for every kind, so no two rows of one person have a value in common. */
export interface ChangedReaction {
  readonly reactorKey: Buffer;
  readonly kind: ReactionType;
  readonly change: ReactionChange;
}

export interface WrittenReaction extends Pick<ChangedReaction, 'reactorKey' | 'kind'> {
  readonly delta: 1 | -1;
}

/** Makes the changes, each key once, and returns the rows that were written. The vent must be locked. */
export async function changeReactions(
  tx: ContentDb,
  ventId: bigint,
  changes: readonly ChangedReaction[],
): Promise<WrittenReaction[]> {
  const { rows } = await sql<WrittenReaction>`
    with asked as materialized (
      select * from unnest(${changes.map(({ reactorKey }) => reactorKey)}::bytea[],
                           ${changes.map(({ kind }) => kind)}::text[],
                           ${changes.map(({ change }) => change)}::text[]) as asked (key, kind, change)
    ), cleared as (
      delete from content.reactions as reaction using asked
       where reaction.vent_id = ${ventId} and reaction.reactor_key = asked.key and asked.change <> 'set'
      returning reaction.reactor_key, reaction.kind
    ), made as (
      insert into content.reactions (vent_id, reactor_key, kind)
      select ${ventId}, key, kind from asked
       where change <> 'clear' and not exists (select from cleared where cleared.reactor_key = asked.key)
       order by key
      on conflict do nothing -- where it is set already
      returning reactor_key, kind
    )
    select reactor_key, kind, -1 as delta from cleared union all select reactor_key, kind, 1 from made`.execute(
    tx,
  );
  return rows;
}
