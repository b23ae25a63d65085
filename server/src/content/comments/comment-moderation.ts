import type { ItemCopy, SubjectOf } from '../../kernel/subjects.ts';
import { inTransaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { findVents } from '../feed/feed.hot.queries.ts';
import { recordCommentChange } from '../vents/vent-access.ts';
import type { ModerationEvent } from '../vents/vents.state.ts';
import { lockVent } from './comments.queries.ts';
import * as queries from './comment-moderation.queries.ts';
import type { ContentContext } from '../context.ts';

type CommentSubject = SubjectOf<'comment'>;

const excerptLength = 80;
const segmenter = new Intl.Segmenter();

/** The beginning of a text, cut between characters as readers see them. */
function excerptOf(text: string): string {
  const characters = Array.from(
    segmenter.segment(text.slice(0, excerptLength * 8)),
    ({ segment }) => segment,
  );
  return characters.length > excerptLength
    ? `${characters.slice(0, excerptLength).join('')}…`
    : characters.join('');
}

/** What moderation reads of a comment, and what a decision does to it. */

export async function readReportedComment(
  ctx: ContentContext,
  { ventId, no }: CommentSubject,
): Promise<ItemCopy> {
  // Both statements always run, so that timing does not reveal a hidden vent.
  const [[vent], comment] = await Promise.all([
    findVents(ctx.db, [ventId]),
    queries.findReported(ctx.db, { ventId, no }),
  ]);
  const isVentVisible = vent?.state === 'visible';
  const notFound = isVentVisible ? 'COMMENT_NOT_FOUND' : 'VENT_NOT_FOUND';
  if (!vent || vent.state === 'author_deleted' || !comment) throw new AppError(notFound);
  const { voice, speaker, body, saidOn, state } = comment;
  return {
    snapshot: {
      paragraphs: [
        { label: voice === 'author' ? 'Comment by the vent’s author' : 'Comment', text: body },
        { label: 'Posted', text: saidOn },
      ],
      excerpt: excerptOf(body),
    },
    author: { ventId, no, voice, speaker },
    words: body,
    unseenAs: isVentVisible && state === 'visible' ? null : notFound,
  };
}

export const applyToComment = (
  ctx: ContentContext,
  { ventId, no }: CommentSubject,
  event: ModerationEvent,
): Promise<void> =>
  inTransaction(ctx, async (ctx, afterCommit) => {
    // As every writer of comments and counters does: the nightly rewrite waits for it.
    await lockVent(ctx.db, ventId);
    const changed = await queries.changeState(ctx.db, { ventId, no }, event);
    if (!changed) return;
    const delta = Number(changed.state === 'visible') - Number(changed.before === 'visible');
    if (delta === 0) return;
    const isOwn = changed.voice === 'author';
    await recordCommentChange(ctx, ventId, { isOwn, delta }, afterCommit);
  });

export async function listExistingComments(
  ctx: ContentContext,
  subjects: readonly CommentSubject[],
): Promise<readonly CommentSubject[]> {
  const existing = await queries.listExisting(ctx.db, subjects);
  return existing.map((id) => ({ kind: 'comment' as const, ...id }));
}

export const deleteRemovedComment = (ctx: ContentContext, id: CommentSubject): Promise<void> =>
  inTransaction(ctx, async ({ db }) => {
    await lockVent(db, id.ventId);
    await queries.deleteRemoved(db, id);
  });
