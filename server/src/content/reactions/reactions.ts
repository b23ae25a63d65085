import {
  reactionTypes,
  type ParsedRequestOf,
  type ReactionType,
  type ResponseOf,
  type react,
} from '@unsaid/contract';
import { inTransaction, type ContentDb } from '../../platform/db.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { Person } from '../../kernel/person-keys.ts';
import { findReactionCounts, lockForReactions, recordReactions } from '../vents/vent-access.ts';
import { listExisting, type ReactionKeys } from './reactions.hot.queries.ts';
import * as queries from './reactions.queries.ts';
import { mergeChanges, withOwn } from './reaction-changes.ts';
import type { AskedChange, ChangedReactions, ContentContext } from '../context.ts';

type ReactInput = ParsedRequestOf<typeof react>['body'];

/** Of several readers in one statement. Each gets the positions of those of their own keys that exist. */
export async function findReactions(from: ContentDb, readers: readonly ReactionKeys[]) {
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
}

/** A person's own reactions to these vents. */
export async function listOwnReactions(
  ctx: ContentContext,
  from: ContentDb,
  person: Person,
  ventIds: readonly bigint[],
): Promise<Map<bigint, ReactionType[]>> {
  if (ventIds.length === 0) return new Map();
  const existing = await ctx.batched.findReactions(from, {
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
export const changeReactions = (
  ctx: ContentContext,
  sealedId: string,
  asked: readonly AskedChange[],
): Promise<ChangedReactions> =>
  inTransaction(ctx, async (ctx, afterCommit) => {
    const vent = await lockForReactions(ctx, sealedId);
    const { ventId, isOwnOf } = vent;
    const changes = asked.map(({ person, ...one }) => {
      const [reactorKey] = person.reactorKeys(ventId, [one.kind]) as [Buffer];
      return { ...one, reactorKey, isOwn: isOwnOf(person) };
    });
    const written = await queries.changeReactions(ctx.db, ventId, mergeChanges(changes));
    const interactions = written
      .filter((one) => !changes.some(({ isOwn, reactorKey }) => isOwn && reactorKey.equals(one.reactorKey)))
      .map(({ kind, delta }) => ({ kind, delta, isOwn: false }));
    if (interactions.length === 0) return { ventId, isOwnOf, counts: null };
    const counts = await recordReactions(ctx, vent, interactions, afterCommit);
    return { ventId, isOwnOf, counts };
  });

/** Without `active` it toggles. With `active` it is idempotent. */
export async function reactToVent(
  ctx: ContentContext,
  { person }: Viewer,
  { ventId: sealedId, reactionType: kind, active }: ReactInput,
): Promise<Omit<ResponseOf<typeof react>, 'success'>> {
  const asked = {
    person,
    kind,
    change: active === undefined ? 'toggle' : active ? 'set' : 'clear',
  } as const;
  const { ventId, isOwnOf, counts } = await ctx.batched.changeReactions(sealedId, asked);
  const ofOthers = counts ?? (await findReactionCounts(ctx, ventId));
  const myReactions = (await listOwnReactions(ctx, ctx.db, person, [ventId])).get(ventId) ?? [];
  return { reactions: isOwnOf(person) ? withOwn(ofOthers, myReactions) : ofOthers, myReactions };
}
