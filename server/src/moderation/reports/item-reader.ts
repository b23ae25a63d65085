import type { ReportSubject } from '@unsaid/contract';
import { openVentId } from '../../kernel/public-ids.ts';
import type { ItemCopy, Subject } from '../../kernel/subjects.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { AppError } from '../../platform/errors.ts';
import type { ModerationContext } from '../context.ts';

/** No row has these. */
const nothing = { userId: -1n, commentNo: 0 };

/**
 * Decodes public ids. Of a profile: the viewer's id for a peer; without a viewer, the account's own public id. What does
 * not decode becomes a subject that is not found.
 */
export async function resolveSubject(
  { publicIds, ports }: ModerationContext,
  about: ReportSubject,
  viewer: Viewer | null,
): Promise<Subject> {
  switch (about.kind) {
    case 'vent':
      return { kind: 'vent', ventId: openVentId(publicIds, about.id) };
    case 'comment': {
      const ventId = openVentId(publicIds, about.ventId);
      const comment = publicIds.comment.decode(about.id);
      // The number counts within its vent. Under another vent it would name another comment.
      const no = comment?.ventId === ventId ? comment.no : nothing.commentNo;
      return { kind: 'comment', ventId, no };
    }
    case 'profile': {
      const own = publicIds.user.decode(about.id);
      if (viewer === null || own === viewer.userId) return { kind: 'profile', userId: own ?? nothing.userId };
      return { kind: 'profile', userId: (await ports.findPeer(viewer, about.id)) ?? nothing.userId };
    }
  }
}

/** In every state but deleted by its author. Throws the not-found error of its kind. */
export async function readItem({ ports: { items } }: ModerationContext, subject: Subject): Promise<ItemCopy> {
  switch (subject.kind) {
    case 'vent':
      return items.vent.read(subject);
    case 'comment':
      return items.comment.read(subject);
    case 'profile':
      return items.profile.read(subject);
  }
}

/** What this viewer can see and did not write themselves. Throws for anything else. */
export async function readForReport(ctx: ModerationContext, about: ReportSubject, viewer: Viewer) {
  const subject = await resolveSubject(ctx, about, viewer);
  const item = await readItem(ctx, subject);
  if (item.unseenAs) throw new AppError(item.unseenAs);
  const { speakerId } = viewer.person;
  const isOwn =
    'speaker' in item.author
      ? ctx.speakers.numberOf(item.author, speakerId) !== null
      : item.author.speakerId.equals(speakerId);
  if (isOwn) throw new AppError('CANNOT_REPORT_OWN');
  return { subject, ...item };
}
