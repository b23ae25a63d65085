import { limits } from '@unsaid/contract';
import type { OwnCommentPlace, WatchedThread } from '../../content/index.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { YesOfOther } from '../../matching/match-history.ts';
import { addDays, dayInIndia } from '../../platform/clock.ts';
import type { PersonContext } from '../context.ts';
import { accountMark, holdsThanks, keepNewest, type Seen, type Totals } from './inbox-cursor.ts';
import type { News, ThanksNews, ThreadNews, VentNews } from './inbox.view.ts';

/** What concerns a reader, each with what they had seen of it. */

export type Reader = Pick<Viewer, 'userId' | 'person'>;

/** As long as a mutual match. */
const noticesListedDays = 30;

const nothing: Totals = { heart: 0, hug: 0, listen: 0, no: 0 };

/** The highest number of a comment. */
const allSeen = 2 ** 31 - 1;

interface OwnThread extends WatchedThread {
  /** Of the reader's newest comment there, among their own. */
  readonly number: number;
}

/** `News`, with what a cursor covers of it. */
export type ReadNews = Awaited<ReturnType<typeof readNews>>;

export async function readNews(ctx: PersonContext, reader: Reader, seen: Seen) {
  const [content, yeses, notices, account] = await Promise.all([
    readContent(ctx, reader, seen),
    ctx.matching.listYeses(reader.userId),
    listNotices(ctx, reader, seen),
    listAccountNews(ctx, reader, seen),
  ]);
  const matches = yeses.map((yes) => ({ ...yes, isUnread: isUnread(yes, seen) }));
  return { ...content, matches, notices, account } satisfies News;
}

export async function readContent({ content }: PersonContext, { person }: Reader, seen: Seen) {
  const { authored, authoredComments } = content;
  const [watched, places] = await Promise.all([
    authored.listWatched(person, seen.newestVent),
    authoredComments.listNewestPlaces(person, seen.newestComment),
  ]);
  const news = await listThreadNews(content, watched, threadsOf(places, seen), seen);
  return {
    ...news,
    thanks: thanksOf(places, news.threads, seen),
    newestComment: places[0]?.number ?? 0,
  };
}

export async function readOwnVents({ content }: PersonContext, { person }: Reader, seen: Seen) {
  const watched = await content.authored.listWatched(person, seen.newestVent);
  return (await listThreadNews(content, watched, [], seen)).vents;
}

/** Vents that are no longer visible are left out. */
async function listThreadNews(
  { authoredComments }: PersonContext['content'],
  watched: Awaited<ReturnType<PersonContext['content']['authored']['listWatched']>>,
  threads: readonly OwnThread[],
  seen: Seen,
) {
  const own = watched.map(({ number, vent }): WatchedThread => {
    const { no } = seenOf(number, { ...nothing, no: vent.lastNo }, seen);
    return { ventId: vent.id, isOwn: true, afterNo: 0, seenNo: no };
  });
  const rows = await authoredComments.listThreads([...own, ...threads], seen.fromDay);
  const rowAt = new Map(rows.map((row) => [row.position, row]));
  const withRow = <T>(item: T, position: number) => {
    const row = rowAt.get(position);
    return row ? [{ ...item, row }] : [];
  };
  const vents = watched.map(({ number, vent }) => {
    const now = { heart: vent.heart, hug: vent.hug, listen: vent.listen, no: vent.lastNo };
    return { number, ventId: vent.id, now, seen: seenOf(number, now, seen) };
  });
  return {
    vents: vents.flatMap((vent, n) => withRow(vent, n)),
    threads: threads.flatMap((thread, n) => withRow(thread, own.length + n)),
  };
}

/** What was seen of an own vent that has these totals now. */
function seenOf(number: number, now: Totals, seen: Seen): Totals {
  // In no cursor, but not newer either: it is among the newest again because others were deleted. What was seen of
  // it is unknown.
  const withoutEntry = seen.isStart ? { ...now, no: 0 } : number > seen.newestVent ? nothing : now;
  return seen.vents.get(number) ?? withoutEntry;
}

