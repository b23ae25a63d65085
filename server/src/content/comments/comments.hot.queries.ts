import type { ContentDb } from '../../platform/db.ts';
import { preparedSql } from '../../platform/prepared-sql.ts';
import type { ListedComment } from './comments.queries.ts';

/** The newest comments of each vent on a page, in one statement. */
export async function listNewest(
  db: ContentDb,
  ventIds: readonly bigint[],
  limit: number,
): Promise<ListedComment[]> {
  if (ventIds.length === 0) return [];
  return preparedSql<ListedComment>`
    select comment.vent_id, comment.no, comment.voice, comment.speaker, comment.body, comment.said_on,
           exists (select from content.thanks
                    where thanks.vent_id = comment.vent_id and thanks.no = comment.no) as is_thanked
      from unnest(${ventIds}::bigint[]) as vent (id)
     cross join lateral (
       select * from content.comments as c where c.vent_id = vent.id and c.state = 'visible'
        order by c.no desc limit ${limit}
     ) as comment`.rows(db);
}
