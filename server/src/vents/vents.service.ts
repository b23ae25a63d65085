import { isBlank, limits, type Emotion, type Sort, type VentView } from '@unsaid/contract';
import type { CommentsService, SharedComments } from '../comments/comments.service.ts';
import type { Copies } from '../platform/copies.ts';
import { addDays, today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import { describeFault, type Logger } from '../platform/logger.ts';
import type { Seals } from '../platform/seals.ts';
import type { Speakers } from '../platform/speakers.ts';
import { together } from '../platform/together.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import type { ReactionsService } from '../reactions/reactions.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import { ownStates } from './own-vents.queries.ts';
import type { OwnVents } from './own-vents.ts';
import { allOf, toSearchWords } from './search-words.ts';
import { findNewestWith } from './vent-search.service.ts';
import type { VentDoors } from './vent-doors.service.ts';
import * as queries from './vents.queries.ts';
import { statesThatTake, type VentState } from './vents.state.ts';
import { strangersVent, ventTo, writeVentOnce, type SharedVent } from './vents.view.ts';

export interface VentInput {
  readonly title: string;
  readonly text: string;
  readonly emotion: Emotion;
  readonly hashtags?: string[] | undefined;
  readonly allowComments?: boolean | undefined;
}

interface ListWish {
  readonly sort?: Sort | undefined;
  readonly page?: number | undefined;
  readonly limit?: number | undefined;
  readonly isMine: boolean;
  readonly query?: string | undefined;
  readonly before?: string | undefined;
}

interface VentPage {
  readonly vents: VentView[];
  readonly pageCount: number;
  readonly hasOlder: boolean;
}

export interface VentsService {
  create(viewer: Viewer, input: VentInput, idempotencyKey: Buffer | null): Promise<VentView>;
  list(viewer: Viewer, wish: ListWish): Promise<VentPage>;
  get(viewer: Viewer, sealedId: string): Promise<VentView>;
  search(
    viewer: Viewer,
    wish: Pick<ListWish, 'page' | 'limit' | 'before'> & { readonly query: string },
  ): Promise<VentPage>;
  remove(viewer: Viewer, sealedId: string): Promise<void>;
  setAllowComments(viewer: Viewer, sealedId: string, allowComments: boolean): Promise<void>;
  closeAll(viewer: Viewer): Promise<void>;
  weather(viewer: Viewer): Promise<{ day: string; emotion: Emotion; count: number }[]>;
  refreshTrending(): Promise<void>;
  /** So that words of deleted vents leave the planner's sample within a day. */
  sampleSearchWords(): Promise<void>;
}

interface VentsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly speakers: Speakers;
  readonly slots: Slots;
  readonly own: OwnVents;
  readonly profiles: ProfilesService;
  readonly doors: VentDoors;
  readonly reactions: ReactionsService;
  readonly comments: CommentsService;
  readonly pages: Copies<Shared>;
  readonly logger: Logger;
  runInBackground(work: Promise<void>): void;
}

interface VentList {
  readonly ids: readonly bigint[];
  /** What their reader may see of them. */
  readonly states: readonly VentState[];
}

/** A page as every reader sees it. */
export interface Shared {
  readonly vents: readonly SharedVent[];
  readonly comments: SharedComments;
  readonly pageCount: number;
  readonly hasOlder: boolean;
}

/** The same words this often within a few minutes are an accident or a flood. */
const sameTextLimit = 5;
const sameTextMs = 5 * 60_000;
const trendingSize = limits.feedPageSize * limits.pagerPages;
const trendingStaleMs = 10_000;
const weatherDays = 84;

