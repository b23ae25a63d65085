import type { Base } from '../../kernel/base.ts';
import {
  limits,
  type LiveCounts,
  type ParsedRequestOf,
  type ResponseOf,
  type pollLiveCounts,
} from '@unsaid/contract';
import type { Identity } from '../../identity/index.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { createBatcher } from '../../platform/batch.ts';
import { drawRecount, isRecountDue, type RecountPace } from '../../platform/live/recount.ts';
import type { CountedMember } from '../../platform/live/beat-sender.ts';
import type { LiveSources } from '../../platform/live/live-sockets.ts';
import type { LiveMember } from '../../platform/live/registry.ts';
import { createCountedCodec } from '../../platform/live/counted.ts';
import type { LiveTickets } from '../../platform/live/tickets.ts';
import { defineMetrics } from '../../platform/metrics.ts';

export interface Member extends LiveMember {
  readonly userId: bigint;
}

type LiveRequest = ParsedRequestOf<typeof pollLiveCounts>['body'];
type CountsResponse = Omit<ResponseOf<typeof pollLiveCounts>, 'success'>;

/** Counts what is unread, for the ticks of live connections and for polling. */
export interface LiveService {
  readonly sources: LiveSources<Member>;
  poll(viewer: Viewer, request: LiveRequest): Promise<CountsResponse>;
  openTicket(viewer: Viewer, request: LiveRequest): Promise<CountsResponse & { readonly ticket: string }>;
}

/** What is unread after a cursor. Chat adds `countMessages`, moderation `countNotices`. */
export interface UnreadCounters {
  countContent(viewer: Viewer, cursor: string | undefined): Promise<{ answers: number; gifts: number }>;
  /** In the order of the people, in one statement. */
  countMatches(
    people: readonly { readonly userId: bigint; readonly cursor: string | undefined }[],
  ): Promise<readonly number[]>;
}

interface LiveDeps extends Pick<Base, 'clock' | 'keys' | 'metrics'> {
  readonly sessions: Identity['sessions'];
  readonly sessionEnds: Identity['sessionEnds'];
  readonly tickets: LiveTickets;
  readonly pace: RecountPace;
  readonly unread: UnreadCounters;
  /** The same for everybody. */
  newestVentAt(): Promise<string | null>;
}

const liveMetrics = defineMetrics(({ counter }) => ({
  liveReads: counter(
    'unsaid_live_reads_total',
    'People whose unread things were counted, by cause: tick, content (a recount of content), request',
    'cause',
  ),
}));

const none: LiveCounts = { messages: 0, answers: 0, gifts: 0, matches: 0, account: 0 };

export function createLiveService(deps: LiveDeps): LiveService {
  const { sessions, sessionEnds, tickets, clock, pace, unread } = deps;
  const { liveReads } = liveMetrics(deps.metrics);
  const codec = createCountedCodec(deps.keys);

  // After an outage many connect at once: those of one turn of the event loop share a statement.
  const countMatches = createBatcher(unread.countMatches);
  const findNewestVent = createBatcher(async (keys: readonly null[]) => {
    const newest = await deps.newestVentAt();
    return keys.map(() => newest);
  });

  async function countContent(viewer: Viewer, cursor: string | undefined) {
    const { answers, gifts } = await unread.countContent(viewer, cursor);
    return { answers: capped(answers), gifts: capped(gifts) };
  }

  async function countContentOfSession({
    session,
    cursor,
  }: CountedMember<Member>): Promise<Partial<LiveCounts>> {
    // Found anew for each count: keys of a person are not kept for as long as a connection lives.
    const viewer = await sessions.findByKey(session);
    return viewer ? countContent(viewer, cursor) : {};
  }

  async function countNow(viewer: Viewer, { cursor, counted }: LiveRequest) {
    const { userId, tokenKey: session } = viewer;
    const now = clock.now();
    const last = counted === undefined ? null : codec.open(counted, session, cursor);
    const isDue = !last || isRecountDue(last.recountAt, now, pace.recountMs);
    liveReads.inc({ cause: 'request' });
    if (isDue) liveReads.inc({ cause: 'content' });
    const [{ answers, gifts }, matches, newestVentAt] = await Promise.all([
      isDue ? countContent(viewer, cursor) : last,
      countMatches({ userId, cursor }),
      findNewestVent(null),
    ]);
    const recountAt = isDue ? now + drawRecount(pace) : last.recountAt;
    const counts: LiveCounts = { ...none, answers, gifts, matches: capped(matches) };
    return {
      grant: { session, cursor, counts, recountAt },
      response: {
        counts,
        newestVentAt,
        counted: codec.seal({ answers, gifts, recountAt }, session, cursor),
      },
    };
  }

  return {
    sources: {
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
      async count(people) {
        const contentDue = people.filter(({ isContentDue }) => isContentDue);
        liveReads.inc({ cause: 'tick' }, people.length);
        liveReads.inc({ cause: 'content' }, contentDue.length);
        const [newestVentAt, matches, ...contents] = await Promise.all([
          deps.newestVentAt(),
          unread.countMatches(people.map(({ member, cursor }) => ({ userId: member.userId, cursor }))),
          // What fails for one person must not hold up the others. It is tried again at the next tick.
          ...contentDue.map((person) => countContentOfSession(person).catch(() => ({}))),
        ]);
        const contentOf = new Map(contentDue.map((person, n) => [person, contents[n]]));
        return {
          newestVentAt,
          counts: people.map((person, n) => ({
            ...contentOf.get(person),
            matches: capped(matches[n] ?? 0),
          })),
        };
      },
    },

    async poll(viewer, request) {
      return (await countNow(viewer, request)).response;
    },

    async openTicket(viewer, request) {
      const { grant, response } = await countNow(viewer, request);
      return { ...response, ticket: tickets.issue(grant) };
    },
  };
}

const capped = (count: number) => Math.min(count, limits.inboxCount);
