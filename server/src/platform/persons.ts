import { randomBytes } from 'node:crypto';
import type { ReactionType } from '@unsaid/contract';
import { blockBytes, blockOf, createBlock, type Block } from './block.ts';
import { hmac, type Keys } from './keys.ts';

/** What people have numbered items of: their first, second, … vent, and their first, second, … comment. */
export type ItemKind = 'vent' | 'comment';

/**
 * One person's keys on the content side (docs/adr/0002). Each use has a key of its own, made from the seed in the
 * person's row and from the master key: the seed alone, which lies in the same dump, makes none of them, and with the
 * row deleted nobody can make them again.
 */
export interface Person {
  /** What the encrypted speaker of their vents and comments holds. */
  readonly speakerId: Buffer;
  /** Where the items with these numbers are found. */
  slotKeys(kind: ItemKind, numbers: readonly number[]): Buffer[];
  /** That these numbers were ever used: other keys, so that no value stands in two tables. */
  takenKeys(kind: ItemKind, numbers: readonly number[]): Buffer[];
  /** Differs on every vent and for every kind, so that no two reactions can be compared. */
  reactorKeys(ventId: bigint, kinds: readonly ReactionType[]): Buffer[];
  /** The same for many vents, of all kinds of each, one behind the other. */
  allReactorKeys(ventIds: readonly bigint[], kinds: readonly ReactionType[]): Buffer;
  reporterKey(ventId: bigint): Buffer;
  suspensionKey(): Buffer;
  /** Where the ticket of their leaving is found, for as long as the account is there. */
  leavingKey(): Buffer;
  /** What the keys of their slots are made with, to remove their items once the account is gone. */
  slotSecrets(): Record<ItemKind, Buffer>;
  /** For names in Redis and marks of writes: each caller adds what it is for. */
  mark(use: Mark, ...fields: readonly string[]): Buffer;
}

type Mark = 'budget' | 'idempotency' | 'standing';
type Use = `${ItemKind}-slot` | `${ItemKind}-taken` | 'reaction' | 'report' | 'suspension' | 'leaving' | Mark;

interface PersonRow {
  readonly authorSeed: Buffer;
  readonly speakerId: Buffer;
}

export type Persons = (row: PersonRow) => Person;

const reactionCodes: Record<ReactionType, bigint> = { heart: 1n, hug: 2n, listen: 3n };

/** As many blocks as there are numbers, encrypted in one call. */
export function encryptNumbers(block: Block, numbers: readonly number[]): Buffer[] {
  const plain = Buffer.alloc(numbers.length * blockBytes);
  for (const [index, number] of numbers.entries()) plain.writeDoubleBE(number, index * blockBytes);
  return blocksOf(block.encrypt(plain));
}

function blocksOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / blockBytes }, (_, n) =>
    bytes.subarray(n * blockBytes, (n + 1) * blockBytes),
  );
}

export function createPersons(keys: Keys): Persons {
  return ({ authorSeed, speakerId }) => {
    const derived = new Map<Use, Buffer>();
    const blocks = new Map<Use, Block>();
    /** P(use) = HMAC(HKDF(master, use), seed). */
    function keyFor(use: Use): Buffer {
      const key = derived.get(use) ?? hmac(keys.lasting(`person-${use}/1`), authorSeed);
      derived.set(use, key);
      return key;
    }
    function blockFor(use: Use): Block {
      const block = blocks.get(use) ?? createBlock(keyFor(use));
      blocks.set(use, block);
      return block;
    }
    function allReactorKeys(ventIds: readonly bigint[], kinds: readonly ReactionType[]): Buffer {
      const plain = Buffer.alloc(ventIds.length * kinds.length * blockBytes);
      let at = 0;
      for (const ventId of ventIds) {
        for (const kind of kinds) {
          plain.writeBigInt64BE(ventId, at);
          plain.writeBigInt64BE(reactionCodes[kind], at + 8);
          at += blockBytes;
        }
      }
      return blockFor('reaction').encrypt(plain);
    }
    return {
      speakerId,
      slotKeys: (kind, numbers) => encryptNumbers(blockFor(`${kind}-slot`), numbers),
      takenKeys: (kind, numbers) => encryptNumbers(blockFor(`${kind}-taken`), numbers),
      reactorKeys: (ventId, kinds) => blocksOf(allReactorKeys([ventId], kinds)),
      allReactorKeys,
      reporterKey: (ventId) => blockFor('report').encrypt(blockOf(ventId, 0n)),
      leavingKey: () => blockFor('leaving').encrypt(blockOf(0n, 0n)),
      slotSecrets: () => ({ vent: keyFor('vent-slot'), comment: keyFor('comment-slot') }),
      suspensionKey: () => blockFor('suspension').encrypt(blockOf(0n, 0n)),
      mark: (use, ...fields) => hmac(keyFor(use), ...fields),
    };
  };
}

/** Those of the people whose key, at the same position, is among the rows that were found. */
export function peopleFound(
  people: readonly Person[],
  keys: readonly Buffer[],
  rows: readonly Buffer[],
): ReadonlySet<Person> {
  const found = new Set(rows.map((key) => key.toString('latin1')));
  return new Set(people.filter((_, n) => found.has(keys[n]?.toString('latin1') ?? '')));
}

/** For a new row: 32 random bytes that keys are made from, and 8 that stand for the speaker. */
export function drawPersonRow(): PersonRow {
  return { authorSeed: randomBytes(32), speakerId: randomBytes(8) };
}
