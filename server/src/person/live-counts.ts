import {
  limits,
  type LiveCounts,
  type ParsedRequestOf,
  type ResponseOf,
  type pollLiveCounts,
} from '@unsaid/contract';
import type { Viewer } from '../kernel/viewer.ts';
import type { CountedMember } from '../platform/live/beat-sender.ts';
import type { LiveSources } from '../platform/live/live-sockets.ts';
import { drawRecount, isRecountDue } from '../platform/live/recount.ts';
import type { LiveMember } from '../platform/live/registry.ts';
import { defineMetrics } from '../platform/metrics.ts';
import type { PersonContext } from './context.ts';
import { countUnreadContent, countUnreadMatches } from './inbox/inbox.ts';

/** Counts what is unread, for the ticks of live connections and for polling. */

export interface Member extends LiveMember {
  readonly userId: bigint;
}

type LiveRequest = ParsedRequestOf<typeof pollLiveCounts>['body'];
type CountsResponse = Omit<ResponseOf<typeof pollLiveCounts>, 'success'>;

const liveMetrics = defineMetrics(({ counter }) => ({
  liveReads: counter(
    'unsaid_live_reads_total',
    'People whose unread things were counted, by cause: tick, content (a recount of content), request',
    'cause',
  ),
}));

const none: LiveCounts = { messages: 0, answers: 0, gifts: 0, matches: 0, account: 0 };

export async function pollCounts(
  ctx: PersonContext,
  viewer: Viewer,
  request: LiveRequest,
): Promise<CountsResponse> {
  return (await countNow(ctx, viewer, request)).response;
}

export async function issueTicket(
  ctx: PersonContext,
  viewer: Viewer,
  request: LiveRequest,
): Promise<CountsResponse & { readonly ticket: string }> {
  const { grant, response } = await countNow(ctx, viewer, request);
  return { ...response, ticket: ctx.tickets.issue(grant) };
}

export function createLiveSources(ctx: PersonContext): LiveSources<Member> {
  const { sessions, sessionEnds } = ctx.identity;
  return {
    async findMember(session) {
      const viewer = await sessions.findByKey(session);
      return (
        viewer && {
          userId: viewer.userId,
          subject: viewer.rateLimitKey('liveTickets').toString('base64url'),
          sessionName: sessionEnds.nameOf(session),
        }
      );
    },
    areOpen: sessions.areOpen,
    onSessionsEnded: sessionEnds.onEnded,
    count: (people) => countForTick(ctx, people),
  };
}

async function countForTick(ctx: PersonContext, people: readonly CountedMember<Member>[]) {
  const { liveReads } = liveMetrics(ctx.metrics);
  const contentDue = people.filter(({ isContentDue }) => isContentDue);
  liveReads.inc({ cause: 'tick' }, people.length);
  liveReads.inc({ cause: 'content' }, contentDue.length);
  const [newestVentAt, matches, ...contents] = await Promise.all([
    ctx.content.feed.newestAt(),
    countUnreadMatches(
      ctx,
      people.map(({ member, cursor }) => ({ userId: member.userId, cursor })),
    ),
    // What fails for one person must not hold up the others. It is tried again at the next tick.
    ...contentDue.map((person) => countContentOfSession(ctx, person).catch(() => ({}))),
  ]);
  const contentOf = new Map(contentDue.map((person, n) => [person, contents[n]]));
  return {
    newestVentAt,
    counts: people.map((person, n) => ({ ...contentOf.get(person), matches: capped(matches[n] ?? 0) })),
  };
}

async function countContentOfSession(
  ctx: PersonContext,
  { session, cursor }: CountedMember<Member>,
): Promise<Partial<LiveCounts>> {
  // Found anew for each count: keys of a person are not kept for as long as a connection lives.
  const viewer = await ctx.identity.sessions.findByKey(session);
  return viewer ? countContent(ctx, viewer, cursor) : {};
}

async function countNow(ctx: PersonContext, viewer: Viewer, { cursor, counted }: LiveRequest) {
  const { batched, pace } = ctx;
  const { liveReads } = liveMetrics(ctx.metrics);
  const { userId, tokenKey: session } = viewer;
  const now = ctx.clock.now();
  const last = counted === undefined ? null : ctx.counted.open(counted, session, cursor);
  const isDue = !last || isRecountDue(last.recountAt, now, pace.recountMs);
  liveReads.inc({ cause: 'request' });
  if (isDue) liveReads.inc({ cause: 'content' });
  const [{ answers, gifts }, matches, newestVentAt] = await Promise.all([
    isDue ? countContent(ctx, viewer, cursor) : last,
    batched.countMatches({ userId, cursor }),
    batched.newestVentAt(null),
  ]);
  const recountAt = isDue ? now + drawRecount(pace) : last.recountAt;
  const counts: LiveCounts = { ...none, answers, gifts, matches: capped(matches) };
  return {
    grant: { session, cursor, counts, recountAt },
    response: {
      counts,
      newestVentAt,
      counted: ctx.counted.seal({ answers, gifts, recountAt }, session, cursor),
    },
  };
}

async function countContent(ctx: PersonContext, viewer: Viewer, cursor: string | undefined) {
  const { answers, gifts } = await countUnreadContent(ctx, viewer, cursor);
  return { answers: capped(answers), gifts: capped(gifts) };
}

const capped = (count: number) => Math.min(count, limits.inboxCount);
