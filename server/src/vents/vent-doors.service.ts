import type { ReactionCounts, ReactionType } from '@unsaid/contract';
import { today, type Clock } from '../platform/clock.ts';
import type { ContentDb, Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Person } from '../platform/persons.ts';
import type { CommentId, Seals } from '../platform/seals.ts';
import type { Speakers } from '../platform/speakers.ts';
import * as queries from './vents.queries.ts';

/** What reactions, comments and reports need of a vent: is it there, is it the asker's own, count this. */
export interface VentDoors {
  /**
   * Throws where there is no such vent for anybody to see: forged, hidden and gone are one answer. In a
   * transaction it is held: its row stays until the end, and whoever removes it waits for that.
   */
  open(sealedId: string, asker: Person, tx?: ContentDb): Promise<OpenVent>;
  /** Counts a reaction, or its taking back. */
  countReaction(tx: ContentDb, vent: OpenVent, kind: ReactionType, change: 1 | -1): Promise<ReactionCounts>;
  /** Counts a comment and gives its number within the vent. Throws where the vent takes none. */
  addComment(tx: ContentDb, vent: OpenVent): Promise<{ readonly no: number; readonly isFirst: boolean }>;
  takeAwayComment(tx: ContentDb, ventId: bigint, isAuthors: boolean): Promise<void>;
  currentCounts(ventId: bigint): Promise<ReactionCounts>;
  claim(tx: ContentDb, idempotencyKey: Buffer): Promise<boolean>;
  settle(tx: ContentDb, idempotencyKey: Buffer, result: CommentId): Promise<void>;
  earlierResult(idempotencyKey: Buffer): Promise<CommentId | null>;
}

export interface OpenVent {
  readonly ventId: bigint;
  /** What authors give themselves is shown, but lifts nothing and is no news to them. */
  readonly isOwn: boolean;
  readonly createdAt: Date;
}

/** As trending weighs them. */
const weights: Record<queries.StatColumn, number> = { heart: 1, hug: 2, listen: 2, comments: 3 };

interface VentDoorsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly speakers: Speakers;
}

export function createVentDoors({ db, clock, seals, speakers }: VentDoorsDeps): VentDoors {
  return {
    async open(sealedId, asker, tx) {
      const ventId = seals.vent.open(sealedId) ?? -1n;
      const vent = await queries.findVisible(tx ?? db.content, ventId, { isHeld: tx !== undefined });
      if (!vent) throw new AppError('VENT_NOT_FOUND');
      const isOwn = speakers.numberOf('vent', vent.speaker, asker.speakerId) !== null;
      return { ventId, isOwn, createdAt: vent.createdAt };
    },
    async countReaction(tx, { ventId, isOwn }, kind, change) {
      const counts = await queries.addToStats(tx, ventId, kind, change, isOwn ? change * weights[kind] : 0);
      if (!counts) throw new AppError('VENT_NOT_FOUND');
      return counts;
    },
    async addComment(tx, { ventId, isOwn }) {
      const counted = await queries.addCommentToStats(tx, ventId, isOwn ? weights.comments : 0);
      if (!counted) throw new AppError('COMMENTS_DISABLED');
      return { no: counted.lastNo, isFirst: counted.comments === 1 };
    },
    async takeAwayComment(tx, ventId, isAuthors) {
      await queries.addToStats(tx, ventId, 'comments', -1, isAuthors ? -weights.comments : 0);
    },
    async currentCounts(ventId) {
      return (await queries.findStats(db.content, ventId)) ?? { heart: 0, hug: 0, listen: 0 };
    },
    claim: (tx, key) => queries.claimIdempotencyKey(tx, key, today(clock)),
    settle: (tx, key, result) => queries.settleIdempotencyKey(tx, key, seals.result.seal(result)),
    async earlierResult(key) {
      const result = await queries.findIdempotentResult(db.content, key);
      return result && seals.result.open(result);
    },
  };
}
