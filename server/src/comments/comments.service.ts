import {
  limits,
  type CommentView,
  type ParsedRequestOf,
  type ResponseOf,
  type commentOnVent,
  type deleteComment,
  type listComments,
} from '@unsaid/contract';
import { tellsToDie } from '@unsaid/contract/guard/crisis';
import { dayInIndia, type Clock } from '../platform/clock.ts';
import { transaction, type ContentDb, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import { refuseIdentity } from '../platform/identity-guard.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { Subject } from '../moderation/subjects.ts';
import type { ChoicesStore } from '../choices/choices.store.ts';
import type { CloseKey } from '../moderation/authors.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Person } from '../pseudonyms/person-keys.ts';
import type { CommentId, PublicIds } from '../pseudonyms/public-ids.ts';
import type { Speakers } from '../pseudonyms/speakers.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import { descendingBatches, withGaps } from '../slots/descending-batches.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { Idempotency } from '../vents/idempotency.service.ts';
import type { VentAccess } from '../vents/vent-access.service.ts';
import { openVentId } from '../vents/vent-id.ts';
import * as queries from './comments.queries.ts';
import {
  commentViewFor,
  nameKey,
  publicCommentView,
  type CommentNames,
  type CommentReader,
} from './comments.view.ts';
import type { ShutOutKey } from './shut-outs.ts';

type CommentInput = ParsedRequestOf<typeof commentOnVent>['body'];
type CommentIds = ParsedRequestOf<typeof deleteComment>['params'];

export interface CommentsByVent {
  /** By vent, oldest first. */
  readonly rows: ReadonlyMap<bigint, queries.CommentRow[]>;
  readonly names: CommentNames;
}

export interface CommentsService {
  create(viewer: Viewer, input: CommentInput, idempotencyKey: Buffer | null): Promise<CommentView>;
  /** The newest page, the page before a comment, or the page that begins with one. */
  list(
    viewer: Viewer,
    ventId: string,
    place: ParsedRequestOf<typeof listComments>['query'],
  ): Promise<Omit<ResponseOf<typeof listComments>, 'success'>>;
  remove(viewer: Viewer, ids: CommentIds): Promise<void>;
  /** For the author of the vent: deletes the comment of somebody else, and closes this vent to its voice. */
  close(viewer: Viewer, ids: CommentIds): Promise<void>;
  /** The name that stands on a comment of somebody else, and its speaker. Null where none does. */
  findNamed(
    viewer: Viewer,
    ids: CommentIds,
  ): Promise<{ readonly username: string; readonly speakerId: Buffer } | null>;
  /** The newest comments of these vents: what is the same for every reader. */
  listNewest(ventIds: readonly bigint[]): Promise<CommentsByVent>;
  /** All comments of a person in every voice and state, in the order of writing, in batches. */
  listAuthored(person: Person): AsyncIterable<queries.OwnCommentRow[]>;
  /** Where a person's newest comments are, in every voice, newest first. They have written `atLeast` so many. */
  listNewestPlaces(person: Person, atLeast: number): Promise<OwnCommentPlace[]>;
  /** Whether a visible comment of this person carries their name. */
  hasNamedComment(person: Person): Promise<boolean>;
  /** Those of the slot keys that a comment has. */
  slotsInUse(slotKeys: readonly Buffer[]): Promise<Buffer[]>;
  /** For people who left. False where no comment has the slot key. */
  removeInSlot(slotKey: Buffer): Promise<boolean>;
  subjectInSlot(slotKey: Buffer): Promise<Subject | null>;
}

export interface OwnCommentPlace extends Pick<queries.CommentPlace, 'ventId' | 'no' | 'voice'> {
  /** Its number among the person's own. */
  readonly number: number;
}

interface CommentsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly publicIds: PublicIds;
  readonly speakers: Speakers;
  readonly slots: Slots;
  readonly access: VentAccess;
  readonly idempotency: Idempotency;
  readonly profiles: ProfilesService;
  readonly metrics: Metrics;
  readonly choices: Pick<ChoicesStore, 'findHiding'>;
  readonly shutOutKey: ShutOutKey;
  readonly closeKey: CloseKey;
}

const batchSize = 1000;
/** The highest that the column holds. */
const maxNo = 2 ** 31 - 1;

/** In seconds. As coarse as the times that readers see, because a histogram has an exact sum. */
function wholeMinutes(later: number, earlier: Date): number {
  return Math.max(0, Math.floor((later - earlier.getTime()) / 60_000)) * 60;
}

