import type { ReactionCounts } from '@unsaid/contract';
import type { ContentDb, Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Seals } from '../platform/seals.ts';
import type { PensService, SinceColumn } from '../pens/pens.service.ts';
import * as queries from './vents.queries.ts';

/** What reactions, comments and reports need of a vent: is it there, whose is it, count this. */
export interface VentDoors {
  /**
   * Throws where there is no such vent for anybody to see: forged, hidden and gone are one answer. In a
   * transaction it is held: its row stays until the end, and whoever removes it waits for that.
   */
  open(sealedId: string, tx?: ContentDb): Promise<{ ventId: bigint; authorKey: Buffer; createdAt: Date }>;
  /** Counts a gift, or its taking back, for the vent and for its author's "since you were here". */
  count(tx: ContentDb, gift: Gift): Promise<ReactionCounts & { readonly comments: number }>;
  currentCounts(ventId: bigint): Promise<ReactionCounts>;
  claim(tx: ContentDb, idempotencyKey: Buffer, at: Date): Promise<boolean>;
  settle(tx: ContentDb, idempotencyKey: Buffer, resultId: bigint): Promise<void>;
  earlierResult(idempotencyKey: Buffer): Promise<bigint | null>;
}

export interface Gift {
  readonly ventId: bigint;
  readonly authorKey: Buffer;
  readonly column: queries.StatColumn;
  readonly change: 1 | -1;
  /** What authors give themselves is shown, but lifts nothing and is no news to them. */
  readonly isOwn: boolean;
}

/** As trending weighs them. */
const weights: Record<queries.StatColumn, number> = { heart: 1, hug: 2, listen: 2, comments: 3 };

export function createVentDoors(deps: { db: Databases; seals: Seals; pens: PensService }): VentDoors {
  const { db, seals, pens } = deps;
  return {
    async open(sealedId, tx) {
      const ventId = seals.vent.open(sealedId) ?? -1n;
      const vent = await queries.findVisible(tx ?? db.content, ventId, { isHeld: tx !== undefined });
      if (!vent) throw new AppError('VENT_NOT_FOUND');
      return { ventId, ...vent };
    },
    async count(tx, { ventId, authorKey, column, change, isOwn }) {
      const counts = await queries.addToStats(
        tx,
        ventId,
        column,
        change,
        isOwn ? change * weights[column] : 0,
      );
      if (!counts) throw new AppError('VENT_NOT_FOUND');
      if (!isOwn) await pens.countSince(tx, authorKey, column satisfies SinceColumn, change);
      return counts;
    },
    async currentCounts(ventId) {
      return (await queries.findStats(db.content, ventId)) ?? { heart: 0, hug: 0, listen: 0 };
    },
    claim: queries.claimIdempotencyKey,
    settle: queries.settleIdempotencyKey,
    earlierResult: (key) => queries.findIdempotentResult(db.content, key),
  };
}
