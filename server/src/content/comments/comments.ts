import {
  limits,
  type CommentView,
  type ParsedRequestOf,
  type commentOnVent,
  type deleteComment,
  type listComments,
} from '@unsaid/contract';
import { tellsToDie } from '@unsaid/guard/crisis';
import { splitBlocks } from '../../platform/crypto/block.ts';
import { dayInIndia } from '../../platform/clock.ts';
import { inTransaction, type AfterCommit, type ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { refuseIdentity } from '../../platform/identity-guard.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { CommentId } from '../../kernel/public-ids.ts';
import { ventPlace } from '../../kernel/speakers.ts';
import { claimSlot } from '../slots/slots.ts';
import { claimKey, findByKey } from '../vents/idempotency.ts';
import { admitComment, findVisibleVent, recordComment, recordCommentChange } from '../vents/vent-access.ts';
import { openVentId } from '../../kernel/public-ids.ts';
import { listNewest } from './comments.hot.queries.ts';
import * as queries from './comments.queries.ts';
import {
  commentViewFor,
  nameKey,
  publicCommentView,
  type CommentNames,
  type CommentReader,
  type CommentsByVent,
} from './comments.view.ts';
import { deleteLeftThanks, insertThanks } from './thanks.queries.ts';
import { thankKeyOf, thanksShownFrom } from './thanks.ts';
import type { ContentContext } from '../context.ts';

type CommentInput = ParsedRequestOf<typeof commentOnVent>['body'];
type CommentIds = ParsedRequestOf<typeof deleteComment>['params'];

/** A comment has its number from the statement that writes it, and its speaker is bound to that: so many are at hand. */
const numbersAhead = 32;

/** The highest that the column holds. */
const maxNo = 2 ** 31 - 1;

/** The only place that learns the writer of a comment, and only of comments under a name. */
async function findNames(ctx: ContentContext, rows: readonly queries.CommentRow[]): Promise<CommentNames> {
  const named = rows.filter(({ voice }) => voice === 'named');
  const speakerIds = ctx.speakers.named(named);
  const names = await ctx.ports.people.namesOfSpeakers(speakerIds.filter((id) => id !== null));
  return new Map(
    named.flatMap((row, n) => {
      const speakerId = speakerIds[n];
      const name = speakerId && names.get(speakerId.toString('hex'));
      return name ? [[nameKey(row), { ...name, speakerId }] as const] : [];
    }),
  );
}

/** None without a username. */
async function nameOf(ctx: ContentContext, { speakerId }: Person) {
  const name = (await ctx.ports.people.namesOfSpeakers([speakerId])).get(speakerId.toString('hex'));
  return name?.username ? { ...name, speakerId } : null;
}

function toView(
  ctx: ContentContext,
  row: queries.ListedComment,
  reader: CommentReader,
  names: CommentNames,
): CommentView {
  return commentViewFor(reader, publicCommentView(row, names, ctx.publicIds), row, names);
}

/** Their own comments are never hidden from them. */
const toWriter = (ctx: ContentContext, row: queries.CommentRow, { person }: Viewer, names: CommentNames) => {
  const listed = { ...row, isThanked: false };
  const own = ctx.speakers.ownAmong([listed], person.speakerId);
  const reader = { isVentOwner: false, own, hiding: null, withHidden: false };
  return toView(ctx, listed, reader, names);
};

/** What an earlier request with this key created. */
async function findCreated(ctx: ContentContext, key: Buffer | null): Promise<queries.CommentRow | undefined> {
  const id = await findByKey(ctx, key);
  if (!id) return undefined;
  const row = await queries.findComment(ctx.db, id);
  // Created, and deleted or hidden since. A retry does not create it again.
  if (!row) throw new AppError('COMMENT_NOT_FOUND');
  return row;
}

/** The number of a comment on this vent. An id that does not belong there gets one at which there is nothing. */
function numberOn(ctx: ContentContext, ventId: bigint, commentId: string, nothing: number): number {
  const comment = ctx.publicIds.comment.decode(commentId);
  return comment?.ventId === ventId ? comment.no : nothing;
}

/** The number counts within its vent. Under another vent it would name another comment. */
function idOf(ctx: ContentContext, sealed: CommentIds): CommentId {
  const ventId = openVentId(ctx.publicIds, sealed.ventId);
  return { ventId, no: numberOn(ctx, ventId, sealed.commentId, 0) };
}

async function lockAuthors(ctx: ContentContext, id: CommentId) {
  const found = await queries.lockVentAndFindSpeakers(ctx.db, id);
  return (
    found && {
      state: found.state,
      vent: { ...ventPlace(id.ventId), speaker: found.ventSpeaker },
      comment: { ...id, voice: found.voice as queries.CommentVoice, speaker: found.speaker },
    }
  );
}

/** Counts a deleted comment off its vent. Only visible comments are counted. */
export async function recordDeletion(
  ctx: ContentContext,
  ventId: bigint,
  { voice, state }: Pick<queries.OwnCommentRow, 'voice' | 'state'>,
  afterCommit: AfterCommit,
): Promise<void> {
  if (state !== 'visible') return;
  await recordCommentChange(ctx, ventId, { isOwn: voice === 'author', delta: -1 }, afterCommit);
}

async function pageBefore(from: ContentDb, ventId: bigint, beforeNo: number | null) {
  const rows = await queries.listComments(from, ventId, beforeNo, limits.commentsShown + 1);
  return {
    rows: rows.slice(0, limits.commentsShown).toReversed(),
    hasOlder: rows.length > limits.commentsShown,
    hasNewer: beforeNo !== null,
  };
}

async function pageFrom(from: ContentDb, ventId: bigint, no: number) {
  const [rows, older] = await Promise.all([
    queries.listCommentsFrom(from, { ventId, no }, limits.commentsShown + 1),
    queries.listComments(from, ventId, no, 1),
  ]);
  return {
    rows: rows.slice(0, limits.commentsShown),
    hasOlder: older.length > 0,
    hasNewer: rows.length > limits.commentsShown,
  };
}

export async function createComment(
  ctx: ContentContext,
  viewer: Viewer,
  { ventId: sealedId, text, anonymous, door, isSure }: CommentInput,
  key: Buffer | null,
) {
  // First of all: a refused comment leaves no trace, and its key stays free for the corrected one.
  if (tellsToDie(text)) {
    ctx.metrics.guardRefusals.inc({ rule: 'encourages_self_harm' });
    throw new AppError('ENCOURAGES_SELF_HARM');
  }
  refuseIdentity(ctx.metrics, { text }, isSure);
  const { person } = viewer;
  // Without a username the voice is anonymous: a name chosen later must not appear under an earlier comment.
  const name = anonymous ? null : await nameOf(ctx, person);
  const ventId = openVentId(ctx.publicIds, sealedId);
  const also = queries.ventOfComment(ventId);
  const row = await claimSlot(ctx, person, 'comment', { key, also }, async ({ number, takenKey }, vent) => {
    const { weight, lastNo, shutOuts: knownShutOuts } = admitComment(ctx, ventId, vent, person);
    const voice = !weight.isAnswer ? 'author' : name ? 'named' : 'anonymous';
    if (ctx.shutOuts.isAmong(knownShutOuts, ventId, voice, person.speakerId))
      throw new AppError('COMMENTS_DISABLED');
    const first = { ventId, voice, no: lastNo + 1 } as const;
    const ids = Array.from({ length: numbersAhead }, (_, n) => ({ ventId, no: first.no + n }));
    const comment = { ventId, voice, body: text, saidOn: dayInIndia(ctx.clock.now()) } as const;
    const ahead = ctx.speakers.encrypt(first, person.speakerId, number, numbersAhead);
    const no = await queries.insertComment(ctx.db, {
      ...comment,
      ...weight,
      ...claimKey(ctx, key, ...ids),
      takenKey,
      firstNo: first.no,
      speakers: ahead,
      slotKey: person.slotKeys('comment', [number])[0] as Buffer,
      knownShutOuts,
    });
    if (no === null) return null;
    await recordComment(ctx, ventId, weight);
    if (weight.isAnswer) ctx.figures.countAnswer(door);
    return { ...comment, no, speaker: splitBlocks(ahead)[no - first.no] as Buffer };
  });
  if (row) return toWriter(ctx, row, viewer, new Map(name ? [[nameKey(row), name]] : []));
  const created = await findCreated(ctx, key);
  if (!created) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
  return toWriter(ctx, created, viewer, await findNames(ctx, [created]));
}

/** The newest page, the page before a comment, or the page that begins with one. */
export async function readComments(
  ctx: ContentContext,
  from: ContentDb,
  viewer: Viewer,
  sealedId: string,
  { before, from: first, withHidden }: ParsedRequestOf<typeof listComments>['query'],
) {
  const { ventId, isOwn } = await findVisibleVent(ctx, from, sealedId, viewer.person);
  const { rows, ...more } = await (first === undefined
    ? pageBefore(from, ventId, before === undefined ? null : numberOn(ctx, ventId, before, 0))
    : pageFrom(from, ventId, numberOn(ctx, ventId, first, maxNo)));
  const [names, hiding] = await Promise.all([
    findNames(ctx, rows),
    ctx.ports.choices.findHiding(viewer.userId),
  ]);
  const own = ctx.speakers.ownAmong(rows, viewer.person.speakerId);
  const reader = { isVentOwner: isOwn, own, hiding, withHidden: withHidden === 'true' };
  return { comments: rows.map((row) => toView(ctx, row, reader, names)), ...more };
}

/** The name that stands on a comment of somebody else, and its speaker. Null where none does. */
export async function findNamedComment(
  ctx: ContentContext,
  viewer: Viewer,
  { ventId: sealedId, commentId }: CommentIds,
) {
  const { ventId } = await findVisibleVent(ctx, ctx.db, sealedId, viewer.person);
  const row = await queries.findComment(ctx.db, { ventId, no: numberOn(ctx, ventId, commentId, 0) });
  if (!row) throw new AppError('COMMENT_NOT_FOUND');
  const name = (await findNames(ctx, [row])).get(nameKey(row));
  const isMine = ctx.speakers.numberOf(row, viewer.person.speakerId) !== null;
  return name?.username && !isMine ? { username: name.username, speakerId: name.speakerId } : null;
}

/** For the author of the vent: deletes the comment of somebody else, and closes this vent to its voice. */
export async function closeVoice(ctx: ContentContext, { person }: Viewer, sealed: CommentIds): Promise<void> {
  const id = idOf(ctx, sealed);
  await inTransaction(ctx, async (ctx, afterCommit) => {
    const found = await lockAuthors(ctx, id);
    if (!found || found.comment.voice === 'author') throw new AppError('COMMENT_NOT_FOUND');
    if (ctx.speakers.numberOf(found.vent, person.speakerId) === null) throw new AppError('COMMENT_NOT_FOUND');
    const voiceKey = ctx.closeKey(found.comment);
    const deleted = voiceKey && found.state === 'visible' && (await queries.deleteComment(ctx.db, id));
    if (!deleted) throw new AppError('COMMENT_NOT_FOUND');
    await recordDeletion(ctx, id.ventId, deleted, afterCommit);
    await queries.insertShutOut(ctx.db, id.ventId, voiceKey);
  });
}

/** For the author of the vent: says that the comment of somebody else helped. */
export async function thankWriter(
  ctx: ContentContext,
  { person }: Viewer,
  sealed: CommentIds,
): Promise<void> {
  const id = idOf(ctx, sealed);
  const found = await queries.findSpeakers(ctx.db, id);
  const mayThank =
    found?.state === 'visible' &&
    found.voice !== 'author' &&
    ctx.speakers.numberOf({ ...ventPlace(id.ventId), speaker: found.ventSpeaker }, person.speakerId) !== null;
  if (!mayThank) throw new AppError('COMMENT_NOT_FOUND');
  const shownFrom = thanksShownFrom(ctx.keys, id.ventId, dayInIndia(ctx.clock.now()));
  // No cached page is invalidated: a reader could time the press by the next one.
  await insertThanks(ctx.db, { ...id, thankKey: thankKeyOf(ctx.keys, id), shownFrom });
}

export const removeLeftThanks = (ctx: ContentContext) => deleteLeftThanks(ctx.db);

export async function removeComment(
  ctx: ContentContext,
  { person }: Viewer,
  sealed: CommentIds,
): Promise<void> {
  const id = idOf(ctx, sealed);
  const { ventId } = id;
  await inTransaction(ctx, async (ctx, afterCommit) => {
    const found = await lockAuthors(ctx, id);
    // The author of the vent deletes what readers see. A comment that moderation took away only its writer can delete.
    const mayRemove =
      found &&
      (ctx.speakers.numberOf(found.comment, person.speakerId) !== null ||
        (found.state === 'visible' && ctx.speakers.numberOf(found.vent, person.speakerId) !== null));
    const deleted = mayRemove && (await queries.deleteComment(ctx.db, id));
    if (!deleted) throw new AppError('COMMENT_NOT_FOUND');
    await recordDeletion(ctx, ventId, deleted, afterCommit);
  });
}

/** The newest comments of these vents: what is the same for every reader. */
export async function listNewestComments(
  ctx: ContentContext,
  from: ContentDb,
  ventIds: readonly bigint[],
): Promise<CommentsByVent> {
  const newest = await listNewest(from, ventIds, limits.commentsShown);
  const rows = Map.groupBy(
    newest.toSorted((a, b) => a.no - b.no),
    (row) => row.ventId,
  );
  return { rows, names: await findNames(ctx, newest) };
}
