import type { ContentBase } from '../../kernel/base.ts';
import {
  nothingSaid,
  type ParsedRequestOf,
  type VentSaid,
  type VentView,
  type createVent,
} from '@unsaid/contract';
import { startOfMinute } from '../../platform/clock.ts';
import { transaction, type AfterCommit, type ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { refuseIdentity } from '../../platform/identity-guard.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { NamesOfPeople } from '../ports.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { AuthoredVents } from './authored-vents.service.ts';
import type { Idempotency } from './idempotency.service.ts';
import { languageOf } from '../../kernel/language.ts';
import { openVentId } from '../../kernel/public-ids.ts';
import { ventPlace } from '../../kernel/speakers.ts';
import type { VentLoader } from './vent-loader.service.ts';
import { nothingChosen, toColumns } from './said.ts';
import * as queries from './vents.queries.ts';
import { statesAllowing, statesShownToAuthor, type VentState } from './vents.state.ts';

type VentInput = ParsedRequestOf<typeof createVent>['body'];
/** What is said, as it is stored. */
export type NewWords = ReturnType<typeof toColumns>;

/** A vent that is ready to be written. */
export interface ReadyVent {
  readonly words: NewWords;
  readonly isOpen: boolean;
  /** Of the slot that it has. */
  readonly number: number;
  readonly slotKey: Buffer;
  readonly speakerId: Buffer;
}

export interface VentsService {
  /** What was typed, or an error where it identifies somebody. */
  check(input: VentInput): NewWords;
  /** Whether it takes comments, or waits for a hug. */
  isOpenFor(viewer: Viewer, input: VentInput): Promise<boolean>;
  /** Throws where the author wrote the same text again and again. `alike` more were found elsewhere. */
  refuseFlood(
    tx: ContentDb,
    person: Person,
    vent: { readonly number: number; readonly words: NewWords; readonly alike?: number },
  ): Promise<void>;
  /** Writes a vent of this minute and returns its id. */
  write(tx: ContentDb, vent: ReadyVent, afterCommit: AfterCommit): Promise<bigint>;
  /** A vent that the viewer has just written. */
  getWritten(viewer: Viewer, ventId: bigint): Promise<VentView>;
  create(viewer: Viewer, input: VentInput, idempotencyKey: Buffer | null): Promise<VentView>;
  get(from: ContentDb, viewer: Viewer, sealedId: string): Promise<VentView>;
  /** Out of sight at once. The job deletes the row (deletions.service.ts). */
  remove(viewer: Viewer, sealedId: string): Promise<void>;
  setAllowComments(viewer: Viewer, sealedId: string, allowComments: boolean): Promise<void>;
  closeAll(viewer: Viewer): Promise<void>;
}

interface VentsDeps extends Pick<ContentBase, 'db' | 'clock' | 'publicIds' | 'speakers' | 'metrics'> {
  readonly slots: Slots;
  readonly people: NamesOfPeople;
  readonly idempotency: Idempotency;
  readonly authored: AuthoredVents;
  readonly loader: VentLoader;
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
  readonly heard: { addWithdrawal(createdAt: Date): void };
}

/** The same text this often within a few minutes is an accident or a flood. */
const sameTextLimit = 5;
const sameTextMs = 5 * 60_000;

export function createVentsService(deps: VentsDeps): VentsService {
  const { db, clock, publicIds, speakers, slots, people, idempotency, authored, loader, metrics } = deps;
  const { feedCache, heard } = deps;

  async function getOne(from: ContentDb, viewer: Viewer, ventId: bigint): Promise<VentView> {
    const loaded = await loader.loadVents(from, [ventId]);
    const [vent] = await loader.presentTo(from, viewer, loaded, { isAskedFor: true });
    if (!vent) throw new AppError('VENT_NOT_FOUND');
    return vent;
  }

  /** For everybody but its author the vent is not found, like one that does not exist. */
  async function assertAuthor(
    viewer: Viewer,
    sealedId: string,
    states: readonly VentState[],
  ): Promise<bigint> {
    const ventId = openVentId(publicIds, sealedId);
    const vent = await authored.find(viewer.person, ventId);
    if (!vent || !states.includes(vent.state)) throw new AppError('VENT_NOT_FOUND');
    return ventId;
  }

  function check({ allowComments: _allow, isSure, ...typed }: VentInput): NewWords {
    const { emotion: _emotion, need: _need, keepDays: _days, ...texts } = typed;
    refuseIdentity(metrics, texts, isSure);
    // What was not sent is absent here, never undefined.
    return toColumns({ ...nothingSaid, ...nothingChosen, ...(typed as VentSaid) });
  }

  const refuseFlood: VentsService['refuseFlood'] = async (tx, person, { number, words, alike = 0 }) => {
    const since = new Date(clock.now() - sameTextMs);
    const same = await authored.countSameText(tx, person, number, { ...words, since });
    if (same + alike >= sameTextLimit - 1) throw new AppError('DUPLICATE_VENT');
  };

  const write: VentsService['write'] = async (
    tx,
    { words, isOpen, number, slotKey, speakerId },
    afterCommit,
  ) => {
    const id = await queries.drawVentId(tx);
    const vent = {
      // First: a field of the request must not replace what the server sets.
      ...words,
      id,
      speaker: speakers.encrypt(ventPlace(id), speakerId, number),
      slotKey,
      // Readers see the minute. A finer time is not stored either.
      createdAt: startOfMinute(clock.now()),
      language: languageOf(`${words.title}\n${words.body}`),
    };
    await queries.insertVent(tx, vent, isOpen);
    afterCommit(() => feedCache.invalidateAll());
    return id;
  };

  // A vent that wants a hug is open for listeners, and `recordComment` refuses comments: whether it is closed would be the
  // setting of its author.
  const isOpenFor: VentsService['isOpenFor'] = async ({ userId }, { need, allowComments }) =>
    need === 'hug' || (allowComments ?? (await people.allowsComments(userId)));

  return {
    check,
    isOpenFor,
    refuseFlood,
    write,
    getWritten: (viewer, ventId) => getOne(db, viewer, ventId),

    async create(viewer, input, key) {
      const words = check(input);
      const earlier = await idempotency.find(key);
      if (earlier) return getOne(db, viewer, earlier.ventId);
      const { person } = viewer;
      const isOpen = await isOpenFor(viewer, input);
      const ventId = await transaction(db, async (tx, afterCommit) => {
        if (!(await idempotency.claim(tx, key))) return null;
        // Before the check for duplicates: concurrent vents of one author wait here, and the second sees the first.
        const number = await slots.claim(tx, person, 'vent');
        await refuseFlood(tx, person, { number, words });
        const [slotKey] = person.slotKeys('vent', [number]) as [Buffer];
        const id = await write(
          tx,
          { words, isOpen, number, slotKey, speakerId: person.speakerId },
          afterCommit,
        );
        await idempotency.complete(tx, key, { ventId: id, no: 0 });
        return id;
      });
      const createdId = ventId ?? (await idempotency.find(key))?.ventId;
      if (!createdId) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
      return getOne(db, viewer, createdId);
    },

    get: (from, viewer, sealedId) => getOne(from, viewer, openVentId(publicIds, sealedId)),

    async remove(viewer, sealedId) {
      const ventId = await assertAuthor(viewer, sealedId, statesAllowing('delete'));
      await transaction(db, async (tx, afterCommit) => {
        const deleted = await queries.markDeleted(tx, ventId);
        if (!deleted) throw new AppError('VENT_NOT_FOUND');
        afterCommit(() => feedCache.invalidateAll());
        const { isUnheard, keepDays, need, createdAt } = deleted;
        if (isUnheard && keepDays === null && need !== 'hug')
          afterCommit(async () => heard.addWithdrawal(createdAt));
      });
    },

    async setAllowComments(viewer, sealedId, allowComments) {
      const ids = [await assertAuthor(viewer, sealedId, statesShownToAuthor)];
      await transaction(db, (tx) => queries.updateAllowComments(tx, ids, allowComments));
      await feedCache.invalidateAll();
    },

    async closeAll(viewer) {
      for await (const ids of authored.listAllIds(viewer.person))
        await transaction(db, (tx) => queries.updateAllowComments(tx, ids, false));
      await feedCache.invalidateAll();
    },
  };
}
