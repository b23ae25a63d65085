import type { Base } from '../../kernel/base.ts';
import {
  limits,
  reactionTypes,
  type InboxCounts,
  type InboxLine,
  type ReactionCounts,
} from '@unsaid/contract';
import type { Viewer } from '../../kernel/viewer.ts';
import type { Identity } from '../../identity/index.ts';
import type {
  AuthoredComments,
  OwnCommentPlace,
  WatchedThread,
} from '../../content/comments/authored-comments.service.ts';
import type { MatchHistoryService, YesOfOther } from '../../matching/match-history.service.ts';
import { addDays, dayInIndia } from '../../platform/clock.ts';
import type { NoticeHead, NoticesService } from '../../moderation/notices/notices.service.ts';
import type { AuthoredVents } from '../../content/vents/authored-vents.service.ts';
import {
  accountMark,
  addShown,
  createCursorCodec,
  createLineCodec,
  holdsThanks,
  keepNewest,
  type Seen,
  type Shown,
  type Totals,
} from './inbox-cursor.ts';
import {
  countsOf,
  linesOf,
  newReactions,
  type ThanksNews,
  type ThreadNews,
  type VentNews,
} from './inbox.view.ts';

/**
 * The inbox is computed and not stored (docs/adr/0010). A person's newest vents, comments and matches are compared with
 * a cursor that the server encrypts and the browser keeps. So a visit writes nothing, and an interaction writes no row of
 * the person whom it concerns.
 */
export interface InboxService {
  list(
    reader: Reader,
    cursor: string | undefined,
  ): Promise<{ lines: InboxLine[]; counts: InboxCounts; cursor: string }>;
  /** The cursor after these lines were opened. */
  markSeen(reader: Reader, cursor: string, lineKeys: readonly string[]): string;
  /** The numbers of `list` about content alone, for the live connection. */
  countContent(reader: Reader, cursor: string | undefined): Promise<Omit<InboxCounts, 'matches'>>;
  /** The number of `list` about matches, for several people at once and in their order. */
  countMatches(
    people: readonly { readonly userId: bigint; readonly cursor: string | undefined }[],
  ): Promise<number[]>;
  /** "Since you were here": own vents in numbers, and a cursor that counts them as seen. */
  countSince(
    reader: Reader,
    cursor: string | undefined,
  ): Promise<{ since: ReactionCounts & { comments: number }; cursor: string }>;
}

export type Reader = Pick<Viewer, 'userId' | 'person'>;

interface InboxDeps extends Pick<Base, 'clock' | 'keys' | 'publicIds'> {
  readonly authored: AuthoredVents;
  readonly comments: AuthoredComments;
  readonly matchHistory: MatchHistoryService;
  readonly notices: NoticesService;
  readonly choices: Pick<Identity['choices'], 'findHiding'>;
  readonly recovery: Pick<Identity['recovery'], 'listEvents'>;
}

/** Without a cursor, as in a new browser, what came in a week is unread. */
const unreadWithoutCursorDays = 7;

/** As long as a mutual match. */
const noticesListedDays = 30;

const nothing: Totals = { heart: 0, hug: 0, listen: 0, no: 0 };

/** The highest number of a comment. */
const allSeen = 2 ** 31 - 1;

interface OwnThread extends WatchedThread {
  /** Of the reader's newest comment there, among their own. */
  readonly number: number;
}

