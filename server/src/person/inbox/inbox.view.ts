import {
  limits,
  nothingSaid,
  reactionTypes,
  type AccountEvent,
  type InboxCounts,
  type InboxLine,
  type ReactionCounts,
} from '@unsaid/contract';
import type { Hiding } from '../../kernel/hiding.ts';
import type { YesOfOther } from '../../matching/match-history.ts';
import type { NoticeHead } from '../../moderation/index.ts';
import type { PublicIds } from '../../kernel/public-ids.ts';
import type { Day } from '../../platform/clock.ts';
import { accountMark, type Shown, type Totals } from './inbox-cursor.ts';
import type { ThreadRow } from '../../content/index.ts';

/** What concerns one person, with what they had seen of it. Each list is sorted newest first. */
export interface News {
  readonly vents: readonly VentNews[];
  readonly threads: readonly ThreadNews[];
  readonly thanks: readonly ThanksNews[];
  readonly matches: readonly MatchNews[];
  readonly notices: readonly (NoticeHead & { readonly isUnread: boolean })[];
  readonly account: readonly AccountNews[];
}

interface AccountNews {
  readonly event: AccountEvent;
  readonly day: Day;
  readonly isUnread: boolean;
}

export interface ThreadNews {
  readonly ventId: bigint;
  readonly row: ThreadRow;
}

/** An own comment that helped the author of its vent. */
export interface ThanksNews extends ThreadNews {
  readonly no: number;
  /** Among the person's own. */
  readonly number: number;
  readonly isUnread: boolean;
}

/** An own vent. */
export interface VentNews extends ThreadNews {
  /** Among the person's own. */
  readonly number: number;
  readonly now: Totals;
  readonly seen: Totals;
}

interface MatchNews extends YesOfOther {
  readonly isUnread: boolean;
}

/** Reactions that were not seen. A withdrawn one does not hide a new one of another kind. */
export function newReactions({ now, seen }: Pick<VentNews, 'now' | 'seen'>): ReactionCounts {
  const since: ReactionCounts = { heart: 0, hug: 0, listen: 0 };
  for (const kind of reactionTypes) since[kind] = Math.max(0, now[kind] - seen[kind]);
  return since;
}

const sum = (numbers: readonly number[]) => numbers.reduce((before, number) => before + number, 0);
const totalOf = (reactions: ReactionCounts) => sum(reactionTypes.map((kind) => reactions[kind]));

export function countsOf({ vents, threads, thanks, matches }: News): InboxCounts {
  const capped = (numbers: readonly number[]) => Math.min(sum(numbers), limits.inboxCount);
  return {
    answers: capped([...vents, ...threads].map(({ row }) => row.unread)),
    gifts: capped([
      ...vents.map((vent) => totalOf(newReactions(vent))),
      ...thanks.map(({ isUnread }) => Number(isUnread)),
    ]),
    matches: capped(matches.map(({ isUnread }) => Number(isUnread))),
  };
}

interface LineTools {
  readonly publicIds: PublicIds;
  sealLine(shown: Shown): string;
  /** What the reader hid or muted. */
  readonly hiding: Hiding | null;
}

/** Unread first, then by day. A yes that waits for an answer comes first, what has no day comes last. */
export function linesOf(
  { vents, threads, thanks, matches, notices, account }: News,
  tools: LineTools,
): InboxLine[] {
  const lines = [
    ...matches.map((match) => matchLine(match, tools)),
    ...account.map(({ event, day, isUnread }): InboxLine => ({
      kind: 'account',
      key: tools.sealLine({ kind: 'account', mark: accountMark(event, day) }),
      isUnread,
      event,
      day,
    })),
    ...notices.map(({ id, day, isUnread }): InboxLine => ({
      kind: 'notice',
      key: tools.sealLine({ kind: 'notice', noticeId: id }),
      isUnread,
      noticeId: tools.publicIds.notice.encode(id),
      day,
    })),
    ...vents.flatMap((vent) => {
      // The rest as it was seen: this line does not show it.
      const shown = { kind: 'vent', number: vent.number } as const;
      return commentsLine('comments', vent, tools, (no) => ({ ...shown, totals: { ...vent.seen, no } }));
    }),
    ...threads.flatMap((thread) =>
      commentsLine('replies', thread, tools, (no) => ({ kind: 'thread', ventId: thread.ventId, no })),
    ),
    ...thanks.map((one) => thanksLine(one, tools)),
    ...vents.flatMap((vent) => reactionsLine(vent, tools)),
  ];
  return lines.toSorted((one, other) => compare(rankOf(other), rankOf(one))).slice(0, limits.inboxLines);
}

/** Sorting is stable: lines of one day stay in the order of their kinds, then newest first. */
function rankOf({ kind, isUnread, day }: InboxLine): string {
  return `${Number(isUnread)} ${kind === 'said_yes' ? '9' : (day ?? '')}`;
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

function matchLine(
  { pairId, day, isUnread, matchId, with: other }: MatchNews,
  { sealLine }: LineTools,
): InboxLine {
  const line = { key: sealLine({ kind: 'match', pairId }), isUnread, matchId, with: other };
  return day === null ? { kind: 'said_yes', ...line, day } : { kind: 'both_said_yes', ...line, day };
}

/** Only the title is shown, so the text does not hide it. */
function ventOf(
  { ventId, row: { title, hashtags, emotion } }: ThreadNews,
  { publicIds, hiding }: Pick<LineTools, 'publicIds' | 'hiding'>,
) {
  const vent = { ...nothingSaid, _id: publicIds.vent.encode(ventId), title, hashtags, emotion };
  return { _id: vent._id, title: hiding?.vent(vent) ? '' : title };
}

function thanksLine({ ventId, no, number, row, isUnread }: ThanksNews, tools: LineTools): InboxLine {
  return {
    kind: 'thanks',
    key: tools.sealLine({ kind: 'thanks', number }),
    isUnread,
    vent: ventOf({ ventId, row }, tools),
    commentId: tools.publicIds.comment.encode({ ventId, no }),
    day: null,
  };
}

function commentsLine(
  kind: 'comments' | 'replies',
  { ventId, row }: ThreadNews,
  { publicIds, sealLine, hiding }: LineTools,
  shownUpTo: (no: number) => Shown,
): InboxLine[] {
  if (row.newestNo === null || row.newestDay === null) return [];
  const line = {
    key: sealLine(shownUpTo(row.newestNo)),
    isUnread: row.unread > 0,
    // An own vent is never hidden.
    vent: ventOf({ ventId, row }, { publicIds, hiding: kind === 'replies' ? hiding : null }),
    count: row.unread,
    commentId: publicIds.comment.encode({ ventId, no: row.firstUnread ?? row.newestNo }),
    day: row.newestDay,
  };
  return [kind === 'replies' ? { kind, ...line, isByAuthor: row.hasAuthor } : { kind, ...line }];
}

function reactionsLine(vent: VentNews, { publicIds, sealLine }: LineTools): InboxLine[] {
  const since = newReactions(vent);
  const isUnread = totalOf(since) > 0;
  if (totalOf(vent.now) === 0) return [];
  return [
    {
      kind: 'reactions',
      key: sealLine({ kind: 'vent', number: vent.number, totals: { ...vent.now, no: vent.seen.no } }),
      isUnread,
      vent: { _id: publicIds.vent.encode(vent.ventId), title: vent.row.title },
      reactions: isUnread ? since : vent.now,
      day: null,
    },
  ];
}
