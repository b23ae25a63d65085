import type { ContentBase } from '../../kernel/base.ts';
import type { Claims } from '../slots/slots.queries.ts';
import { tellsReadersToDie } from '@unsaid/guard/readers';
import {
  nothingSaid,
  type ParsedRequestOf,
  type VentSaid,
  type VentView,
  type createVent,
} from '@unsaid/contract';
import { startOfMinute } from '../../platform/clock.ts';
import { transaction, type ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { refuseIdentity } from '../../platform/identity-guard.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { NamesOfPeople } from '../ports.ts';
import type { Slots } from '../slots/slots.ts';
import type { VentRow } from '../feed/feed.hot.queries.ts';
import type { AuthoredVents } from './authored-vents.ts';
import type { Idempotency } from './idempotency.ts';
import { languageOf } from '@unsaid/guard/language';
import { openVentId } from '../../kernel/public-ids.ts';
import { ventPlace } from '../../kernel/speakers.ts';
import type { VentLoader } from './vent-loader.ts';
import { nothingChosen, toColumns, type NewWords } from './said.ts';
import * as queries from './vents.queries.ts';
import { statesAllowing, statesShownToAuthor, type VentState } from './vents.state.ts';

export type VentInput = Omit<ParsedRequestOf<typeof createVent>['body'], 'later'>;

/** A vent that is ready to be written. */
export interface ReadyVent {
  readonly id: bigint;
  readonly words: NewWords;
  readonly isOpen: boolean;
  /** Of the slot that it has. */
  readonly number: number;
  readonly slotKey: Buffer;
  readonly speakerId: Buffer;
}

export interface VentsService {
  /** What was typed, or an error where it identifies somebody or tells its readers to die. */
  check(input: VentInput): NewWords;
  /** Whether it takes comments, or waits for a hug. */
  isOpenFor(viewer: Viewer, input: VentInput): Promise<boolean>;
  /** Throws where the author wrote the same text again and again before this number, whether it is out or held. */
  refuseFlood(person: Person, vent: { readonly number: number; readonly words: NewWords }): Promise<void>;
  /** Writes a vent of this minute. Null where what it claims was taken. Invalidate the feed after its commit. */
  write(on: ContentDb, vent: ReadyVent, claims: Claims | null): Promise<VentRow | null>;
  /** A vent that the viewer has just written. */
  getWritten(viewer: Viewer, ventId: bigint): Promise<VentView>;
  /** What an earlier request with this key made: null for a vent that was held back. Undefined where there was none. */
  findMade(viewer: Viewer, idempotencyKey: Buffer | null): Promise<VentView | null | undefined>;
  /** Null where an earlier request with this key held it back. */
  create(viewer: Viewer, input: VentInput, idempotencyKey: Buffer | null): Promise<VentView | null>;
  get(from: ContentDb, viewer: Viewer, sealedId: string): Promise<VentView>;
  /** Out of sight at once. The job deletes the row (deletions.ts). */
  remove(viewer: Viewer, sealedId: string): Promise<void>;
  setAllowComments(viewer: Viewer, sealedId: string, allowComments: boolean): Promise<void>;
  closeAll(viewer: Viewer): Promise<void>;
}

interface VentsDeps extends Pick<ContentBase, 'db' | 'clock' | 'publicIds' | 'speakers' | 'metrics'> {
  readonly slots: Slots;
  readonly ownHeld: {
    countAlike(person: Person, beforeNumber: number, words: NewWords): Promise<number>;
    closeAll(person: Person): Promise<void>;
  };
  readonly people: NamesOfPeople;
  readonly idempotency: Idempotency;
  readonly authored: AuthoredVents;
  readonly loader: VentLoader;
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
}

/** In place of its id, with the key of a vent that was held back. */
export const noVentYet = 0n;

const nothingYet = { state: 'visible', heart: 0, hug: 0, listen: 0, comments: 0 } as const;

/** The same text this often within a few minutes is an accident or a flood. */
const sameTextLimit = 5;
const sameTextMs = 5 * 60_000;

export function createVentsService(deps: VentsDeps): VentsService {
  const { db, clock, publicIds, speakers, slots, ownHeld, people, idempotency, authored, loader, metrics } =
    deps;
  const { feedCache } = deps;

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
    if (tellsReadersToDie(`${typed.title}\n${typed.text}`)) {
      metrics.guardRefusals.inc({ rule: 'encourages_self_harm' });
      throw new AppError('ENCOURAGES_SELF_HARM');
    }
    // What was not sent is absent here, never undefined.
    return toColumns({ ...nothingSaid, ...nothingChosen, ...(typed as VentSaid) });
  }

  const refuseFlood: VentsService['refuseFlood'] = async (person, { number, words }) => {
    const since = new Date(clock.now() - sameTextMs);
    const [same, held] = await Promise.all([
      authored.countSameText(person, number, { ...words, since }),
      ownHeld.countAlike(person, number, words),
    ]);
    if (same + held >= sameTextLimit - 1) throw new AppError('DUPLICATE_VENT');
  };

  const write: VentsService['write'] = async (
    on,
    { id, words, isOpen, number, slotKey, speakerId },
    claims,
  ) => {
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
    if (!(await queries.insertVent(on, vent, isOpen, claims))) return null;
    return { ...vent, ...nothingYet, allowComments: isOpen };
  };

  // A vent that wants a hug is open for listeners, and a comment is refused comments: whether it is closed would be the
  // setting of its author.
  const isOpenFor: VentsService['isOpenFor'] = async ({ userId }, { need, allowComments }) =>
    need === 'hug' || (allowComments ?? (await people.allowsComments(userId)));

  const findMade: VentsService['findMade'] = async (viewer, key) => {
    const made = await idempotency.find(key);
    if (!made) return undefined;
    return made.ventId === noVentYet ? null : getOne(db, viewer, made.ventId);
  };

  return {
    check,
    isOpenFor,
    findMade,
    refuseFlood,
    write,
    getWritten: (viewer, ventId) => getOne(db, viewer, ventId),

    async create(viewer, input, key) {
      const words = check(input);
      const { person } = viewer;
      const isOpen = await isOpenFor(viewer, input);
      const also = queries.nextVentId;
      const vent = await slots.claim(person, 'vent', { key, also }, async ({ number, takenKey }, drawn) => {
        // Nobody wrote between this check and the number that is claimed: concurrent vents of one author claim the same.
        await refuseFlood(person, { number, words });
        const { id } = drawn as { id: bigint };
        const [slotKey] = person.slotKeys('vent', [number]) as [Buffer];
        return write(
          db,
          { id, words, isOpen, number, slotKey, speakerId: person.speakerId },
          { takenKey, ...idempotency.claimOf(key, { ventId: id, no: 0 }) },
        );
      });
      if (vent) {
        await feedCache.invalidateAll();
        return loader.presentNew(viewer, vent);
      }
      const made = await findMade(viewer, key);
      if (made === undefined) throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
      return made;
    },

    get: (from, viewer, sealedId) => getOne(from, viewer, openVentId(publicIds, sealedId)),

    async remove(viewer, sealedId) {
      const ventId = await assertAuthor(viewer, sealedId, statesAllowing('delete'));
      await transaction(db, async (tx, afterCommit) => {
        if (!(await queries.markDeleted(tx, ventId))) throw new AppError('VENT_NOT_FOUND');
        afterCommit(() => feedCache.invalidateAll());
      });
    },

    async setAllowComments(viewer, sealedId, allowComments) {
      const ids = [await assertAuthor(viewer, sealedId, statesShownToAuthor)];
      await transaction(db, (tx) => queries.updateAllowComments(tx, ids, allowComments));
      await feedCache.invalidateAll();
    },

    async closeAll(viewer) {
      // First: one that goes out meanwhile is among the vents.
      await ownHeld.closeAll(viewer.person);
      for await (const ids of authored.listAllIds(viewer.person))
        await transaction(db, (tx) => queries.updateAllowComments(tx, ids, false));
      await feedCache.invalidateAll();
    },
  };
}
