import { randomInt } from 'node:crypto';
import type { HeldVent, ParsedRequestOf, VentSaid, VentView, holdVent } from '@unsaid/contract';
import type { ContentBase } from '../../kernel/base.ts';
import type { Person } from '../../kernel/person-keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { minuteMs, startOfMinute } from '../../platform/clock.ts';
import { createPermanentAead } from '../../platform/crypto/aead.ts';
import { transaction, type ContentDb } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { padToPowerOfTwo } from '../../platform/padding.ts';
import type { Slots } from '../slots/slots.service.ts';
import type { Idempotency } from '../vents/idempotency.service.ts';
import { nothingChosen } from '../vents/said.ts';
import type { NewWords, VentsService } from '../vents/vents.service.ts';
import * as queries from './held-vents.queries.ts';

/**
 * Vents that go out at a random minute, 5 to 60 minutes after they were written. A vent shows its minute: who knows when
 * somebody was here, a partner in a conversation for example, could otherwise tell which vents are theirs.
 *
 * A held vent is one encrypted value, in a table that nobody but its author and the job reads. When it goes out it becomes
 * an ordinary vent, with the id, the time and the position of that minute.
 */
export interface HeldVents {
  hold(viewer: Viewer, input: HoldInput, idempotencyKey: Buffer | null): Promise<void>;
  /** Newest first. */
  list(person: Person): Promise<HeldVent[]>;
  release(viewer: Viewer, id: string): Promise<VentView>;
  drop(person: Person, id: string): Promise<void>;
  /** Of a person who leaves: nobody has seen them. */
  dropAll(person: Person): Promise<void>;
  /** The job of every minute. */
  releaseDue(): Promise<void>;
}

type HoldInput = ParsedRequestOf<typeof holdVent>['body'];

interface HeldDeps extends Pick<ContentBase, 'db' | 'clock' | 'keys'> {
  readonly slots: Slots;
  readonly idempotency: Idempotency;
  readonly vents: Pick<VentsService, 'check' | 'isOpenFor' | 'refuseFlood' | 'write' | 'getWritten'>;
}

const minutes = { least: 5, most: 60 };
/** More than anybody may write in an hour. */
const newest = 64;
const batchSize = 100;
const smallest = 1024;

interface Held {
  readonly words: NewWords;
  readonly isOpen: boolean;
  readonly number: number;
  /** Base64url. */
  readonly speakerId: string;
  readonly ventSlotKey: string;
}

export function createHeldVents(deps: HeldDeps): HeldVents {
  const { db, clock, keys, slots, idempotency, vents } = deps;
  const aead = createPermanentAead(keys, 'held-vent/1');
  const seal = (held: Held, slotKey: Buffer) =>
    aead.seal(Buffer.from(padToPowerOfTwo(JSON.stringify(held), smallest)), slotKey);
  /** None for a row that was changed: it is bound to its slot. */
  function open({ sealed, slotKey }: queries.HeldRow): Held[] {
    const plain = aead.open(sealed, slotKey);
    return plain ? [JSON.parse(plain.toString()) as Held] : [];
  }

  const keyOf = (person: Person, number: number) => person.slotKeys('held', [number])[0] as Buffer;
  /** The id that its author sees: of a key that no row has, and of this person alone. */
  const idOf = (person: Person, number: number) =>
    (person.takenKeys('held', [number])[0] as Buffer).toString('base64url');
  async function newestNumbers(person: Person): Promise<number[]> {
    const last = await slots.findLast(person, 'vent');
    return Array.from({ length: Math.min(last, newest) }, (_, n) => last - n);
  }
  const newestKeys = async (person: Person) => person.slotKeys('held', await newestNumbers(person));
  /** No row has the number 0, so an unknown id takes the same path as one that is gone. */
  const keyOfId = async (person: Person, id: string) =>
    keyOf(person, (await newestNumbers(person)).find((number) => idOf(person, number) === id) ?? 0);
  const listOwn = async (on: ContentDb, person: Person) =>
    (await queries.listHeld(on, await newestKeys(person)))
      .flatMap(open)
      .toSorted((a, b) => b.number - a.number);

  /** Written as of this minute: a job that was late must not give it an earlier one. Null where it is gone. */
  const publish = (slotKey: Buffer) =>
    transaction(db, async (tx, afterCommit) => {
      const row = await queries.takeHeld(tx, slotKey);
      const [held] = row ? open(row) : [];
      if (!held) return null;
      const { words, isOpen, number, speakerId, ventSlotKey } = held;
      return vents.write(
        tx,
        {
          words,
          isOpen,
          number,
          speakerId: Buffer.from(speakerId, 'base64url'),
          slotKey: Buffer.from(ventSlotKey, 'base64url'),
        },
        afterCommit,
      );
    });

  return {
    async hold(viewer, input, key) {
      const words = vents.check(input);
      if (await idempotency.find(key)) return;
      const { person } = viewer;
      const isOpen = await vents.isOpenFor(viewer, input);
      const earlier = await listOwn(db, person);
      const alike = earlier.filter(
        ({ words: { title, body } }) => title === words.title && body === words.body,
      );
      await transaction(db, async (tx) => {
        if (!(await idempotency.claim(tx, key))) return;
        const number = await slots.claim(tx, person, 'vent');
        await vents.refuseFlood(tx, person, { number, words, alike: alike.length });
        const slotKey = keyOf(person, number);
        const held: Held = {
          words,
          isOpen,
          number,
          speakerId: person.speakerId.toString('base64url'),
          ventSlotKey: (person.slotKeys('vent', [number])[0] as Buffer).toString('base64url'),
        };
        const wait = randomInt(minutes.least, minutes.most + 1) * minuteMs;
        const goesOutAt = new Date(startOfMinute(clock.now()).getTime() + wait);
        await queries.insertHeld(tx, { slotKey, goesOutAt, sealed: seal(held, slotKey) });
        await idempotency.complete(tx, key, { ventId: 0n, no: number });
      });
    },

    async list(person) {
      return (await listOwn(db, person)).map(({ number, words: { body, ...rest } }) => ({
        _id: idOf(person, number),
        ...nothingChosen,
        ...(rest as Omit<VentSaid, 'text'>),
        text: body,
      }));
    },

    async release(viewer, id) {
      const ventId = await publish(await keyOfId(viewer.person, id));
      if (ventId === null) throw new AppError('VENT_NOT_FOUND');
      return vents.getWritten(viewer, ventId);
    },

    async drop(person, id) {
      if (!(await queries.takeHeld(db, await keyOfId(person, id)))) throw new AppError('VENT_NOT_FOUND');
    },

    dropAll: async (person) => queries.deleteHeld(db, await newestKeys(person)),

    async releaseDue() {
      for (;;) {
        const due = await queries.listDue(db, new Date(clock.now()), batchSize);
        for (const slotKey of due) await publish(slotKey);
        if (due.length < batchSize) return;
      }
    },
  };
}