export function createVentsService(deps: VentsDeps): VentsService {
  const { db, clock, seals, speakers, slots, own, profiles, doors, reactions, comments, pages, logger } =
    deps;
  const now = () => new Date(clock.now());

  /** Whoever reads at once is read for at once: a vent that ten people open is fetched and written down one time. */
  const shareTogether = together(async (lists: readonly VentList[]) => {
    const ids = [...new Set(lists.flatMap((list) => list.ids))];
    const [rows, shared] = await Promise.all([queries.findVents(db.content, ids), comments.newestOf(ids)]);
    const found = new Map(
      rows.map((row): [bigint, SharedVent] => [row.id, { row, view: strangersVent(row, shared, seals) }]),
    );
    return lists.map((list) => ({
      vents: list.ids.flatMap((id) => {
        const vent = found.get(id);
        return vent && list.states.includes(vent.row.state) ? [vent] : [];
      }),
      comments: shared,
    }));
  });

  /** In the order of the ids given. */
  const share = (ids: readonly bigint[], states: readonly VentState[] = ['visible']) =>
    shareTogether({ ids, states });

  async function show(
    viewer: Viewer,
    { vents, comments: shown }: Pick<Shared, 'vents' | 'comments'>,
  ): Promise<VentView[]> {
    const mine = await reactions.mine(
      viewer.person,
      vents.map(({ row }) => row.id),
    );
    return vents.map((vent) => ventTo(viewer, vent, shown, mine.get(vent.row.id) ?? [], { seals, speakers }));
  }

  function span(count: number, limit: number): { pageCount: number; hasOlder: boolean } {
    return {
      pageCount: Math.min(limits.pagerPages, Math.ceil(count / limit)),
      hasOlder: count > limit * limits.pagerPages,
    };
  }

  async function newest(page: number, limit: number): Promise<Shared> {
    const slice = { limit, offset: (page - 1) * limit };
    const { ids, count } = await queries.listNewest(db.content, slice, limit * limits.pagerPages + 1);
    return { ...(await share(ids)), ...span(count, limit) };
  }

  async function refreshTrending(): Promise<void> {
    await transaction(db.content, (tx) => queries.rewriteTrending(tx, now(), trendingSize));
  }

  let isRefreshing = false;
  /** Behind the answer, and once at a time: nobody waits for a list to be weighed anew. */
  function refreshTrendingSoon(): void {
    if (isRefreshing) return;
    isRefreshing = true;
    const refreshed = refreshTrending()
      .then(() => pages.drop())
      .catch((error: unknown) => logger.warn({ event: 'trending_not_refreshed', ...describeFault(error) }))
      .finally(() => {
        isRefreshing = false;
      });
    deps.runInBackground(refreshed);
  }

  /** Computes itself when nobody else has lately, so that nothing depends on a worker being there. */
  async function trending(page: number, limit: number): Promise<Shared> {
    let list = await queries.readTrending(db.content);
    const [first] = list;
    if (!first) {
      // The very first time there is nothing to show meanwhile.
      await refreshTrending();
      list = await queries.readTrending(db.content);
    } else if (Math.abs(clock.now() - first.computedAt.getTime()) > trendingStaleMs) refreshTrendingSoon();
    const ids = list.map(({ ventId }) => ventId);
    return {
      ...(await share(ids.slice((page - 1) * limit, page * limit))),
      pageCount: span(ids.length, limit).pageCount,
      hasOlder: false,
    };
  }

  /** Null at the beginning; a cursor that is none of ours finds nothing. */
  const cursor = (before: string | undefined) =>
    before === undefined ? null : (seals.vent.open(before) ?? -1n);

  /**
   * What the pager reaches is found to count it, and every page of the pager is a part of that. Where somebody goes on
   * by cursor, or names no page, there is no pager: then it is told whether there is more, and no more is found.
   */
  async function reach(
    find: (slice: queries.Slice) => Promise<bigint[]>,
    { page, limit, before }: { page: number | undefined; limit: number; before: string | undefined },
  ): Promise<{ ids: bigint[]; pageCount: number; hasOlder: boolean }> {
    if (before !== undefined || page === undefined) {
      const ids = await find({ limit: limit + 1, offset: 0 });
      return {
        ids: ids.slice(0, limit),
        pageCount: before === undefined ? Math.ceil(ids.length / limit) : limits.pagerPages,
        hasOlder: ids.length > limit,
      };
    }
    const reached = await find({ limit: limit * limits.pagerPages + 1, offset: 0 });
    const offset = (page - 1) * limit;
    const ids =
      page <= limits.pagerPages ? reached.slice(offset, offset + limit) : await find({ limit, offset });
    return { ids, ...span(reached.length, limit) };
  }

  async function older(before: string, limit: number): Promise<Shared> {
    const beforeId = cursor(before) ?? -1n;
    const { ids, ...reached } = await reach(
      (slice) => queries.listOlderIds(db.content, beforeId, slice.limit),
      { page: 1, limit, before },
    );
    return { ...(await share(ids)), ...reached };
  }

  async function mine(viewer: Viewer, wish: ListWish, page: number, limit: number): Promise<Shared> {
    const { query, before } = wish;
    const isSearch = query !== undefined && !isBlank(query);
    const typed = isSearch ? toSearchWords(query) : [];
    if (isSearch && typed.length === 0) return { ...(await share([])), pageCount: 0, hasOlder: false };
    const words = isSearch ? allOf(typed) : null;
    // A vent of one's own tells its number; with any other there is nothing before it.
    const number =
      before === undefined ? null : ((await findOwn(viewer, cursor(before) ?? -1n))?.number ?? 0);
    const { ids, ...reached } = await reach(
      (slice) => own.listIds(viewer.person, { before: number, words }, slice),
      { page, limit, before },
    );
    return { ...(await share(ids, ownStates)), ...reached };
  }

  /** A vent's state and its number among the asker's own; null where it is somebody else's or nobody's. */
  async function findOwn(
    viewer: Viewer,
    ventId: bigint,
  ): Promise<{ number: number; state: VentState } | null> {
    const vent = await queries.findSpeaker(db.content, ventId);
    const number = vent ? speakers.numberOf('vent', vent.speaker, viewer.person.speakerId) : null;
    return vent && number !== null ? { number, state: vent.state } : null;
  }

  async function openOwn(viewer: Viewer, sealedId: string, states: readonly VentState[]): Promise<bigint> {
    const ventId = seals.vent.open(sealedId) ?? -1n;
    const vent = await findOwn(viewer, ventId);
    if (!vent || !states.includes(vent.state)) throw new AppError('VENT_NOT_FOUND');
    return ventId;
  }

  async function one(viewer: Viewer, ventId: bigint): Promise<VentView> {
    const [vent] = await show(viewer, await share([ventId]));
    if (!vent) throw new AppError('VENT_NOT_FOUND');
    return vent;
  }

  return {
    async create(viewer, { title, text, emotion, hashtags = [], allowComments }, key) {
      const earlier = key && (await doors.earlierResult(key));
      if (earlier) return one(viewer, earlier.ventId);
      const { person } = viewer;
      const isOpen = allowComments ?? (await profiles.allowsComments(viewer.userId));
      const ventId = await transaction(db.content, async (tx, afterCommit) => {
        if (key && !(await doors.claim(tx, key))) return null;
        // Before the look at what was said already: two at once wait for each other here, and the second sees the first.
        const number = await slots.take(tx, person, 'vent');
        const since = new Date(clock.now() - sameTextMs);
        const same = await own.countSameText(tx, person, number, { title, body: text, since });
        if (same >= sameTextLimit - 1) throw new AppError('DUPLICATE_VENT');
        const vent = {
          speaker: speakers.encrypt('vent', person.speakerId, number),
          slotKey: person.slotKeys('vent', [number])[0] as Buffer,
          emotion,
          title,
          body: text,
          hashtags,
          createdAt: startOfMinute(clock.now()),
        };
        const id = await queries.insertVent(tx, vent, isOpen);
        if (key) await doors.settle(tx, key, { ventId: id, no: 0 });
        afterCommit(() => pages.drop());
        return id;
      });
      const settled = ventId ?? (key && (await doors.earlierResult(key))?.ventId);
      if (!settled) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
      return one(viewer, settled);
    },

    async list(viewer, wish) {
      const { sort = 'recent', page = 1, limit = limits.feedPageSize, before } = wish;
      const isPager = page <= limits.pagerPages && limit === limits.feedPageSize;
      const make = () => (sort === 'trending' ? trending(page, limit) : newest(page, limit));
      const shared = wish.isMine
        ? await mine(viewer, wish, page, limit)
        : before !== undefined
          ? await older(before, limit)
          : isPager
            ? await pages.get(`${sort} ${page}`, async () => {
                const made = await make();
                made.vents.forEach(writeVentOnce);
                return made;
              })
            : await make();
      return { vents: await show(viewer, shared), pageCount: shared.pageCount, hasOlder: shared.hasOlder };
    },

    get: (viewer, sealedId) => one(viewer, seals.vent.open(sealedId) ?? -1n),

    async search(viewer, { query, page, limit = limits.maxPageSize, before }) {
      const words = toSearchWords(query);
      if (words.length === 0) return { vents: [], pageCount: 0, hasOlder: false };
      const filter = { words, beforeId: cursor(before) };
      const { ids, ...reached } = await reach((slice) => findNewestWith(db.search, filter, slice), {
        page,
        limit,
        before,
      });
      return { vents: await show(viewer, await share(ids)), ...reached };
    },

    /** Out of sight at once; out of the database with the next round of the worker. */
    async remove(viewer, sealedId) {
      const ventId = await openOwn(viewer, sealedId, statesThatTake('delete'));
      await transaction(db.content, async (tx, afterCommit) => {
        if (!(await queries.markDeleted(tx, ventId))) throw new AppError('VENT_NOT_FOUND');
        afterCommit(() => pages.drop());
      });
    },

    async setAllowComments(viewer, sealedId, allowComments) {
      const ids = [await openOwn(viewer, sealedId, ownStates)];
      await transaction(db.content, (tx) => queries.setAllowComments(tx, ids, allowComments));
      await pages.drop();
    },

    async closeAll(viewer) {
      for await (const ids of own.allIds(viewer.person))
        await transaction(db.content, (tx) => queries.setAllowComments(tx, ids, false));
      await pages.drop();
    },

    weather: (viewer) => own.weather(viewer.person, addDays(today(clock), 1 - weatherDays)),

    refreshTrending,
    sampleSearchWords: () => queries.sampleSearchWords(db.search),
  };
}

/** As it is shown: what is finer than that is not kept either. */
function startOfMinute(ms: number): Date {
  return new Date(Math.floor(ms / 60_000) * 60_000);
}
