import type { Emotion, ReactionType, VentView } from '@unsaid/contract';
import { strangersComment, toReader } from '../comments/comments.view.ts';
import type { SharedComments } from '../comments/comments.service.ts';
import type { Viewer } from '../platform/http/bind.ts';
import { writeOnce } from '../platform/http/writer.ts';
import type { Seals } from '../platform/seals.ts';
import type { Speakers } from '../platform/speakers.ts';
import type { VentRow } from './vents.queries.ts';

/**
 * The anonymity boundary of a vent. What is here leaves the server; the speaker does not. To its
 * author a vent shows their own id, to everybody else an alias made from the vent alone.
 *
 * Made in two steps, since most readers see the same: once as a stranger sees it, then for each reader
 * what is theirs. A vent with nothing of theirs on it is the stranger's, the very same object.
 */
export function strangersVent(row: VentRow, comments: SharedComments, seals: Seals): VentView {
  return {
    _id: seals.vent.seal(row.id),
    title: row.title,
    text: row.body,
    emotion: row.emotion as Emotion,
    hashtags: row.hashtags,
    createdAt: row.createdAt.toISOString(),
    userId: { _id: seals.alias.seal(row.id), allowComments: row.allowComments },
    reactions: { heart: row.heart, hug: row.hug, listen: row.listen },
    comments: (comments.rows.get(row.id) ?? []).map((comment) =>
      strangersComment(comment, comments.names, seals),
    ),
    commentCount: row.comments,
    isOwner: false,
    myReactions: [],
  };
}

export interface SharedVent {
  readonly row: VentRow;
  /** As a stranger sees it. */
  readonly view: VentView;
}

/** For a page that many will read. */
export function writeVentOnce({ view }: SharedVent): void {
  writeOnce(view);
  view.comments.forEach(writeOnce);
}

export function ventTo(
  viewer: Viewer,
  { row, view }: SharedVent,
  { rows }: SharedComments,
  myReactions: readonly ReactionType[],
  { seals, speakers }: { readonly seals: Seals; readonly speakers: Speakers },
): VentView {
  const isOwner = speakers.numberOf('vent', row.speaker, viewer.person.speakerId) !== null;
  const written = rows.get(row.id) ?? [];
  const comments = view.comments.map((comment, index) => {
    const commentRow = written[index];
    return commentRow ? toReader(comment, commentRow, viewer.person, speakers) : comment;
  });
  const isTheirs = isOwner || myReactions.length > 0 || comments.some(({ isMine }) => isMine);
  if (!isTheirs) return view;
  return {
    ...view,
    userId: isOwner ? { ...view.userId, _id: seals.user.seal(viewer.userId) } : view.userId,
    comments,
    isOwner,
    myReactions: [...myReactions],
  };
}