export function createInboxService(deps: InboxDeps): InboxService {
  const { clock, keys, publicIds, authored, comments, matchHistory, notices, choices, recovery } = deps;
  const cursors = createCursorCodec(keys);

  const linesOfReader = ({ person }: Reader) => createLineCodec(person.mark('inbox'));

  const noneSeen = (): Seen => ({
    isStart: true,
    fromDay: addDays(dayInIndia(clock.now()), -unreadWithoutCursorDays),
    newestVent: 0,
    newestComment: 0,
    vents: new Map(),
    threads: new Map(),
    matches: new Set(),
    notices: new Set(),
    account: new Set(),
    thanks: new Set(),
  });

  /** A cursor that cannot be opened counts as none. */
  const openCursor = ({ userId }: Pick<Reader, 'userId'>, cursor = ''): Seen =>
    cursors.open(cursor, userId) ?? noneSeen();

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

  /** Vents that are no longer visible are left out. */
  async function listNews(
    watched: Awaited<ReturnType<AuthoredVents['listWatched']>>,
    threads: readonly OwnThread[],
    seen: Seen,
  ) {
    const own = watched.map(({ number, vent }): WatchedThread => {
      const { no } = seenOf(number, { ...nothing, no: vent.lastNo }, seen);
      return { ventId: vent.id, isOwn: true, afterNo: 0, seenNo: no };
    });
    const rows = await comments.listThreads([...own, ...threads], seen.fromDay);
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

  async function readContent(reader: Reader, seen: Seen) {
    const [watched, places] = await Promise.all([
      authored.listWatched(reader.person, seen.newestVent),
      comments.listNewestPlaces(reader.person, seen.newestComment),
    ]);
    const news = await listNews(watched, threadsOf(places, seen), seen);
    return {
      ...news,
      thanks: thanksOf(places, news.threads, seen),
      newestComment: places[0]?.number ?? 0,
    };
  }

  const isUnread = ({ pairId, day }: Pick<YesOfOther, 'pairId' | 'day'>, seen: Seen) =>
    !seen.matches.has(pairId) && (day === null || day >= seen.fromDay);

  async function listNotices({ person }: Reader, seen: Seen) {
    const since = addDays(dayInIndia(clock.now()), -noticesListedDays);
    const isNoticeUnread = ({ id, day }: NoticeHead) => !seen.notices.has(id) && day >= seen.fromDay;
    return (await notices.listHeads(person))
      .filter(({ day }) => day >= since)
      .map((notice) => ({ ...notice, isUnread: isNoticeUnread(notice) }));
  }

  async function listAccountNews({ userId }: Reader, seen: Seen) {
    return (await recovery.listEvents(userId)).map((one) => ({
      ...one,
      isUnread: !seen.account.has(accountMark(one.event, one.day)) && one.day >= seen.fromDay,
    }));
  }

  async function readNews(reader: Reader, seen: Seen) {
    const [content, yeses, decided, account] = await Promise.all([
      readContent(reader, seen),
      matchHistory.listYeses(reader.userId),
      listNotices(reader, seen),
      listAccountNews(reader, seen),
    ]);
    return {
      ...content,
      matches: yeses.map((yes) => ({ ...yes, isUnread: isUnread(yes, seen) })),
      notices: decided,
      account,
    };
  }

  /** Covers what is there now. Marks none of it as seen. */
  function coverVents(vents: readonly VentNews[], seen: Seen): Seen {
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

  function coverAll(
    {
      vents,
      threads,
      matches,
      newestComment,
      notices: decided,
      account,
    }: Awaited<ReturnType<typeof readNews>>,
    seen: Seen,
  ): Seen {
    const seenIn = ({ seenNo, afterNo, row }: (typeof threads)[number]) =>
      Math.max(afterNo, seenNo === allSeen ? (row.newestNo ?? 0) : seenNo);
    return {
      ...coverVents(vents, seen),
      newestComment: Math.max(seen.newestComment, newestComment),
      threads: keepNewest(
        new Map(threads.map((thread) => [thread.ventId, seenIn(thread)])),
        seen.threads,
        limits.commentsWatched,
      ),
      matches: new Set(matches.map(({ pairId }) => pairId).filter((pairId) => seen.matches.has(pairId))),
      notices: new Set(decided.map(({ id }) => id).filter((id) => seen.notices.has(id))),
      account: new Set(
        account.map(({ event, day }) => accountMark(event, day)).filter((mark) => seen.account.has(mark)),
      ),
    };
  }

  return {
    async list(reader, cursor) {
      const { userId } = reader;
      const seen = openCursor(reader, cursor);
      const [news, hiding] = await Promise.all([readNews(reader, seen), choices.findHiding(userId)]);
      return {
        lines: linesOf(news, { publicIds, sealLine: linesOfReader(reader).seal, hiding }),
        counts: countsOf(news),
        cursor: cursors.seal(coverAll(news, seen), userId),
      };
    },

    markSeen(reader, cursor, lineKeys) {
      const { open } = linesOfReader(reader);
      const shown = lineKeys.flatMap((key) => open(key) ?? []);
      return cursors.seal(addShown(openCursor(reader, cursor), shown), reader.userId);
    },

    async countContent(reader, cursor) {
      const { answers, gifts } = countsOf({
        ...(await readContent(reader, openCursor(reader, cursor))),
        matches: [],
        notices: [],
        account: [],
      });
      return { answers, gifts };
    },

    async countMatches(people) {
      const yeses = await matchHistory.listYesesOfMany(people.map(({ userId }) => userId));
      return people.map((person, n) => {
        const seen = openCursor(person, person.cursor);
        return (yeses[n] ?? []).filter((yes) => isUnread(yes, seen)).length;
      });
    },

    async countSince(reader, cursor) {
      const seen = openCursor(reader, cursor);
      const watched = await authored.listWatched(reader.person, seen.newestVent);
      const { vents } = await listNews(watched, [], seen);
      const since = { heart: 0, hug: 0, listen: 0, comments: 0 };
      for (const vent of vents) {
        const given = newReactions(vent);
        for (const kind of reactionTypes) since[kind] += given[kind];
        since.comments += vent.row.unread;
      }
      const shown = vents.map(({ number, now, row }): Shown => ({
        kind: 'vent',
        number,
        totals: { ...now, no: row.newestNo ?? 0 },
      }));
      const next = addShown(coverVents(vents, seen), shown);
      return { since, cursor: cursors.seal(next, reader.userId) };
    },
  };
}
