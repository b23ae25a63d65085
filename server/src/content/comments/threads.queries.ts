import { sql } from 'kysely';
import { limits, type Emotion } from '@unsaid/contract';
import type { Day } from '../../platform/clock.ts';
import type { ContentDb } from '../../platform/db.ts';

/** A vent whose comments are news to a reader: one of theirs, or one that they commented on. */
export interface WatchedThread {
  readonly ventId: bigint;
  /** Comments of the vent's author are the reader's own. */
  readonly isOwn: boolean;
  /** The reader's last comment on the vent of another person; nothing before it is an answer. */
  readonly afterNo: number;
  readonly seenNo: number;
}

export interface ThreadRow {
  /** The index of the thread among those given. */
  readonly position: number;
  readonly title: string;
  readonly emotion: Emotion;
  readonly hashtags: string[];
  readonly unread: number;
  readonly firstUnread: number | null;
  /** Whether the vent's author wrote one of the unread. */
  readonly hasAuthor: boolean;
  readonly newestNo: number | null;
  readonly newestDay: Day | null;
}

/**
 * The newest comment of others on each vent, and those not seen, without vents that are not visible. The innermost limit
 * bounds what is read of a vent with thousands of comments.
 */
export async function listThreads(
  db: ContentDb,
  threads: readonly WatchedThread[],
  fromDay: Day,
): Promise<ThreadRow[]> {
  if (threads.length === 0) return [];
  const each = <K extends keyof WatchedThread>(column: K) => threads.map((thread) => thread[column]);
  const { rows } = await sql<ThreadRow>`
    select thread.n::int - 1 as position, vent.title, vent.emotion, vent.hashtags, unread.count as unread, unread.first as first_unread,
           unread.has_author, newest.no as newest_no, newest.said_on as newest_day
      from unnest(${each('ventId')}::bigint[], ${each('isOwn')}::boolean[], ${each('afterNo')}::int[],
                  ${each('seenNo')}::int[]) with ordinality as thread (vent_id, is_own, after_no, seen_no, n)
     cross join lateral (select title, emotion, hashtags from content.vents
                          where id = thread.vent_id and state = 'visible' limit 1) as vent
      left join lateral (select no, said_on from content.comments
                          where vent_id = thread.vent_id and no > thread.after_no and state = 'visible'
                            and not (thread.is_own and voice = 'author')
                          order by no desc limit 1) as newest on true
     cross join lateral (
       select count(*)::int as count, min(no) as first, coalesce(bool_or(voice = 'author'), false) as has_author
         from (select no, said_on, voice from content.comments
                where vent_id = thread.vent_id and no > greatest(thread.after_no, thread.seen_no)
                  and state = 'visible' and not (thread.is_own and voice = 'author')
                order by no desc limit ${limits.inboxCount}) as newer
        where newer.said_on >= ${fromDay}::date) as unread
     order by thread.n`.execute(db);
  return rows;
}