export function createCommentsService(deps: CommentsDeps): CommentsService {
  const { db, clock, publicIds, speakers, slots, access, idempotency, profiles, metrics, choices } = deps;
  const { shutOutKey, closeKey } = deps;

  /** The only place that learns the writer of a comment, and only of comments under a name. */
  async function findNames(rows: readonly queries.CommentRow[]): Promise<CommentNames> {
    const named = rows.filter(({ voice }) => voice === 'named');
    const speakerIds = named.map(({ speaker }) => speakers.named(speaker));
    const names = await profiles.namesOfSpeakers(speakerIds);
    return new Map(
      named.flatMap((row, n) => {
        const name = names.get(speakerIds[n]?.toString('hex') ?? '');
        return name ? [[nameKey(row), name] as const] : [];
      }),
    );
  }

  async function hasUsername({ speakerId }: Person): Promise<boolean> {
    const names = await profiles.namesOfSpeakers([speakerId]);
    return Boolean(names.get(speakerId.toString('hex'))?.username);
  }

  function toView(row: queries.CommentRow, reader: CommentReader, names: CommentNames): CommentView {
    return commentViewFor(reader, publicCommentView(row, names, publicIds), row, speakers);
  }

  /** Their own comments are never hidden from them. */
  const toWriter = async (row: queries.CommentRow, { person }: Viewer) =>
    toView(row, { person, hiding: null, withHidden: false }, await findNames([row]));

  /** What an earlier request with this key created. */
  async function findCreated(key: Buffer | null): Promise<queries.CommentRow | undefined> {
    const id = await idempotency.find(key);
    if (!id) return undefined;
    const row = await queries.findComment(db.content, id);
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

  async function pageBefore(ventId: bigint, beforeNo: number | null) {
    const rows = await queries.listComments(db.content, ventId, beforeNo, limits.commentsShown + 1);
    return {
      rows: rows.slice(0, limits.commentsShown).toReversed(),
      hasOlder: rows.length > limits.commentsShown,
      hasNewer: beforeNo !== null,
    };
  }

  async function pageFrom(ventId: bigint, no: number) {
    const [rows, older] = await Promise.all([
      queries.listCommentsFrom(db.content, { ventId, no }, limits.commentsShown + 1),
      queries.listComments(db.content, ventId, no, 1),
    ]);
    return {
      rows: rows.slice(0, limits.commentsShown),
      hasOlder: older.length > 0,
      hasNewer: rows.length > limits.commentsShown,
    };
  }

  async function* listAuthored(person: Person): AsyncGenerator<queries.OwnCommentRow[]> {
    const last = await slots.findLast(person, 'comment');
    for (let first = 1; first <= last; first += batchSize) {
      const numbers = Array.from({ length: Math.min(batchSize, last - first + 1) }, (_, n) => first + n);
      yield await queries.listBySlots(db.content, person.slotKeys('comment', numbers));
    }
  }

  /** Only visible comments are counted. */
  async function recordDeletion(
    tx: ContentDb,
    ventId: bigint,
    { voice, state }: Pick<queries.OwnCommentRow, 'voice' | 'state'>,
    afterCommit: (effect: () => Promise<void>) => void,
  ): Promise<void> {
    if (state !== 'visible') return;
    const deletion = { isOwn: voice === 'author', kind: 'comments', delta: -1 } as const;
    await access.recordInteractions(tx, ventId, [deletion], afterCommit);
  }

  return {
    async create(viewer, { ventId: sealedId, text, anonymous, isSure }, key) {
      // First of all: a refused comment leaves no trace, and its key stays free for the corrected one.
      if (tellsToDie(text)) {
        metrics.guardRefusals.inc({ rule: 'encourages_self_harm' });
        throw new AppError('ENCOURAGES_SELF_HARM');
      }
      refuseIdentity(metrics, { text }, isSure);
      const earlier = await findCreated(key);
      if (earlier) return toWriter(earlier, viewer);
      const { person } = viewer;
      // Without a username the voice is anonymous: a name chosen later must not appear under an earlier comment.
      const isNamed = !anonymous && (await hasUsername(person));
      const row = await transaction(db.content, async (tx, afterCommit) => {
        const vent = await access.lockVisible(tx, sealedId, person);
        if (!(await idempotency.claim(tx, key))) return null;
        const voice = vent.isOwn ? 'author' : isNamed ? 'named' : 'anonymous';
        // Before the counters: a request that waits for a slot must not hold a lock that the slot's holder needs.
        const number = await slots.claim(tx, person, 'comment');
        const { no, isFirst } = await access.recordComment(tx, vent, afterCommit);
        // After the counters, whose lock a closing author holds until their commit. One lookup for everybody.
        const voiceKey = shutOutKey(vent.ventId, voice, person.speakerId);
        if (await queries.isShutOut(tx, vent.ventId, voiceKey)) throw new AppError('COMMENTS_DISABLED');
        const comment: queries.CommentRow = {
          ventId: vent.ventId,
          no,
          voice,
          speaker: speakers.encrypt(voice, person.speakerId, number),
          body: text,
          saidOn: dayInIndia(clock.now()),
        };
        const [slotKey] = person.slotKeys('comment', [number]) as [Buffer];
        await queries.insertComment(tx, { ...comment, slotKey });
        if (isFirst && !vent.isOwn) {
          const waited = wholeMinutes(clock.now(), vent.createdAt);
          afterCommit(() => metrics.firstCommentSeconds.observe(waited));
        }
        await idempotency.complete(tx, key, comment);
        return comment;
      });
      const created = row ?? (await findCreated(key));
      if (!created) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
      return toWriter(created, viewer);
    },

    async list(viewer, sealedId, { before, from, withHidden }) {
      const { ventId } = await access.findVisible(db.content, sealedId, viewer.person);
      const { rows, ...more } = await (from === undefined
        ? pageBefore(ventId, before === undefined ? null : numberOn(ventId, before, 0))
        : pageFrom(ventId, numberOn(ventId, from, maxNo)));
      const [names, hiding] = await Promise.all([findNames(rows), choices.findHiding(viewer.userId)]);
      const reader = { person: viewer.person, hiding, withHidden: withHidden === 'true' };
      return { comments: rows.map((row) => toView(row, reader, names)), ...more };
    },

    async findNamed(viewer, { ventId: sealedId, commentId }) {
      const { ventId } = await access.findVisible(db.content, sealedId, viewer.person);
      const row = await queries.findComment(db.content, { ventId, no: numberOn(ventId, commentId, 0) });
      if (!row) throw new AppError('COMMENT_NOT_FOUND');
      const name = (await findNames([row])).get(nameKey(row));
      const isMine = speakers.numberOf(row.voice, row.speaker, viewer.person.speakerId) !== null;
      return name?.username && !isMine
        ? { username: name.username, speakerId: speakers.named(row.speaker) }
        : null;
    },

    async close({ person }, sealed) {
      const id = idOf(sealed);
      await transaction(db.content, async (tx, afterCommit) => {
        const found = await queries.lockVentAndFindSpeakers(tx, id);
        const voice = found?.voice as queries.CommentVoice | undefined;
        if (!found || !voice || voice === 'author') throw new AppError('COMMENT_NOT_FOUND');
        if (speakers.numberOf('vent', found.ventSpeaker, person.speakerId) === null)
          throw new AppError('COMMENT_NOT_FOUND');
        const deleted = found.state === 'visible' && (await queries.deleteComment(tx, id));
        if (!deleted) throw new AppError('COMMENT_NOT_FOUND');
        await recordDeletion(tx, id.ventId, deleted, afterCommit);
        const voiceKey = closeKey(id.ventId, { voice, speaker: found.speaker });
        await queries.insertShutOut(tx, id.ventId, voiceKey);
      });
    },

    async remove({ person }, sealed) {
      const id = idOf(sealed);
      const { ventId } = id;
      await transaction(db.content, async (tx, afterCommit) => {
        const found = await queries.lockVentAndFindSpeakers(tx, id);
        // The author of the vent deletes what readers see. A comment that moderation took away only its writer can delete.
        const mayRemove =
          found &&
          (speakers.numberOf(found.voice as queries.CommentVoice, found.speaker, person.speakerId) !== null ||
            (found.state === 'visible' &&
              speakers.numberOf('vent', found.ventSpeaker, person.speakerId) !== null));
        const deleted = mayRemove && (await queries.deleteComment(tx, id));
        if (!deleted) throw new AppError('COMMENT_NOT_FOUND');
        await recordDeletion(tx, ventId, deleted, afterCommit);
      });
    },

    async listNewest(ventIds) {
      const newest = await queries.listNewest(db.content, ventIds, limits.commentsShown);
      const rows = Map.groupBy(
        newest.toSorted((a, b) => a.no - b.no),
        (row) => row.ventId,
      );
      return { rows, names: await findNames(newest) };
    },

    listAuthored,

    async listNewestPlaces(person, atLeast) {
      const found: OwnCommentPlace[] = [];
      const last = await slots.findLast(person, 'comment', atLeast);
      for (const numbers of descendingBatches(last, withGaps(limits.commentsWatched))) {
        const keys = Buffer.concat(person.slotKeys('comment', numbers));
        for (const { position, ...place } of await queries.listPlaces(db.content, keys))
          found.push({ ...place, number: numbers[position] as number });
        if (found.length >= limits.commentsWatched) break;
      }
      return found.slice(0, limits.commentsWatched);
    },

    async hasNamedComment(person) {
      for await (const rows of listAuthored(person))
        if (rows.some(({ voice, state }) => voice === 'named' && state === 'visible')) return true;
      return false;
    },

    slotsInUse: (slotKeys) => queries.listSlotsInUse(db.content, slotKeys),

    removeInSlot: (slotKey) =>
      transaction(db.content, async (tx, afterCommit) => {
        const [id] = await queries.listBySlots(tx, [slotKey]);
        if (!id) return false;
        await queries.lockVent(tx, id.ventId);
        const deleted = await queries.deleteComment(tx, id);
        if (deleted) await recordDeletion(tx, id.ventId, deleted, afterCommit);
        return deleted !== undefined;
      }),

    async subjectInSlot(slotKey) {
      const [found] = await queries.listBySlots(db.content, [slotKey]);
      return found ? { kind: 'comment', ventId: found.ventId, no: found.no } : null;
    },
  };
}
