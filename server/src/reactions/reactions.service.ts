import {
  reactionTypes,
  type ParsedRequestOf,
  type ReactionType,
  type ResponseOf,
  type react,
} from '@unsaid/contract';
import { createBatcher } from '../platform/batch.ts';
import { transaction, type Databases } from '../platform/db.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { Person } from '../pseudonyms/person-keys.ts';
import type { VentAccess } from '../vents/vent-access.service.ts';
import * as queries from './reactions.queries.ts';

type ReactInput = ParsedRequestOf<typeof react>['body'];

export interface ReactionsService {
  /** Without `active` it toggles. With `active` it is idempotent. */
  react(viewer: Viewer, input: ReactInput): Promise<Omit<ResponseOf<typeof react>, 'success'>>;
  /** A person's own reactions to these vents. */
  listMine(person: Person, ventIds: readonly bigint[]): Promise<ReadonlyMap<bigint, ReactionType[]>>;
}

interface ReactionsDeps {
  readonly db: Databases;
  readonly access: VentAccess;
}

export function createReactionsService({ db, access }: ReactionsDeps): ReactionsService {
  /** Batches concurrent readers into one statement. Each gets the positions of those of their own keys that exist. */
  const batchFindExisting = createBatcher(async (readers: readonly queries.ReactionKeys[]) => {
    const existing = await queries.listExisting(db.content, {
      ventIds: readers.flatMap(({ ventIds }) => ventIds),
      reactorKeys: Buffer.concat(readers.map(({ reactorKeys }) => reactorKeys)),
    });
    let next = 0;
    return readers.map(({ ventIds }) => {
      const first = next;
      next += ventIds.length;
      return new Set(existing.map((position) => position - first));
    });
  });

  async function listMine(person: Person, ventIds: readonly bigint[]): Promise<Map<bigint, ReactionType[]>> {
    if (ventIds.length === 0) return new Map();
    const existing = await batchFindExisting({
      ventIds: ventIds.flatMap((ventId) => reactionTypes.map(() => ventId)),
      reactorKeys: person.allReactorKeys(ventIds, reactionTypes),
    });
    return new Map(
      ventIds.map((ventId, position) => [
        ventId,
        reactionTypes.filter((_, kind) => existing.has(position * reactionTypes.length + kind)),
      ]),
    );
  }

  return {
    listMine,
    async react({ person }, { ventId: sealedId, reactionType: kind, active }) {
      const { ventId, counts } = await transaction(db.content, async (tx, afterCommit) => {
        const { ventId, isOwn } = await access.lockVisible(tx, sealedId, person);
        const [reactorKey] = person.reactorKeys(ventId, [kind]) as [Buffer];
        const reaction = { ventId, reactorKey, kind };
        const record = (delta: 1 | -1) =>
          access.recordInteraction(tx, { ventId, isOwn, kind, delta }, afterCommit);
        for (;;) {
          if (active !== true && (await queries.deleteReaction(tx, reaction)))
            return { ventId, counts: await record(-1) };
          if (active !== false && (await queries.insertReaction(tx, reaction)))
            return { ventId, counts: await record(1) };
          if (active !== undefined) return { ventId, counts: null };
          // A concurrent toggle of the same person won the race. Retry on the state it left.
        }
      });
      return {
        reactions: counts ?? (await access.findReactionCounts(ventId)),
        myReactions: (await listMine(person, [ventId])).get(ventId) ?? [],
      };
    },
  };
}
