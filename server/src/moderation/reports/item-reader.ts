import type { ModerationBase } from '../../kernel/base.ts';
import type { ReportSubject } from '@unsaid/contract';
import { AppError } from '../../platform/errors.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { openVentId } from '../../kernel/public-ids.ts';
import type { ItemCopy, Subject } from '../../kernel/subjects.ts';
import type { Items } from '../ports.ts';

export interface ReadItem extends ItemCopy {
  readonly subject: Subject;
}

export interface ItemReader {
  /** Decodes public ids. Of a profile: the viewer's id for a peer; without a viewer, the account's own public id. */
  resolve(about: ReportSubject, viewer: Viewer | null): Promise<Subject>;
  /** In every state but deleted by its author. Throws the not-found error of its kind. */
  read(subject: Subject): Promise<ReadItem>;
  /** What this viewer can see and did not write themselves. Throws for anything else. */
  readForReport(about: ReportSubject, viewer: Viewer): Promise<ReadItem>;
}

interface ItemReaderDeps extends Pick<ModerationBase, 'publicIds' | 'speakers'> {
  readonly items: Items;
  findPeer(viewer: Viewer, shownId: string): Promise<bigint | null>;
}

/** No row has these. */
const nothing = { userId: -1n, commentNo: 0 };

export function createItemReader(deps: ItemReaderDeps): ItemReader {
  const { publicIds, speakers, items, findPeer } = deps;

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

  function readCopy(subject: Subject): Promise<ItemCopy> {
    switch (subject.kind) {
      case 'vent':
        return items.vent.read(subject);
      case 'comment':
        return items.comment.read(subject);
      case 'profile':
        return items.profile.read(subject);
    }
  }

  const read = async (subject: Subject): Promise<ReadItem> => ({ subject, ...(await readCopy(subject)) });

  const isOwn = ({ author }: ReadItem, { person }: Viewer) =>
    'speaker' in author
      ? speakers.numberOf(author, person.speakerId) !== null
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
