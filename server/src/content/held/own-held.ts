import type { ContentBase } from '../../kernel/base.ts';
import type { Person } from '../../kernel/person-keys.ts';
import { createKeyAead } from '../../platform/crypto/aead.ts';
import { blockBytes } from '../../platform/crypto/block.ts';
import { transaction } from '../../platform/db.ts';
import { padToPowerOfTwo } from '../../platform/padding.ts';
import { descendingBatches, maxBatch } from '../slots/descending-batches.ts';
import type { Slots } from '../slots/slots.ts';
import type { NewWords } from '../vents/said.ts';
import * as queries from './held-vents.queries.ts';

/** What a held vent is, encrypted. Keys are in base64url. */
export interface Held {
  readonly words: NewWords;
  readonly isOpen: boolean;
  readonly number: number;
  readonly speakerId: string;
  readonly ventSlotKey: string;
  /** Where notices to its author would be, concatenated: a person who may not speak says nothing by a held vent either. */
  readonly noticeSlots: string;
}

/** The held vents of one person, found by the keys of their slots. */
export type OwnHeld = ReturnType<typeof createOwnHeld>;

/** More than anybody may write while one waits. */
const newest = 128;
const smallest = 1024;

export function createOwnHeld({
  db,
  keys,
  slots,
}: Pick<ContentBase, 'db' | 'keys'> & { readonly slots: Slots }) {
  const aead = createKeyAead(keys, 'held-vent/1');
  const seal = (held: Held, slotKey: Buffer) =>
    aead.seal(Buffer.from(padToPowerOfTwo(JSON.stringify(held), smallest)), slotKey);
  /** Null for a row that was changed, or written under a key that is lost. */
  const open = ({ sealed, slotKey }: queries.HeldRow): Held | null => {
    const plain = aead.open(sealed, slotKey);
    return plain && (JSON.parse(plain.toString()) as Held);
  };
  const openAll = (rows: readonly queries.HeldRow[]) =>
    rows.flatMap((row) => {
      const held = open(row);
      return held ? [{ ...held, ...row }] : [];
    });
  const keysOf = (person: Person, numbers: readonly number[]) => person.slotKeys('held', numbers);

  async function newestNumbers(person: Person): Promise<number[]> {
    const last = await slots.findLast(person, 'vent');
    return Array.from({ length: Math.min(last, newest) }, (_, n) => last - n);
  }

  /** All that a person ever wrote: one that waits for long may have been followed by many. */
  async function* allKeys(person: Person): AsyncGenerator<Buffer[]> {
    for (const numbers of descendingBatches(await slots.findLast(person, 'vent'), maxBatch))
      yield keysOf(person, numbers);
  }

  return {
    seal,
    open,
    keyOf: (person: Person, number: number) => keysOf(person, [number])[0] as Buffer,
    newestNumbers,

    /** Those of the newest numbers that open, newest first. */
    async list(person: Person): Promise<(Held & queries.HeldRow)[]> {
      const rows = await queries.listHeld(db, keysOf(person, await newestNumbers(person)));
      return openAll(rows).toSorted((a, b) => b.number - a.number);
    },

    /** How many of the newest before a number say the same. */
    async countAlike(
      person: Person,
      beforeNumber: number,
      { title, body }: Pick<NewWords, 'title' | 'body'>,
    ) {
      const numbers = Array.from({ length: newest }, (_, n) => beforeNumber - 1 - n).filter((n) => n > 0);
      if (numbers.length === 0) return 0;
      const held = openAll(await queries.listHeld(db, keysOf(person, numbers)));
      return held.filter(({ words }) => words.title === title && words.body === body).length;
    },

    /** They go out closed for comments. */
    async closeAll(person: Person): Promise<void> {
      for await (const slotKeys of allKeys(person))
        await transaction(db, async (tx) => {
          for (const row of await queries.lockHeld(tx, slotKeys)) {
            const held = open(row);
            if (!held?.isOpen) continue;
            const { slotKey } = row;
            await queries.updateSealed(tx, { slotKey, sealed: seal({ ...held, isOpen: false }, slotKey) });
          }
        });
    },

    async deleteAll(person: Person): Promise<void> {
      for await (const slotKeys of allKeys(person)) await queries.deleteHeld(db, slotKeys);
    },
  };
}

/** The notice slots of a held vent. None in a row of an earlier release. */
export function noticeSlotsOf({ noticeSlots = '' }: Partial<Held>): Buffer[] {
  const all = Buffer.from(noticeSlots, 'base64url');
  return Array.from({ length: all.length / blockBytes }, (_, n) =>
    all.subarray(n * blockBytes, (n + 1) * blockBytes),
  );
}