/** Vents of others with one of the reader's newest comments. */
function threadsOf(places: readonly OwnCommentPlace[], seen: Seen): OwnThread[] {
  const ofOthers = Map.groupBy(
    places.filter(({ voice }) => voice !== 'author'),
    ({ ventId }) => ventId,
  );
  return [...ofOthers].map(([ventId, mine]) => {
    const number = Math.max(...mine.map((place) => place.number));
    const withoutEntry = number > seen.newestComment ? 0 : allSeen;
    return {
      ventId,
      number,
      isOwn: false,
      afterNo: Math.max(...mine.map(({ no }) => no)),
      seenNo: seen.threads.get(ventId) ?? withoutEntry,
    };
  });
}

/** On vents that are visible: they have a thread. */
function thanksOf(
  places: readonly OwnCommentPlace[],
  threads: readonly ThreadNews[],
  seen: Seen,
): ThanksNews[] {
  const rowOf = new Map(threads.map(({ ventId, row }) => [ventId, row]));
  return places.flatMap(({ ventId, no, number, thankedOn }) => {
    const row = rowOf.get(ventId);
    if (!row || thankedOn === null) return [];
    const wasSeen = seen.thanks.has(number) || !holdsThanks(seen, number);
    return [{ ventId, no, number, row, isUnread: !wasSeen && thankedOn >= seen.fromDay }];
  });
}

export const isUnread = ({ pairId, day }: Pick<YesOfOther, 'pairId' | 'day'>, seen: Seen) =>
  !seen.matches.has(pairId) && (day === null || day >= seen.fromDay);

async function listNotices({ clock, moderation }: PersonContext, { person }: Reader, seen: Seen) {
  const since = addDays(dayInIndia(clock.now()), -noticesListedDays);
  return (await moderation.notices.listHeads(person))
    .filter(({ day }) => day >= since)
    .map((head) => ({ ...head, isUnread: !seen.notices.has(head.id) && head.day >= seen.fromDay }));
}

async function listAccountNews({ identity }: PersonContext, { userId }: Reader, seen: Seen) {
  return (await identity.recovery.listEvents(userId)).map((one) => ({
    ...one,
    isUnread: !seen.account.has(accountMark(one.event, one.day)) && one.day >= seen.fromDay,
  }));
}

/** Covers what is there now. Marks none of it as seen. */
export function coverVents(vents: readonly VentNews[], seen: Seen): Seen {
  return {
    ...seen,
    isStart: false,
    newestVent: Math.max(seen.newestVent, vents[0]?.number ?? 0),
    vents: keepNewest(
      new Map(vents.map((vent) => [vent.number, vent.seen])),
      seen.vents,
      limits.ventsWatched,
    ),
  };
}

export function coverNews(news: ReadNews, seen: Seen): Seen {
  const seenIn = ({ seenNo, afterNo, row }: ReadNews['threads'][number]) =>
    Math.max(afterNo, seenNo === allSeen ? (row.newestNo ?? 0) : seenNo);
  const kept = <T>(now: readonly T[], before: ReadonlySet<T>) =>
    new Set(now.filter((one) => before.has(one)));
  return {
    ...coverVents(news.vents, seen),
    newestComment: Math.max(seen.newestComment, news.newestComment),
    threads: keepNewest(
      new Map(news.threads.map((thread) => [thread.ventId, seenIn(thread)])),
      seen.threads,
      limits.commentsWatched,
    ),
    matches: kept(
      news.matches.map(({ pairId }) => pairId),
      seen.matches,
    ),
    notices: kept(
      news.notices.map(({ id }) => id),
      seen.notices,
    ),
    account: kept(
      news.account.map(({ event, day }) => accountMark(event, day)),
      seen.account,
    ),
  };
}
