import { reactionTypes, type ReactionCounts, type ReactionType } from '@unsaid/contract';
import { transaction, type Databases } from '../platform/db.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Person } from '../platform/persons.ts';
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
  mine(person: Person, ventIds: readonly bigint[]): Promise<ReadonlyMap<bigint, ReactionType[]>>;
}

interface ReactionsDeps {
  readonly db: Databases;
  readonly doors: VentDoors;
}

export function createReactionsService({ db, doors }: ReactionsDeps): ReactionsService {
  /** Readers who come at once are read for in one statement; each gets which of their own places are taken. */
  const takenOf = together(async (askers: readonly queries.Places[]) => {
    const taken = await queries.listTaken(db.content, {
      ventIds: askers.flatMap(({ ventIds }) => ventIds),
      reactorKeys: Buffer.concat(askers.map(({ reactorKeys }) => reactorKeys)),
    });
    let before = 0;
    return askers.map(({ ventIds }) => {
      const first = before;
      before += ventIds.length;
      return new Set(taken.map((position) => position - first));
    });
  });

  async function mine(person: Person, ventIds: readonly bigint[]): Promise<Map<bigint, ReactionType[]>> {
    if (ventIds.length === 0) return new Map();
    const taken = await takenOf({
      ventIds: ventIds.flatMap((ventId) => reactionTypes.map(() => ventId)),
      reactorKeys: person.allReactorKeys(ventIds, reactionTypes),
    });
    return new Map(
      ventIds.map((ventId, position) => [
        ventId,
        reactionTypes.filter((_, kind) => taken.has(position * reactionTypes.length + kind)),
      ]),
    );
  }

  return {
    mine,
    async react({ person }, { ventId: sealedId, reactionType: kind, active }) {
      const { ventId, counts } = await transaction(db.content, async (tx) => {
        const vent = await doors.open(sealedId, person, tx);
        const { ventId } = vent;
        const [reactorKey] = person.reactorKeys(ventId, [kind]) as [Buffer];
        const reaction = { ventId, reactorKey, kind };
        for (;;) {
          if (active !== true && (await queries.deleteReaction(tx, reaction))) {
            return { ventId, counts: await doors.countReaction(tx, vent, kind, -1) };
          }
          if (active !== false && (await queries.insertReaction(tx, reaction))) {
            return { ventId, counts: await doors.countReaction(tx, vent, kind, 1) };
          }
          if (active !== undefined) return { ventId, counts: null };
          // Another toggle of the same person came in between: this one turns what that one left.
        }
      });
      return {
        reactions: counts ?? (await doors.currentCounts(ventId)),
        myReactions: (await mine(person, [ventId])).get(ventId) ?? [],
      };
    },
  };
}
