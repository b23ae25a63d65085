import type { Choices as ChoicesView } from '@unsaid/contract';
import { accountKey, isEmpty, noChoices, type Choices } from '../../kernel/choices.ts';
import { createHiding, type Hiding } from '../../kernel/hiding.ts';
import type { KnownPerson } from '../../kernel/people.ts';
import type { PublicIds } from '../../kernel/public-ids.ts';
import { createBatcher } from '../../platform/batch.ts';
import { createKeyAead } from '../../platform/crypto/aead.ts';
import type { Keys } from '../../platform/crypto/keys.ts';
import { inTransaction, type IdentityDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { padToMultiple } from '../../platform/padding.ts';
import type { IdentityContext } from '../context.ts';
import * as queries from './choices.hot.queries.ts';

/** What people hide and mute: one encrypted row for each person with choices, who are few. */

export const createChoicesReader = (db: IdentityDb) =>
  createBatcher(async (userIds: readonly bigint[]) => {
    const rows = await queries.findSealed(db, userIds);
    const byUser = new Map(rows.map(({ userId, sealed }) => [userId, sealed]));
    return userIds.map((userId) => byUser.get(userId));
  });

export async function findChoices(ctx: IdentityContext, userId: bigint): Promise<Choices> {
  const sealed = await ctx.readSealedChoices(userId);
  return sealed ? openChoices(ctx.keys, userId, sealed) : noChoices;
}

/** Null for people without choices, who are most. Cached. */
export async function findHiding(ctx: IdentityContext, userId: bigint): Promise<Hiding | null> {
  const { hiding } = await ctx.hidingCache.getOrLoad(String(userId), async () => {
    const choices = await findChoices(ctx, userId);
    return { hiding: choices === noChoices ? null : createHiding(choices) };
  });
  return hiding;
}

/** Of these people, those whom this one hides and those who hide this one: read from the choices of both sides. */
export async function findHidden(
  ctx: IdentityContext,
  me: KnownPerson,
  others: readonly KnownPerson[],
): Promise<ReadonlySet<bigint>> {
  const [mine, ...theirs] = await Promise.all([me, ...others].map(({ userId }) => findChoices(ctx, userId)));
  const isHiddenIn = (choices: Choices | undefined, { person }: KnownPerson) =>
    choices?.names.some(({ account }) => account === accountKey(person.speakerId));
  const found = others.filter((other, n) => isHiddenIn(mine, other) || isHiddenIn(theirs[n], me));
  return new Set(found.map(({ userId }) => userId));
}

/** Changes of one person wait for each other. */
export async function updateChoices(
  ctx: IdentityContext,
  userId: bigint,
  change: (choices: Choices) => Choices,
): Promise<void> {
  await inTransaction(ctx, async ({ db, keys, hidingCache }, afterCommit) => {
    // Race: the account was deleted after the session check.
    if (!(await queries.lockOwner(db, userId))) throw new AppError('UNAUTHENTICATED');
    const [row] = await queries.findSealed(db, [userId]);
    const before = row ? openChoices(keys, userId, row.sealed) : noChoices;
    const after = change(before);
    if (after === before) return;
    if (isEmpty(after)) await queries.deleteChoices(db, userId);
    else await queries.saveSealed(db, userId, sealChoices(keys, userId, after));
    afterCommit(() => hidingCache.invalidateAll());
  });
}

const stepBytes = 1024;
/** Nonce and tag, which are part of the row's length. */
const overheadBytes = 28;

/** The additional data: a row opens for its owner alone. */
const boundTo = (userId: bigint) => Buffer.from(String(userId));

/** Padded to steps of 1 kB, so that the length tells little. */
export function sealChoices(keys: Keys, userId: bigint, choices: Choices): Buffer {
  const padded = padToMultiple(JSON.stringify(choices), stepBytes, overheadBytes);
  return createKeyAead(keys, 'choices/1').seal(Buffer.from(padded), boundTo(userId));
}

/** None for a row that was changed, or belongs to somebody else. */
function openChoices(keys: Keys, userId: bigint, sealed: Buffer): Choices {
  const plain = createKeyAead(keys, 'choices/1').open(sealed, boundTo(userId));
  if (!plain) return noChoices;
  // A list that a later release added is missing in older rows.
  return { ...noChoices, ...(JSON.parse(plain.toString()) as Choices) };
}

/** What a person has hidden and muted, as they are shown it. */
export function choicesView(choices: Choices, publicIds: PublicIds): Omit<ChoicesView, 'success'> {
  const { vents, comments, names, words, hashtags, emotions } = choices;
  const refOf = (commentId: string) => {
    const { ventId } = publicIds.comment.decode(commentId) ?? { ventId: 0n };
    return { kind: 'comment' as const, id: commentId, ventId: publicIds.vent.encode(ventId) };
  };
  return {
    hidden: [...vents.map((id) => ({ kind: 'vent' as const, id })), ...comments.map(refOf)],
    names: names.map(({ id, username }) => ({ _id: id, username })),
    mutes: { words: [...words], hashtags: [...hashtags], emotions: [...emotions] },
  };
}
