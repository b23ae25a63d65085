import type { ReportSubject } from '@unsaid/contract';
import { AppError } from '../../platform/errors.ts';
import type { Viewer } from '../../auth/viewer.ts';
import type { CommentModeration } from '../../comments/comment-moderation.service.ts';
import type { ProfileModeration } from '../../profiles/profile-moderation.service.ts';
import type { PublicIds } from '../../pseudonyms/public-ids.ts';
import type { Speakers } from '../../pseudonyms/speakers.ts';
import { openVentId } from '../../vents/vent-id.ts';
import type { VentModeration } from '../../vents/vent-moderation.service.ts';
import type { ItemAuthor } from '../authors.ts';
import type { ItemSnapshot } from '../item-snapshot.ts';
import type { Subject } from '../subjects.ts';
import { commentSnapshot, profileSnapshot, ventSnapshot } from './snapshots.ts';

export interface ReadItem {
  readonly subject: Subject;
  readonly snapshot: ItemSnapshot;
  readonly author: ItemAuthor;
  /** All that the author wrote, for guards and the language. */
  readonly words: string;
  /** The error that readers get for it. Null where they see it. */
  readonly unseenAs: 'VENT_NOT_FOUND' | 'COMMENT_NOT_FOUND' | null;
}

export interface ItemReader {
  /** Decodes public ids. Of a profile: the viewer's id for a peer; without a viewer, the account's own public id. */
  resolve(about: ReportSubject, viewer: Viewer | null): Promise<Subject>;
  /** In every state but deleted by its author. Throws the not-found error of its kind. */
  read(subject: Subject): Promise<ReadItem>;
  /** What this viewer can see and did not write themselves. Throws for anything else. */
  readForReport(about: ReportSubject, viewer: Viewer): Promise<ReadItem>;
}

interface ItemReaderDeps {
  readonly publicIds: PublicIds;
  readonly speakers: Speakers;
  readonly vents: Pick<VentModeration, 'find'>;
  readonly comments: Pick<CommentModeration, 'find'>;
  readonly profiles: Pick<ProfileModeration, 'find'>;
  findPeer(viewer: Viewer, shownId: string): Promise<bigint | null>;
}

/** No row has these. */
const nothing = { userId: -1n, commentNo: 0 };

export function createItemReader(deps: ItemReaderDeps): ItemReader {
  const { publicIds, speakers, vents, comments, profiles, findPeer } = deps;

  async function resolve(about: ReportSubject, viewer: Viewer | null): Promise<Subject> {
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
        if (viewer === null || own === viewer.userId)
          return { kind: 'profile', userId: own ?? nothing.userId };
        return { kind: 'profile', userId: (await findPeer(viewer, about.id)) ?? nothing.userId };
      }
    }
  }

  async function read(subject: Subject): Promise<ReadItem> {
    switch (subject.kind) {
      case 'vent': {
        const vent = await vents.find(subject.ventId);
        if (!vent || vent.state === 'author_deleted') throw new AppError('VENT_NOT_FOUND');
        const { title, body, emotion, hashtags, createdAt, speaker, state } = vent;
        return {
          subject,
          snapshot: ventSnapshot({
            title,
            text: body,
            emotion,
            hashtags,
            postedAt: `${createdAt.toISOString().slice(0, 16)}Z`,
          }),
          author: { voice: 'vent', speaker },
          words: [title, body, ...hashtags].join('\n'),
          unseenAs: state === 'visible' ? null : 'VENT_NOT_FOUND',
        };
      }
      case 'comment': {
        // Both statements always run, so that timing does not reveal a hidden vent.
        const [vent, comment] = await Promise.all([vents.find(subject.ventId), comments.find(subject)]);
        const isVentVisible = vent?.state === 'visible';
        const notFound = isVentVisible ? 'COMMENT_NOT_FOUND' : 'VENT_NOT_FOUND';
        if (!vent || vent.state === 'author_deleted' || !comment) throw new AppError(notFound);
        const { voice, speaker, body, state } = comment;
        return {
          subject,
          snapshot: commentSnapshot(comment),
          author: { voice, speaker },
          words: body,
          unseenAs: isVentVisible && state === 'visible' ? null : notFound,
        };
      }
      case 'profile': {
        const profile = await profiles.find(subject.userId);
        if (!profile) throw new AppError('NOT_FOUND');
        const snapshot = profileSnapshot(profile);
        return {
          subject,
          snapshot,
          author: { speakerId: profile.speakerId },
          words: snapshot.paragraphs.map(({ text }) => text).join('\n'),
          unseenAs: null,
        };
      }
    }
  }

  const isOwn = ({ author }: ReadItem, { person }: Viewer) =>
    'speaker' in author
      ? speakers.numberOf(author.voice, author.speaker, person.speakerId) !== null
      : author.speakerId.equals(person.speakerId);

  return {
    resolve,
    read,
    async readForReport(about, viewer) {
      const item = await read(await resolve(about, viewer));
      if (item.unseenAs) throw new AppError(item.unseenAs);
      if (isOwn(item, viewer)) throw new AppError('CANNOT_REPORT_OWN');
      return item;
    },
  };
}
