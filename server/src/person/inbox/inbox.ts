import {
  reactionTypes,
  type InboxCounts,
  type InboxLine,
  type ParsedRequestOf,
  type ReactionCounts,
  type markInboxSeen,
} from '@unsaid/contract';
import { addDays, dayInIndia } from '../../platform/clock.ts';
import type { CursorOf, PersonContext } from '../context.ts';
import { addShown, createLineCodec, type Seen, type Shown } from './inbox-cursor.ts';
import { countsOf, linesOf, newReactions } from './inbox.view.ts';
import { coverNews, coverVents, isUnread, readContent, readNews, readOwnVents, type Reader } from './news.ts';

/**
 * The inbox is computed and not stored (docs/adr/0010). A person's newest vents, comments and matches are compared with
 * a cursor that the server encrypts and the browser keeps. So a visit writes nothing, and an interaction writes no row of
 * the person whom it concerns.
 */

/** Without a cursor, as in a new browser, what came in a week is unread. */
const unreadWithoutCursorDays = 7;

export async function readInbox(
  ctx: PersonContext,
  reader: Reader,
  cursor: string | undefined,
): Promise<{ lines: InboxLine[]; counts: InboxCounts; cursor: string }> {
  const { identity, publicIds } = ctx;
  const seen = openCursor(ctx, reader, cursor);
  const [news, hiding] = await Promise.all([
    readNews(ctx, reader, seen),
    identity.choices.findHiding(reader.userId),
  ]);
  return {
    lines: linesOf(news, { publicIds, sealLine: lineCodecOf(reader).seal, hiding }),
    counts: countsOf(news),
    cursor: ctx.cursors.seal(coverNews(news, seen), reader.userId),
  };
}

/** The cursor after these lines were opened. */
export function markLinesSeen(
  ctx: PersonContext,
  reader: Reader,
  { cursor, shown: lineKeys }: ParsedRequestOf<typeof markInboxSeen>['body'],
): string {
  const { open } = lineCodecOf(reader);
  const shown = lineKeys.flatMap((key) => open(key) ?? []);
  return ctx.cursors.seal(addShown(openCursor(ctx, reader, cursor), shown), reader.userId);
}

/** The numbers of `readInbox` about content alone, for the live connection. */
export async function countUnreadContent(
  ctx: PersonContext,
  reader: Reader,
  cursor: string | undefined,
): Promise<Omit<InboxCounts, 'matches'>> {
  const content = await readContent(ctx, reader, openCursor(ctx, reader, cursor));
  const { answers, gifts } = countsOf({ ...content, matches: [], notices: [], account: [] });
  return { answers, gifts };
}

/** The number of `readInbox` about matches, for several people in one statement and in their order. */
export async function countUnreadMatches(ctx: PersonContext, people: readonly CursorOf[]): Promise<number[]> {
  const yeses = await ctx.matching.listYesesOfMany(people.map(({ userId }) => userId));
  return people.map((person, n) => {
    const seen = openCursor(ctx, person, person.cursor);
    return (yeses[n] ?? []).filter((yes) => isUnread(yes, seen)).length;
  });
}

/** "Since you were here": own vents in numbers, and a cursor that counts them as seen. */
export async function countVentsSince(
  ctx: PersonContext,
  reader: Reader,
  cursor: string | undefined,
): Promise<{ since: ReactionCounts & { comments: number }; cursor: string }> {
  const seen = openCursor(ctx, reader, cursor);
  const vents = await readOwnVents(ctx, reader, seen);
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
  return { since, cursor: ctx.cursors.seal(next, reader.userId) };
}

const lineCodecOf = ({ person }: Reader) => createLineCodec(person.mark('inbox'));

/** A cursor that cannot be opened counts as none. */
const openCursor = (
  { clock, cursors }: PersonContext,
  { userId }: Pick<Reader, 'userId'>,
  cursor = '',
): Seen =>
  cursors.open(cursor, userId) ?? {
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
  };
