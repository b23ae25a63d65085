import { randomBytes } from 'node:crypto';
import type { ReactionType } from '@unsaid/contract';
import {
  blockBytes,
  blockOf,
  createBlock,
  numberBlocks,
  splitBlocks,
  type Block,
} from '../platform/crypto/block.ts';
import { hmac, type Keys } from '../platform/crypto/keys.ts';
import type { RowSeals } from '../platform/crypto/row-seals.ts';
import { randomRowId } from '../platform/random-id.ts';

/** The items that are numbered for each person: first, second, … vent; first, second, … comment. */
export type ItemKind = 'vent' | 'comment';
/** Reports by them and notices to them are numbered too. A held vent has the number of the vent that it becomes. */
type Numbered = ItemKind | 'held' | 'report' | 'notice';

/**
 * A person's keys on the content side (docs/adr/0002). Each use has a key of its own, derived from the seed in the
 * person's row and a data key. A database dump contains the seed but no key that is open, so it yields none of them.
 * Once the row is deleted they cannot be derived again.
 */
export interface Person {
  /** What the encrypted speaker of their vents and comments decrypts to. */
  readonly speakerId: Buffer;
  /** The slot keys in the rows of the items with these numbers. */
  slotKeys(kind: Numbered, numbers: readonly number[]): Buffer[];
  /** Record that these numbers were used. Different keys, so that no value is in two tables. */
  takenKeys(kind: Numbered, numbers: readonly number[]): Buffer[];
  /** Different for every vent and kind, so that no two reactions can be linked. */
  reactorKeys(ventId: bigint, kinds: readonly ReactionType[]): Buffer[];
  /** The same for many vents and kinds, concatenated. */
  allReactorKeys(ventIds: readonly bigint[], kinds: readonly ReactionType[]): Buffer;
  /** Different for every reported item (kernel/subjects.ts): one person counts once on it. */
  reporterKeyOn(subjectKey: Buffer): Buffer;
  /** The slot keys of notices to them, in the order of the slots. */
  noticeSlots(): Buffer[];
  /** The key of their leaving ticket, while the account exists. */
  leavingKey(): Buffer;
  /** The secrets behind their slot keys, for removing their items after the account is deleted. */
  slotSecrets(): Record<ItemKind, Buffer>;
  /** A keyed hash for names in Redis, for idempotency and for lines of the inbox. The fields say what it is for. */
  mark(use: Mark, ...fields: readonly string[]): Buffer;
}

export const noticeNumbers = Array.from({ length: 16 }, (_, n) => n + 1);

type Mark = 'budget' | 'idempotency' | 'standing' | 'inbox' | 'report-lock';
type Use = `${Numbered}-${'slot' | 'taken'}` | 'reaction' | 'reporter' | 'leaving' | Mark;

interface PersonRow {
  readonly authorSeed: Buffer;
  readonly speakerId: Buffer;
}

export interface SealedPersonRow extends PersonRow {
  readonly id: bigint;
  readonly seal: Buffer;
}

export type Persons = (row: PersonRow) => Person;

const reactionCodes: Record<ReactionType, bigint> = { heart: 1n, hug: 2n, listen: 3n };

export function createPersons(keys: Keys): Persons {
  return ({ authorSeed, speakerId }) => {
    const derived = new Map<Use, Buffer>();
    const blocks = new Map<Use, Block>();
    /** P(use) = HMAC(data key of the use, seed). */
    function keyFor(use: Use): Buffer {
      const key = derived.get(use) ?? hmac(keys.of(`person-${use}/1`), authorSeed);
      derived.set(use, key);
      return key;
    }
    function blockFor(use: Use): Block {
      const block = blocks.get(use) ?? createBlock(keyFor(use));
      blocks.set(use, block);
      return block;
    }
    const encrypt = (use: Use, plain: Buffer) => blockFor(use).encrypt(plain);
    const numbered = (use: Use, numbers: readonly number[]) =>
      splitBlocks(encrypt(use, numberBlocks(numbers)));
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
      return encrypt('reaction', plain);
    }
    return {
      speakerId,
      slotKeys: (kind, numbers) => numbered(`${kind}-slot`, numbers),
      takenKeys: (kind, numbers) => numbered(`${kind}-taken`, numbers),
      reactorKeys: (ventId, kinds) => splitBlocks(allReactorKeys([ventId], kinds)),
      allReactorKeys,
      reporterKeyOn: (subjectKey) => encrypt('reporter', subjectKey),
      noticeSlots: () => numbered('notice-slot', noticeNumbers),
      leavingKey: () => encrypt('leaving', blockOf(0n, 0n)),
      slotSecrets: () => ({ vent: keyFor('vent-slot'), comment: keyFor('comment-slot') }),
      mark: (use, ...fields) => hmac(keyFor(use), ...fields),
    };
  };
}

/** The people whose key, at the same position in `keys`, is among the rows. */
export function peopleFound(
  people: readonly Person[],
  keys: readonly Buffer[],
  rows: readonly Buffer[],
): ReadonlySet<Person> {
  const found = new Set(rows.map((key) => key.toString('latin1')));
  return new Set(people.filter((_, n) => found.has(keys[n]?.toString('latin1') ?? '')));
}

/** Random values for a new row: its id, the seed of the keys, and the speaker id. */
export function drawPersonRow(seals: RowSeals): SealedPersonRow {
  const id = randomRowId();
  const drawn = { authorSeed: randomBytes(32), speakerId: randomBytes(8) };
  return { id, ...drawn, seal: seals.seal('user', id, drawn.authorSeed, drawn.speakerId) };
}

/** Whether the id, the seed and the speaker id of a row belong together. */
export const isPersonRow = ({ id, authorSeed, speakerId, seal }: SealedPersonRow, seals: RowSeals) =>
  seals.fits('user', seal, id, authorSeed, speakerId);
