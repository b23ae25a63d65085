import { reactionTypes, type ReactionCounts, type ReactionType } from '@unsaid/contract';
import { transaction, type Databases } from '../platform/db.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Seals } from '../platform/seals.ts';
import { together } from '../platform/together.ts';
import type { VentDoors } from '../vents/vent-doors.service.ts';
import * as queries from './reactions.queries.ts';

export interface ReactionsService {
  /** Without `active` it is a toggle; with it, saying it twice is saying it once. */
  react(
    viewer: Viewer,
    wish: {
      readonly ventId: string;
      readonly reactionType: ReactionType;
      readonly active?: boolean | undefined;
    },
  ): Promise<{ reactions: ReactionCounts; myReactions: ReactionType[] }>;
  mine(viewer: Viewer, ventIds: readonly bigint[]): Promise<ReadonlyMap<bigint, ReactionType[]>>;
}

interface ReactionsDeps {
  readonly db: Databases;
  readonly seals: Seals;
  readonly doors: VentDoors;
}

export function createReactionsService({ db, seals, doors }: ReactionsDeps): ReactionsService {
  /** Readers who come at once are read for in one statement; each gets what stands at their own places. */
  const reactionsAt = together(async (askers: readonly (readonly queries.Place[])[]) => {
    const rows = await queries.listAt(db.content, askers.flat());
    const kindsAt = Map.groupBy(rows, ({ reactorKey }) => reactorKey.toString('latin1'));
    return askers.map((places) =>
      places.map(({ reactorKey }) => kindsAt.get(reactorKey.toString('latin1')) ?? []),
    );
  });

  async function mine(viewer: Viewer, ventIds: readonly bigint[]): Promise<Map<bigint, ReactionType[]>> {
    if (ventIds.length === 0) return new Map();
    const places = ventIds.map((ventId) => ({ ventId, reactorKey: seals.reactorKey(viewer.userId, ventId) }));
    const found = await reactionsAt(places);
    return new Map(
      ventIds.map((ventId, position) => [
        ventId,
        reactionTypes.filter((type) => found[position]?.some(({ kind }) => kind === type)),
      ]),
    );
  }

  return {
    mine,
    async react(viewer, { ventId: sealedId, reactionType: kind, active }) {
      const { ventId, counts } = await transaction(db.content, async (tx) => {
        const { ventId, authorKey } = await doors.open(sealedId, tx);
        const reaction = { ventId, reactorKey: seals.reactorKey(viewer.userId, ventId), kind };
        const gift = { ventId, authorKey, column: kind, isOwn: authorKey.equals(viewer.authorKey) } as const;
        for (;;) {
          if (active !== true && (await queries.deleteReaction(tx, reaction))) {
            return { ventId, counts: await doors.count(tx, { ...gift, change: -1 }) };
          }
          if (active !== false && (await queries.insertReaction(tx, reaction))) {
            return { ventId, counts: await doors.count(tx, { ...gift, change: 1 }) };
          }
          if (active !== undefined) return { ventId, counts: null };
          // Another toggle of the same person came in between: this one turns what that one left.
        }
      });
      return {
        reactions: counts ?? (await doors.currentCounts(ventId)),
        myReactions: (await mine(viewer, [ventId])).get(ventId) ?? [],
      };
    },
  };
}
