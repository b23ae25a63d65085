import type { Clock } from '../platform/clock.ts';
import type { Copies } from '../platform/copies.ts';
import { transaction, type ContentDb, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Opaque } from '../platform/opaque.ts';
import type { RedisStore } from '../platform/redis.ts';
import * as queries from './pens.queries.ts';

export type { SinceColumn } from './pens.queries.ts';
type SinceColumn = queries.SinceColumn;

/** An author as the content side knows them: whether they take comments, and their standing. */
export interface PensService {
  allowsComments(authorKey: Buffer): Promise<boolean>;
  setAllowsComments(authorKey: Buffer, allowComments: boolean): Promise<void>;
  /** Throws for somebody whose account is being deleted at this moment. */
  ensure(tx: ContentDb, authorKey: Buffer): Promise<void>;
  /** The same for what needs no pen. */
  refuseLeaving(tx: ContentDb, authorKey: Buffer): Promise<void>;
  countSince(tx: ContentDb, authorKey: Buffer, what: SinceColumn, change: 1 | -1): Promise<void>;
  takeSince(authorKey: Buffer): Promise<Record<SinceColumn, number>>;
  /** The same, and it is still there to be told. */
  peekSince(authorKey: Buffer): Promise<Record<SinceColumn, number>>;
  /** Pens whose account is gone, once their vents are gone too. */
  purgeErased(): Promise<void>;
  isSuspended(authorKey: Buffer, options: { readonly skipCache: boolean }): Promise<boolean>;
  /** Which of these authors are, in hex. */
  suspendedAmong(authorKeys: readonly Buffer[]): Promise<ReadonlySet<string>>;
  /** Null lifts it. Whoever calls this knows a pen, never an account. */
  suspend(authorKey: Buffer, until: Date | null): Promise<void>;
}

const cacheSeconds = 60;

interface PensDeps {
  readonly db: Databases;
  readonly redis: RedisStore;
  readonly clock: Clock;
  readonly opaque: Opaque;
  /** Whether comments are taken stands on every page with a vent of theirs. */
  readonly pages: Pick<Copies<unknown>, 'drop'>;
  readonly standings: Copies<number>;
}

export function createPensService(deps: PensDeps): PensService {
  const { db, redis, clock, opaque, pages, standings } = deps;
  const cacheKey = (authorKey: Buffer) => `standing:${opaque.name('standing', authorKey)}`;

  async function readCache(authorKey: Buffer): Promise<number | undefined> {
    const kept = await redis.getOrMiss(cacheKey(authorKey));
    return kept === null ? undefined : Number(kept);
  }

  async function loadSuspendedUntil(authorKey: Buffer): Promise<number> {
    const until = (await queries.findPen(db.content, authorKey))?.suspendedUntil?.getTime() ?? 0;
    const value = String(until);
    void redis
      .run((client) => client.set(cacheKey(authorKey), value, 'EX', cacheSeconds, 'NX'))
      .catch(() => {});
    return until;
  }

  return {
    async allowsComments(authorKey) {
      return (await queries.findPen(db.content, authorKey))?.allowComments ?? true;
    },

    async setAllowsComments(authorKey, allowComments) {
      await transaction(db.content, async (tx) => {
        if (await queries.isLeaving(tx, authorKey)) throw new AppError('UNAUTHENTICATED');
        await queries.setAllowComments(tx, authorKey, allowComments);
      });
      await pages.drop();
    },

    async ensure(tx, authorKey) {
      if (!(await queries.ensurePen(tx, authorKey))) throw new AppError('UNAUTHENTICATED');
    },

    async refuseLeaving(tx, authorKey) {
      if (await queries.isLeaving(tx, authorKey)) throw new AppError('UNAUTHENTICATED');
    },

    countSince: queries.addSince,

    async takeSince(authorKey) {
      return (await queries.takeSince(db.content, authorKey)) ?? { heart: 0, hug: 0, listen: 0, comments: 0 };
    },

    async peekSince(authorKey) {
      const pen = await queries.findPen(db.content, authorKey);
      return {
        heart: pen?.sinceHeart ?? 0,
        hug: pen?.sinceHug ?? 0,
        listen: pen?.sinceListen ?? 0,
        comments: pen?.sinceComments ?? 0,
      };
    },

    purgeErased: () => queries.deleteErasedPens(db.content, new Date(clock.now())),

    async isSuspended(authorKey, { skipCache }) {
      const until = skipCache
        ? await loadSuspendedUntil(authorKey)
        : await standings.get(
            authorKey.toString('base64url'),
            async () => (await readCache(authorKey)) ?? (await loadSuspendedUntil(authorKey)),
          );
      return until > clock.now();
    },

    async suspendedAmong(authorKeys) {
      const keys = await queries.listSuspended(db.content, authorKeys, new Date(clock.now()));
      return new Set(keys.map((key) => key.toString('hex')));
    },

    async suspend(authorKey, until) {
      await queries.setSuspendedUntil(db.content, authorKey, until);
      const value = String(until?.getTime() ?? 0);
      await redis.insist(
        (client) => client.set(cacheKey(authorKey), value, 'EX', cacheSeconds),
        cacheSeconds * 1000,
      );
      await standings.drop();
    },
  };
}
