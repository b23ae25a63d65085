import type { HeldVent, VentSaid, VentView } from '@unsaid/contract';
import type { ContentBase } from '../../kernel/base.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { minuteMs } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { rowsOf, type Job, type JobRows } from '../../platform/job.ts';
import { listPutAside, UnreadableRow } from '../../platform/job-rows.ts';
import { describeFault } from '../../platform/logger.ts';
import { inPages } from '../../platform/pages.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { FindsSilent } from '../ports.ts';
import { nothingBesides } from '../slots/slots.queries.ts';
import type { Slots } from '../slots/slots.ts';
import type { Idempotency } from '../vents/idempotency.ts';
import { nothingChosen } from '../vents/said.ts';
import { drawVentId } from '../vents/vents.queries.ts';
import { noVentYet, type VentInput, type VentsService } from '../vents/vents.ts';
import * as queries from './held-vents.queries.ts';
import { noticeSlotsOf, type Held, type OwnHeld } from './own-held.ts';
import { createRhythmReader, drawShortWaitMs, drawWaitMs, usuallyWithinHours } from './rhythm.ts';

/**
 * Vents that go out later, at a moment that rhythm.ts draws. A vent shows its minute, and whoever reads the feed all the
 * time sees its second: who knows when somebody was here, a partner in a conversation for example, could otherwise tell
 * which vents are theirs.
 *
 * A held vent is one encrypted value, in a table that nobody but its author and the job reads. When it goes out it becomes
 * an ordinary vent, with the id, the time and the position of that minute.
 */
export interface HeldVents {
  /** The vent where an earlier request with this key posted it at once. */
  hold(viewer: Viewer, input: VentInput, idempotencyKey: Buffer | null): Promise<VentView | null>;
  /** Newest first. */
  list(person: Person): Promise<HeldVent[]>;
  /** The hours within which a vent that is held now usually goes out. */
  usuallyWithinHours(): Promise<ReturnType<typeof usuallyWithinHours>>;
  release(viewer: Viewer, id: string): Promise<VentView>;
  drop(person: Person, id: string): Promise<void>;
  /** Of a person who leaves: nobody has seen them. */
  dropAll(person: Person): Promise<void>;
  readonly job: Job;
}

interface HeldDeps extends Pick<ContentBase, 'db' | 'clock' | 'random' | 'logger'> {
  readonly slots: Slots;
  readonly idempotency: Pick<Idempotency, 'claimOf'>;
  readonly vents: Pick<
    VentsService,
    'check' | 'findMade' | 'isOpenFor' | 'refuseFlood' | 'write' | 'getWritten'
  >;
  readonly ownHeld: OwnHeld;
  readonly silent: FindsSilent;
  /** Whether an operator lets vents be posted. Those that are due stay due. */
  areVentsOpen(this: void): boolean;
  readonly feedCache: Pick<LocalCache<unknown>, 'invalidateAll'>;
}

const batchSize = 100;
const everySeconds = 10;
/** Longer than from one run to the next: each moment has its timer before it comes. */
const aheadMs = minuteMs;
const slotKeyOf = ({ slotKey }: { readonly slotKey: Buffer }) => slotKey;
type LateRow = queries.DueRow & { readonly held: Held };
const heldVents = rowsOf('content', 'held vents', slotKeyOf);

