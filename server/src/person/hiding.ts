import { randomBytes } from 'node:crypto';
import {
  hide,
  limits,
  type Choices as ChoicesView,
  type HideTarget,
  type Mutes,
  type UnhideTarget,
} from '@unsaid/contract';
import { choicesView } from '../identity/index.ts';
import { accountKey, isSameName, type Choices, type HiddenName } from '../kernel/choices.ts';
import type { Viewer } from '../kernel/viewer.ts';
import { AppError } from '../platform/errors.ts';
import type { PersonContext } from './context.ts';

/** Hiding and muting. */

type NewName = Omit<HiddenName, 'id'>;

export async function listChoices(
  { identity, publicIds }: PersonContext,
  { userId }: Viewer,
): Promise<Omit<ChoicesView, 'success'>> {
  return choicesView(await identity.choices.find(userId), publicIds);
}

/** Idempotent. */
export async function hideTarget(ctx: PersonContext, viewer: Viewer, target: HideTarget): Promise<void> {
  switch (target.kind) {
    case 'vent':
      await ctx.content.access.assertVisible(viewer, target.id);
      return hideItem(ctx, viewer, 'vents', target.id);
    case 'comment':
      await ctx.content.comments.findNamed(viewer, { ventId: target.ventId, commentId: target.id });
      return hideItem(ctx, viewer, 'comments', target.id);
    case 'name':
      return hideName(
        ctx,
        viewer,
        'peerId' in target
          ? await nameInMatch(ctx, await ctx.matching.findPeer(viewer, target.peerId))
          : await nameOnComment(ctx, viewer, target),
      );
  }
}

/** Idempotent. */
export async function unhideTarget(ctx: PersonContext, viewer: Viewer, target: UnhideTarget): Promise<void> {
  if (target.kind === 'vent') return removeFrom(ctx, viewer, 'vents', (id) => id === target.id);
  if (target.kind === 'comment') return removeFrom(ctx, viewer, 'comments', (id) => id === target.id);
  if ('_id' in target) return removeFrom(ctx, viewer, 'names', ({ id }) => id === target._id);
  const name =
    'peerId' in target
      ? await nameInMatch(ctx, await ctx.matching.findPeer(viewer, target.peerId, 'listed'))
      : await nameOnComment(ctx, viewer, target);
  if (name) await removeFrom(ctx, viewer, 'names', (one) => isMeantBy(one, name));
}

export const replaceMutes = (
  { identity }: PersonContext,
  { userId }: Viewer,
  { words, hashtags, emotions }: Mutes,
): Promise<void> =>
  identity.choices.update(userId, (choices) => ({
    ...choices,
    words: unique(words),
    hashtags,
    emotions: unique(emotions),
  }));

async function nameInMatch({ identity }: PersonContext, userId: bigint | null): Promise<NewName | null> {
  const { profiles } = identity;
  const person = userId === null ? null : (await profiles.matchFacts(userId))?.person;
  if (userId === null || !person) return null;
  const username = (await profiles.names([userId])).get(userId)?.username ?? null;
  return { account: accountKey(person.speakerId), username, isFromMatch: true };
}

async function nameOnComment(
  { content }: PersonContext,
  viewer: Viewer,
  target: { readonly commentId: string; readonly ventId: string },
): Promise<NewName | null> {
  const named = await content.comments.findNamed(viewer, target);
  return named && { account: accountKey(named.speakerId), username: named.username, isFromMatch: false };
}

async function hideName(ctx: PersonContext, viewer: Viewer, name: NewName | null): Promise<void> {
  if (!name) throw new AppError('NOT_FOUND');
  await ctx.identity.choices.update(viewer.userId, (choices) => {
    if (choices.names.some((one) => isSameName(one, name))) return choices;
    assertRoom(choices.names.length, limits.hiddenNames);
    const id = randomBytes(9).toString('base64url');
    return { ...choices, names: [{ id, ...name }, ...choices.names] };
  });
  // From now on no search pairs the two. Also where the name was hidden before: ending the pair may have failed then.
  const otherId = await ctx.identity.profiles.findUserBySpeaker(Buffer.from(name.account, 'base64url'));
  if (otherId !== null) await ctx.matching.endMatchWith(viewer, otherId);
}

const hideItem = (
  { identity }: PersonContext,
  { userId }: Viewer,
  kind: 'vents' | 'comments',
  id: string,
): Promise<void> =>
  identity.choices.update(userId, (choices) => {
    if (choices[kind].includes(id)) return choices;
    assertRoom(choices.vents.length + choices.comments.length, limits.hiddenItems);
    return { ...choices, [kind]: [id, ...choices[kind]] };
  });

/** Leaves the choices as they are where nothing goes. */
const removeFrom = <K extends 'names' | 'vents' | 'comments'>(
  { identity }: PersonContext,
  { userId }: Viewer,
  list: K,
  isGone: (one: Choices[K][number]) => boolean,
): Promise<void> =>
  identity.choices.update(userId, (choices) => {
    const before = choices[list] as readonly Choices[K][number][];
    const kept = before.filter((one) => !isGone(one));
    return kept.length === before.length ? choices : { ...choices, [list]: kept };
  });

/** What hides this comment, or was chosen in this match. */
const isMeantBy = (one: HiddenName, name: NewName) =>
  one.account === name.account &&
  (name.isFromMatch ? one.isFromMatch : !one.isFromMatch || one.username === name.username);

function assertRoom(count: number, max: number): void {
  if (count < max) return;
  throw new AppError('VALIDATION_FAILED', {
    message: hide.invalidMessage,
    fields: [{ path: 'about', rule: 'too_many' }],
  });
}

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];
