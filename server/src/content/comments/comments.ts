import type { ContentBase } from '../../kernel/base.ts';
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
import { transaction, type ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { refuseIdentity } from '../../platform/identity-guard.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { CloseKey, FindsHiding, NamesOfPeople } from '../ports.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { CommentId } from '../../kernel/public-ids.ts';
import { ventPlace } from '../../kernel/speakers.ts';
import type { ListeningFigures } from '../listening/listening.metrics.ts';
import type { Slots } from '../slots/slots.ts';
import type { Idempotency } from '../vents/idempotency.ts';
import type { VentAccess } from '../vents/vent-access.ts';
import { openVentId } from '../../kernel/public-ids.ts';
import { recordDeletion } from './comment-deletions.ts';
import { listNewest } from './comments.hot.queries.ts';
import * as queries from './comments.queries.ts';
import {
  commentViewFor,
  nameKey,
  publicCommentView,
  type CommentNames,
  type CommentReader,
} from './comments.view.ts';
import type { ShutOuts } from './shut-outs.ts';
import { deleteLeftThanks, insertThanks } from './thanks.queries.ts';
import { createThanksRules } from './thanks.ts';

type CommentInput = ParsedRequestOf<typeof commentOnVent>['body'];
type CommentIds = ParsedRequestOf<typeof deleteComment>['params'];

export interface CommentsByVent {
  /** By vent, oldest first. */
  readonly rows: ReadonlyMap<bigint, queries.ListedComment[]>;
  readonly names: CommentNames;
}

export type CommentsService = ReturnType<typeof createCommentsService>;

interface CommentsDeps extends Pick<
  ContentBase,
  'db' | 'clock' | 'keys' | 'publicIds' | 'speakers' | 'metrics'
> {
  readonly slots: Slots;
  readonly access: VentAccess;
  readonly idempotency: Idempotency;
  readonly people: NamesOfPeople;
  readonly choices: FindsHiding;
  readonly shutOuts: ShutOuts;
  readonly closeKey: CloseKey;
  readonly figures: Pick<ListeningFigures, 'countAnswer'>;
}

/** A comment has its number from the statement that writes it, and its speaker is bound to that: so many are at hand. */
const numbersAhead = 32;

/** The highest that the column holds. */
const maxNo = 2 ** 31 - 1;

export function createCommentsService(deps: CommentsDeps) {
  const { db, clock, publicIds, speakers, slots, access, idempotency, people, metrics, choices } = deps;
  const { shutOuts, closeKey, figures } = deps;
  const thanks = createThanksRules(deps.keys);

  /** The only place that learns the writer of a comment, and only of comments under a name. */
  async function findNames(rows: readonly queries.CommentRow[]): Promise<CommentNames> {
    const named = rows.filter(({ voice }) => voice === 'named');
    const speakerIds = speakers.named(named);
    const names = await people.namesOfSpeakers(speakerIds.filter((id) => id !== null));
    return new Map(
      named.flatMap((row, n) => {
        const speakerId = speakerIds[n];
        const name = speakerId && names.get(speakerId.toString('hex'));
        return name ? [[nameKey(row), { ...name, speakerId }] as const] : [];
      }),
    );
  }

  /** None without a username. */
  async function nameOf({ speakerId }: Person) {
    const name = (await people.namesOfSpeakers([speakerId])).get(speakerId.toString('hex'));
    return name?.username ? { ...name, speakerId } : null;
  }

  function toView(row: queries.ListedComment, reader: CommentReader, names: CommentNames): CommentView {
    return commentViewFor(reader, publicCommentView(row, names, publicIds), row, names);
  }

  /** Their own comments are never hidden from them. */
  const toWriter = (row: queries.CommentRow, { person }: Viewer, names: CommentNames) => {
    const listed = { ...row, isThanked: false };
    const own = speakers.ownAmong([listed], person.speakerId);
    const reader = { isVentOwner: false, own, hiding: null, withHidden: false };
    return toView(listed, reader, names);
  };

  /** What an earlier request with this key created. */
  async function findCreated(key: Buffer | null): Promise<queries.CommentRow | undefined> {
    const id = await idempotency.find(key);
    if (!id) return undefined;
    const row = await queries.findComment(db, id);
    // Created, and deleted or hidden since. A retry does not create it again.
    if (!row) throw new AppError('COMMENT_NOT_FOUND');
    return row;
  }

  /** The number of a comment on this vent. An id that does not belong there gets one at which there is nothing. */
  function numberOn(ventId: bigint, commentId: string, nothing: number): number {
    const comment = publicIds.comment.decode(commentId);
    return comment?.ventId === ventId ? comment.no : nothing;
  }

  /** The number counts within its vent. Under another vent it would name another comment. */
  function idOf(sealed: CommentIds): CommentId {
    const ventId = openVentId(publicIds, sealed.ventId);
    return { ventId, no: numberOn(ventId, sealed.commentId, 0) };
  }

  async function lockAuthors(tx: ContentDb, id: CommentId) {
    const found = await queries.lockVentAndFindSpeakers(tx, id);
    return (
      found && {
        state: found.state,
        vent: { ...ventPlace(id.ventId), speaker: found.ventSpeaker },
        comment: { ...id, voice: found.voice as queries.CommentVoice, speaker: found.speaker },
      }
    );
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

  return {
    async create(
      viewer: Viewer,
      { ventId: sealedId, text, anonymous, door, isSure }: CommentInput,
      key: Buffer | null,
    ) {
      // First of all: a refused comment leaves no trace, and its key stays free for the corrected one.
      if (tellsToDie(text)) {
        metrics.guardRefusals.inc({ rule: 'encourages_self_harm' });
        throw new AppError('ENCOURAGES_SELF_HARM');
      }
      refuseIdentity(metrics, { text }, isSure);
      const { person } = viewer;
      // Without a username the voice is anonymous: a name chosen later must not appear under an earlier comment.
      const name = anonymous ? null : await nameOf(person);
      const ventId = openVentId(publicIds, sealedId);
      const also = queries.ventOfComment(ventId);
      const row = await slots.claim(person, 'comment', { key, also }, async ({ number, takenKey }, vent) => {
        const { weight, lastNo, shutOuts: knownShutOuts } = access.admitComment(ventId, vent, person);
        const voice = !weight.isAnswer ? 'author' : name ? 'named' : 'anonymous';
        if (shutOuts.isAmong(knownShutOuts, ventId, voice, person.speakerId))
          throw new AppError('COMMENTS_DISABLED');
        const first = { ventId, voice, no: lastNo + 1 } as const;
        const ids = Array.from({ length: numbersAhead }, (_, n) => ({ ventId, no: first.no + n }));
        const comment = { ventId, voice, body: text, saidOn: dayInIndia(clock.now()) } as const;
        const ahead = speakers.encrypt(first, person.speakerId, number, numbersAhead);
        const no = await queries.insertComment(db, {
          ...comment,
          ...weight,
          ...idempotency.claimOf(key, ...ids),
          takenKey,
          firstNo: first.no,
          speakers: ahead,
          slotKey: person.slotKeys('comment', [number])[0] as Buffer,
          knownShutOuts,
        });
        if (no === null) return null;
        await access.recordComment(ventId, weight);
        if (weight.isAnswer) figures.countAnswer(door);
        return { ...comment, no, speaker: splitBlocks(ahead)[no - first.no] as Buffer };
      });
      if (row) return toWriter(row, viewer, new Map(name ? [[nameKey(row), name]] : []));
      const created = await findCreated(key);
      if (!created) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
      return toWriter(created, viewer, await findNames([created]));
    },

    /** The newest page, the page before a comment, or the page that begins with one. */
    async list(
      from: ContentDb,
      viewer: Viewer,
      sealedId: string,
      { before, from: first, withHidden }: ParsedRequestOf<typeof listComments>['query'],
    ) {
      const { ventId, isOwn } = await access.findVisible(from, sealedId, viewer.person);
      const { rows, ...more } = await (first === undefined
        ? pageBefore(from, ventId, before === undefined ? null : numberOn(ventId, before, 0))
        : pageFrom(from, ventId, numberOn(ventId, first, maxNo)));
      const [names, hiding] = await Promise.all([findNames(rows), choices.findHiding(viewer.userId)]);
      const own = speakers.ownAmong(rows, viewer.person.speakerId);
      const reader = { isVentOwner: isOwn, own, hiding, withHidden: withHidden === 'true' };
      return { comments: rows.map((row) => toView(row, reader, names)), ...more };
    },

    /** The name that stands on a comment of somebody else, and its speaker. Null where none does. */
    async findNamed(viewer: Viewer, { ventId: sealedId, commentId }: CommentIds) {
      const { ventId } = await access.findVisible(db, sealedId, viewer.person);
      const row = await queries.findComment(db, { ventId, no: numberOn(ventId, commentId, 0) });
      if (!row) throw new AppError('COMMENT_NOT_FOUND');
      const name = (await findNames([row])).get(nameKey(row));
      const isMine = speakers.numberOf(row, viewer.person.speakerId) !== null;
      return name?.username && !isMine ? { username: name.username, speakerId: name.speakerId } : null;
    },

    /** For the author of the vent: deletes the comment of somebody else, and closes this vent to its voice. */
    async close({ person }: Viewer, sealed: CommentIds): Promise<void> {
      const id = idOf(sealed);
      await transaction(db, async (tx, afterCommit) => {
        const found = await lockAuthors(tx, id);
        if (!found || found.comment.voice === 'author') throw new AppError('COMMENT_NOT_FOUND');
        if (speakers.numberOf(found.vent, person.speakerId) === null) throw new AppError('COMMENT_NOT_FOUND');
        const voiceKey = closeKey(found.comment);
        const deleted = voiceKey && found.state === 'visible' && (await queries.deleteComment(tx, id));
        if (!deleted) throw new AppError('COMMENT_NOT_FOUND');
        await recordDeletion(access, tx, id.ventId, deleted, afterCommit);
        await queries.insertShutOut(tx, id.ventId, voiceKey);
      });
    },

    /** For the author of the vent: says that the comment of somebody else helped. */
    async thank({ person }: Viewer, sealed: CommentIds): Promise<void> {
      const id = idOf(sealed);
      const found = await queries.findSpeakers(db, id);
      const mayThank =
        found?.state === 'visible' &&
        found.voice !== 'author' &&
        speakers.numberOf({ ...ventPlace(id.ventId), speaker: found.ventSpeaker }, person.speakerId) !== null;
      if (!mayThank) throw new AppError('COMMENT_NOT_FOUND');
      const shownFrom = thanks.shownFrom(id.ventId, dayInIndia(clock.now()));
      // No cached page is invalidated: a reader could time the press by the next one.
      await insertThanks(db, { ...id, thankKey: thanks.keyOf(id), shownFrom });
    },

    removeLeftThanks: () => deleteLeftThanks(db),

    async remove({ person }: Viewer, sealed: CommentIds): Promise<void> {
      const id = idOf(sealed);
      const { ventId } = id;
      await transaction(db, async (tx, afterCommit) => {
        const found = await lockAuthors(tx, id);
        // The author of the vent deletes what readers see. A comment that moderation took away only its writer can delete.
        const mayRemove =
          found &&
          (speakers.numberOf(found.comment, person.speakerId) !== null ||
            (found.state === 'visible' && speakers.numberOf(found.vent, person.speakerId) !== null));
        const deleted = mayRemove && (await queries.deleteComment(tx, id));
        if (!deleted) throw new AppError('COMMENT_NOT_FOUND');
        await recordDeletion(access, tx, ventId, deleted, afterCommit);
      });
    },

    /** The newest comments of these vents: what is the same for every reader. */
    async listNewest(from: ContentDb, ventIds: readonly bigint[]): Promise<CommentsByVent> {
      const newest = await listNewest(from, ventIds, limits.commentsShown);
      const rows = Map.groupBy(
        newest.toSorted((a, b) => a.no - b.no),
        (row) => row.ventId,
      );
      return { rows, names: await findNames(newest) };
    },
  };
}
