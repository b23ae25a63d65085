import type { Person } from '../../kernel/person-keys.ts';
import { blockBytes } from '../../platform/crypto/block.ts';
import { inTransaction } from '../../platform/db.ts';
import { padToPowerOfTwo } from '../../platform/padding.ts';
import type { NewWords } from '../vents/said.ts';
import * as queries from './held-vents.queries.ts';
import { findLastSlot, descendingBatches, maxBatch } from '../slots/slots.ts';
import type { ContentContext } from '../context.ts';

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

/** More than anybody may write while one waits. */
const newest = 128;
const smallest = 1024;

export const sealHeld = (ctx: ContentContext, held: Held, slotKey: Buffer) =>
  ctx.heldAead.seal(Buffer.from(padToPowerOfTwo(JSON.stringify(held), smallest)), slotKey);

/** Null for a row that was changed, or written under a key that is lost. */
export const openHeld = (ctx: ContentContext, { sealed, slotKey }: queries.HeldRow): Held | null => {
  const plain = ctx.heldAead.open(sealed, slotKey);
  return plain && (JSON.parse(plain.toString()) as Held);
};
const openAll = (ctx: ContentContext, rows: readonly queries.HeldRow[]) =>
  rows.flatMap((row) => {
    const held = openHeld(ctx, row);
    return held ? [{ ...held, ...row }] : [];
  });
const keysOf = (person: Person, numbers: readonly number[]) => person.slotKeys('held', numbers);

export async function newestNumbers(ctx: ContentContext, person: Person): Promise<number[]> {
  const last = await findLastSlot(ctx, person, 'vent');
  return Array.from({ length: Math.min(last, newest) }, (_, n) => last - n);
}

/** All that a person ever wrote: one that waits for long may have been followed by many. */
async function* allKeys(ctx: ContentContext, person: Person): AsyncGenerator<Buffer[]> {
  for (const numbers of descendingBatches(await findLastSlot(ctx, person, 'vent'), maxBatch))
    yield keysOf(person, numbers);
}

export const heldKeyOf = (person: Person, number: number) => keysOf(person, [number])[0] as Buffer;

/** Those of the newest numbers that open, newest first. */
export async function listOwnHeld(ctx: ContentContext, person: Person): Promise<(Held & queries.HeldRow)[]> {
  const rows = await queries.listHeld(ctx.db, keysOf(person, await newestNumbers(ctx, person)));
  return openAll(ctx, rows).toSorted((a, b) => b.number - a.number);
}

/** How many of the newest before a number say the same. */
export async function countAlike(
  ctx: ContentContext,
  person: Person,
  beforeNumber: number,
  { title, body }: Pick<NewWords, 'title' | 'body'>,
) {
  const numbers = Array.from({ length: newest }, (_, n) => beforeNumber - 1 - n).filter((n) => n > 0);
  if (numbers.length === 0) return 0;
  const held = openAll(ctx, await queries.listHeld(ctx.db, keysOf(person, numbers)));
  return held.filter(({ words }) => words.title === title && words.body === body).length;
}

/** They go out closed for comments. */
export async function closeHeld(ctx: ContentContext, person: Person): Promise<void> {
  for await (const slotKeys of allKeys(ctx, person))
    await inTransaction(ctx, async (ctx) => {
      for (const row of await queries.lockHeld(ctx.db, slotKeys)) {
        const held = openHeld(ctx, row);
        if (!held?.isOpen) continue;
        const { slotKey } = row;
        await queries.updateSealed(ctx.db, {
          slotKey,
          sealed: sealHeld(ctx, { ...held, isOpen: false }, slotKey),
        });
      }
    });
}

export async function deleteAllHeld(ctx: ContentContext, person: Person): Promise<void> {
  for await (const slotKeys of allKeys(ctx, person)) await queries.deleteHeld(ctx.db, slotKeys);
}

/** The notice slots of a held vent. None in a row of an earlier release. */
export function noticeSlotsOf({ noticeSlots = '' }: Partial<Held>): Buffer[] {
  const all = Buffer.from(noticeSlots, 'base64url');
  return Array.from({ length: all.length / blockBytes }, (_, n) =>
    all.subarray(n * blockBytes, (n + 1) * blockBytes),
  );
}
