import type { ContentBase } from '../../kernel/base.ts';
import {
  reactionTypes,
  type ParsedRequestOf,
  type ReactionType,
  type ResponseOf,
  type react,
} from '@unsaid/contract';
import { createBatcherOn } from '../../platform/batch.ts';
import { transaction, type ContentDb } from '../../platform/db.ts';
import { createWriteQueue } from '../../platform/write-queue.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { VentAccess } from '../vents/vent-access.ts';
import { listExisting, type ReactionKeys } from './reactions.hot.queries.ts';
import * as queries from './reactions.queries.ts';
import { mergeChanges, withOwn } from './reaction-changes.ts';

type ReactInput = ParsedRequestOf<typeof react>['body'];

export interface ReactionsService {
  /** Without `active` it toggles. With `active` it is idempotent. */
  react(viewer: Viewer, input: ReactInput): Promise<Omit<ResponseOf<typeof react>, 'success'>>;
  /** A person's own reactions to these vents. */
  listMine(
    from: ContentDb,
    person: Person,
    ventIds: readonly bigint[],
  ): Promise<ReadonlyMap<bigint, ReactionType[]>>;
}

interface ReactionsDeps extends Pick<ContentBase, 'db'> {
  readonly access: VentAccess;
}

export function createReactionsService({ db, access }: ReactionsDeps): ReactionsService {
  /** Batches concurrent readers into one statement. Each gets the positions of those of their own keys that exist. */
  const batchFindExisting = createBatcherOn(async (from: ContentDb, readers: readonly ReactionKeys[]) => {
    const existing = await listExisting(from, {
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

  async function listMine(
    from: ContentDb,
    person: Person,
    ventIds: readonly bigint[],
  ): Promise<Map<bigint, ReactionType[]>> {
    if (ventIds.length === 0) return new Map();
    const existing = await batchFindExisting(from, {
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

  /**
   * Those who react to one vent at once share a transaction. `counts` is null where none changed. They do not count the
   * author: a count that trending ignores would tell readers that it was the author.
   */
  const change = createWriteQueue((sealedId: string, asked: readonly AskedChange[]) =>
    transaction(db, async (tx, afterCommit) => {
      const vent = await access.lockForReactions(tx, sealedId);
      const { ventId, isOwnOf } = vent;
      const changes = asked.map(({ person, ...one }) => {
        const [reactorKey] = person.reactorKeys(ventId, [one.kind]) as [Buffer];
        return { ...one, reactorKey, isOwn: isOwnOf(person) };
      });
      const written = await queries.changeReactions(tx, ventId, mergeChanges(changes));
      const interactions = written
        .filter((one) => !changes.some(({ isOwn, reactorKey }) => isOwn && reactorKey.equals(one.reactorKey)))
        .map(({ kind, delta }) => ({ kind, delta, isOwn: false }));
      if (interactions.length === 0) return { ventId, isOwnOf, counts: null };
      const counts = await access.recordReactions(tx, vent, interactions, afterCommit);
      return { ventId, isOwnOf, counts };
    }),
  );

  return {
    listMine,
    async react({ person }, { ventId: sealedId, reactionType: kind, active }) {
      const asked = {
        person,
        kind,
        change: active === undefined ? 'toggle' : active ? 'set' : 'clear',
      } as const;
      const { ventId, isOwnOf, counts } = await change(sealedId, asked);
      const ofOthers = counts ?? (await access.findReactionCounts(ventId));
      const myReactions = (await listMine(db, person, [ventId])).get(ventId) ?? [];
      return { reactions: isOwnOf(person) ? withOwn(ofOthers, myReactions) : ofOthers, myReactions };
    },
  };
}

interface AskedChange {
  readonly person: Person;
  readonly kind: ReactionType;
  readonly change: queries.ReactionChange;
}