export function createHeldVents(deps: HeldDeps): HeldVents {
  const { db, clock, random, logger, slots, idempotency, vents, ownHeld, silent, areVentsOpen, feedCache } =
    deps;

  /** The id that its author sees: of a key that no row has, and of this person alone. */
  const idOf = (person: Person, number: number) =>
    (person.takenKeys('held', [number])[0] as Buffer).toString('base64url');
  /** No row has the number 0, so an unknown id takes the same path as one that is gone. */
  const keyOfId = async (person: Person, id: string) =>
    ownHeld.keyOf(
      person,
      (await ownHeld.newestNumbers(person)).find((number) => idOf(person, number) === id) ?? 0,
    );

  const readRhythm = createRhythmReader(deps);
  const momentAfter = (waitMs: number) => new Date(clock.now() + waitMs);

  /** Written as of this minute: a job that was late must not give it an earlier one. Null where it is gone. */
  const publish = (slotKey: Buffer) =>
    transaction(db, async (tx, afterCommit) => {
      // A concurrent rewrite deletes and reinserts the row: the second read finds it.
      const lock = async () => (await queries.lockHeld(tx, [slotKey]))[0];
      const row = (await lock()) ?? (await lock());
      const held = row && ownHeld.open(row);
      if (!held) return null;
      await queries.deleteHeld(tx, [slotKey]);
      const { words, isOpen, number, speakerId, ventSlotKey } = held;
      const vent = await vents.write(
        tx,
        {
          id: await drawVentId(tx),
          words,
          isOpen,
          number,
          speakerId: Buffer.from(speakerId, 'base64url'),
          slotKey: Buffer.from(ventSlotKey, 'base64url'),
        },
        null,
      );
      afterCommit(() => feedCache.invalidateAll());
      return vent && vent.id;
    });

  /** By key: those whose moment comes within the next minute. */
  const timers = new Map<string, () => void>();

  /** In a transaction of its own, at its own moment. A person who may not speak is asked about in memory, and nothing is written. */
  async function goOut(slotKey: Buffer): Promise<void> {
    if (!areVentsOpen()) return;
    const [row] = await queries.listHeld(db, [slotKey]);
    if (!row) return;
    const held = ownHeld.open(row);
    if (!held) throw new UnreadableRow();
    const [isSilent] = await silent.areSilent([noticeSlotsOf(held)]);
    if (!isSilent) await publish(slotKey);
  }

  function plan(rows: JobRows, slotKey: Buffer, delayMs: number): void {
    const name = slotKey.toString('latin1');
    if (timers.has(name)) return;
    const cancel = clock.schedule(delayMs, async () => {
      timers.delete(name);
      await rows
        .attempt({ slotKey }, heldVents, () => goOut(slotKey))
        // The store is gone: it is late then, and gets another moment.
        .catch((error: unknown) => logger.warn({ event: 'held_vent_waits', ...describeFault(error) }));
    });
    timers.set(name, cancel);
  }

  /** No worker ran at its moment. Each gets another one soon: out together, they would show which vents were held. */
  async function drawAgain(rows: JobRows, late: readonly LateRow[]): Promise<void> {
    const areSilent = await silent.areSilent(late.map(({ held }) => noticeSlotsOf(held)));
    await rows.each(
      late.filter((_, n) => !areSilent[n]),
      heldVents,
      ({ slotKey }) => queries.updateMoment(db, slotKey, momentAfter(drawShortWaitMs(random))),
    );
  }

  /** Gives a timer to each that is due within the next minute. */
  async function planDue(rows: JobRows): Promise<void> {
    const by = new Date(clock.now() + aheadMs);
    const pages = inPages<queries.DueRow, Buffer>(batchSize, {
      from: Buffer.alloc(0),
      list: (after) => queries.listDue(db, by, after, batchSize),
      cursorOf: slotKeyOf,
    });
    for await (const due of pages) {
      const late: LateRow[] = [];
      for (const { row, tries } of await rows.ready(due, heldVents)) {
        const held = ownHeld.open(row);
        const delayMs = row.goesOutAt.getTime() - clock.now();
        if (tries === 0 && held && delayMs <= 0 && !timers.has(row.slotKey.toString('latin1')))
          late.push({ ...row, held });
        else plan(rows, row.slotKey, delayMs > 0 ? delayMs : random() * minuteMs);
      }
      if (late.length > 0) await drawAgain(rows, late);
    }
  }

  const job: Job = {
    name: 'release-held-vents',
    jitteredIntervalSeconds: everySeconds,
    run: async (rows) => void (areVentsOpen() && (await planDue(rows))),
    stop() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };

  return {
    job,

    async hold(viewer, input, key) {
      const words = vents.check(input);
      const { person } = viewer;
      const isOpen = await vents.isOpenFor(viewer, input);
      const asked = { ...nothingBesides, key };
      const isHeld = await slots.claim(person, 'vent', asked, async ({ number, takenKey }) => {
        await vents.refuseFlood(person, { number, words });
        const slotKey = ownHeld.keyOf(person, number);
        const goesOutAt = momentAfter(drawWaitMs(await readRhythm(), clock.now(), random));
        const held: Held = {
          words,
          isOpen,
          number,
          speakerId: person.speakerId.toString('base64url'),
          ventSlotKey: (person.slotKeys('vent', [number])[0] as Buffer).toString('base64url'),
          noticeSlots: Buffer.concat(person.noticeSlots()).toString('base64url'),
        };
        const row = { slotKey, goesOutAt, sealed: ownHeld.seal(held, slotKey) };
        const claims = { takenKey, ...idempotency.claimOf(key, { ventId: noVentYet, no: number }) };
        return (await queries.insertHeld(db, row, claims)) || null;
      });
      if (!isHeld) return (await vents.findMade(viewer, key)) ?? null;
      // As after a vent that is seen: the time of the next list tells nothing either.
      await feedCache.invalidateAll();
      return null;
    },

    async list(person) {
      const held = await ownHeld.list(person);
      const putAside = await listPutAside(db, held, heldVents, job);
      return held.map((one) => {
        const { body, ...rest } = one.words;
        return {
          _id: idOf(person, one.number),
          ...nothingChosen,
          ...(rest as Omit<VentSaid, 'text'>),
          text: body,
          isStuck: putAside.has(one),
        };
      });
    },

    usuallyWithinHours: async () => usuallyWithinHours(await readRhythm(), clock.now()),

    async release(viewer, id) {
      const ventId = await publish(await keyOfId(viewer.person, id));
      if (ventId === null) throw new AppError('VENT_NOT_FOUND');
      return vents.getWritten(viewer, ventId);
    },

    async drop(person, id) {
      const slotKey = await keyOfId(person, id);
      // The second time for one that was rewritten meanwhile.
      const isGone = (await queries.deleteHeld(db, [slotKey])) || (await queries.deleteHeld(db, [slotKey]));
      if (!isGone) throw new AppError('VENT_NOT_FOUND');
    },

    dropAll: ownHeld.deleteAll,
  };
}
