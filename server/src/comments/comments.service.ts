import { limits, type CommentView } from '@unsaid/contract';
import { dayInIndia, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Person } from '../platform/persons.ts';
import type { Seals } from '../platform/seals.ts';
import type { Speakers } from '../platform/speakers.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { VentDoors } from '../vents/vent-doors.service.ts';
import * as queries from './comments.queries.ts';
import { nameKey, strangersComment, toReader, type CommentNames } from './comments.view.ts';

export interface SharedComments {
  /** By vent, oldest first. */
  readonly rows: ReadonlyMap<bigint, queries.CommentRow[]>;
  readonly names: CommentNames;
}

export interface CommentsService {
  add(
    viewer: Viewer,
    wish: { readonly ventId: string; readonly text: string; readonly anonymous?: boolean | undefined },
    idempotencyKey: Buffer | null,
  ): Promise<CommentView>;
  list(
    viewer: Viewer,
    ventId: string,
    before: string | undefined,
  ): Promise<{ comments: CommentView[]; hasOlder: boolean }>;
  remove(viewer: Viewer, ventId: string, commentId: string): Promise<void>;
  /** What every reader of these vents sees alike. */
  newestOf(ventIds: readonly bigint[]): Promise<SharedComments>;
  /** All that somebody wrote, under their name or not, in the order in which it was written, a batch at a time. */
  writtenBy(person: Person): AsyncIterable<queries.CommentRow[]>;
  /** Whether any comment of theirs stands under their name. */
  speaksByName(person: Person): Promise<boolean>;
  /** Those of the keys under which there is a comment. */
  slotsInUse(slotKeys: readonly Buffer[]): Promise<Buffer[]>;
  /** As for somebody who left. False where there was none any more. */
  removeInSlot(slotKey: Buffer): Promise<boolean>;
}

interface CommentsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly seals: Seals;
  readonly speakers: Speakers;
  readonly slots: Slots;
  readonly doors: VentDoors;
  readonly profiles: ProfilesService;
  readonly metrics: Metrics;
}

const readAtOnce = 1000;

/** In seconds, as coarse as the times that readers are shown: the sum of a histogram is exact. */
function wholeMinutes(later: number, earlier: Date): number {
  return Math.max(0, Math.floor((later - earlier.getTime()) / 60_000)) * 60;
}

export function createCommentsService(deps: CommentsDeps): CommentsService {
  const { db, clock, seals, speakers, slots, doors, profiles, metrics } = deps;

  /** The one place that learns whose a comment is, and only of those made under a name. */
  async function namesOf(rows: readonly queries.CommentRow[]): Promise<CommentNames> {
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

  async function hasName({ speakerId }: Person): Promise<boolean> {
    const names = await profiles.namesOfSpeakers([speakerId]);
    return Boolean(names.get(speakerId.toString('hex'))?.username);
  }

  function view(row: queries.CommentRow, viewer: Viewer, names: CommentNames): CommentView {
    return toReader(strangersComment(row, names, seals), row, viewer.person, speakers);
  }

  async function earlier(key: Buffer | null): Promise<queries.CommentRow | undefined> {
    const id = key && (await doors.earlierResult(key));
    if (!id) return undefined;
    const row = await queries.findComment(db.content, id);
    // It was accepted and taken away since: sent again, it does not come back.
    if (!row) throw new AppError('COMMENT_NOT_FOUND');
    return row;
  }

  async function* writtenBy(person: Person): AsyncGenerator<queries.CommentRow[]> {
    const last = await slots.last(db.content, person, 'comment');
    for (let first = 1; first <= last; first += readAtOnce) {
      const numbers = Array.from({ length: Math.min(readAtOnce, last - first + 1) }, (_, n) => first + n);
      yield await queries.listInSlots(db.content, person.slotKeys('comment', numbers));
    }
  }

  return {
    async add(viewer, { ventId: sealedId, text, anonymous }, key) {
      const done = await earlier(key);
      if (done) return view(done, viewer, await namesOf([done]));
      const { person } = viewer;
      // Who has no name speaks as Anonymous: a name chosen later must not appear under words that were nobody's.
      const isNamed = !anonymous && (await hasName(person));
      const row = await transaction(db.content, async (tx, afterCommit) => {
        const vent = await doors.open(sealedId, person, tx);
        if (key && !(await doors.claim(tx, key))) return null;
        const voice = vent.isOwn ? 'author' : isNamed ? 'named' : 'anonymous';
        // Before the counters: whoever waits for a slot must hold nothing that its holder needs.
        const number = await slots.take(tx, person, 'comment');
        const { no, isFirst } = await doors.addComment(tx, vent);
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
        if (key) await doors.settle(tx, key, comment);
        return comment;
      });
      const settled = row ?? (await earlier(key));
      if (!settled) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
      return view(settled, viewer, await namesOf([settled]));
    },

    async list(viewer, sealedId, before) {
      const { ventId } = await doors.open(sealedId, viewer.person);
      const cursor = before === undefined ? null : seals.comment.open(before);
      const beforeNo = before === undefined ? null : cursor?.ventId === ventId ? cursor.no : 0;
      const rows = await queries.listOf(db.content, ventId, beforeNo, limits.commentsShown + 1);
      const shown = rows.slice(0, limits.commentsShown);
      const names = await namesOf(shown);
      return {
        comments: shown.map((row) => view(row, viewer, names)).toReversed(),
        hasOlder: rows.length > shown.length,
      };
    },

    async remove({ person }, sealedVent, sealedComment) {
      const ventId = seals.vent.open(sealedVent) ?? -1n;
      const comment = seals.comment.open(sealedComment);
      // A number counts within its vent: under another vent it would be another comment.
      const id = { ventId, no: comment?.ventId === ventId ? comment.no : 0 };
      await transaction(db.content, async (tx) => {
        const found = await queries.findSpeakers(tx, id);
        const mayRemove =
          found &&
          (speakers.numberOf('vent', found.ventSpeaker, person.speakerId) !== null ||
            speakers.numberOf(found.voice as queries.CommentVoice, found.speaker, person.speakerId) !== null);
        const voice = mayRemove && (await queries.deleteComment(tx, id));
        if (!voice) throw new AppError('COMMENT_NOT_FOUND');
        await doors.takeAwayComment(tx, ventId, voice === 'author');
      });
    },

    async newestOf(ventIds) {
      const newest = await queries.listNewestOf(db.content, ventIds, limits.commentsShown);
      const rows = Map.groupBy(
        newest.toSorted((a, b) => a.no - b.no),
        (row) => row.ventId,
      );
      return { rows, names: await namesOf(newest) };
    },

    writtenBy,
    async speaksByName(person) {
      for await (const rows of writtenBy(person))
        if (rows.some(({ voice }) => voice === 'named')) return true;
      return false;
    },
    slotsInUse: (slotKeys) => queries.listSlotsInUse(db.content, slotKeys),
    removeInSlot: (slotKey) =>
      transaction(db.content, async (tx) => {
        const [id] = await queries.listInSlots(tx, [slotKey]);
        if (!id) return false;
        await queries.holdVent(tx, id.ventId);
        const voice = await queries.deleteComment(tx, id);
        if (voice) await doors.takeAwayComment(tx, id.ventId, voice === 'author');
        return voice !== undefined;
      }),
  };
}
