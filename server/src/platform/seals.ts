import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Day } from './clock.ts';
import { hmac, type Keys } from './keys.ts';

/**
 * Ids and keys that leave a row, each one AES block under a key that is not in the database.
 * Outside they show no order, no time, and cannot be guessed or forged; inside, content knows
 * people only by sealed keys (docs/adr/0002).
 */

/** One block in, one block out. ECB is exactly that; the cipher is reused because setting one up costs more than the block. */
function createBlock(key: Buffer) {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return {
    seal: (block: Buffer): Buffer => cipher.update(block),
    open: (block: Buffer): Buffer => decipher.update(block),
  };
}

const idBytes = 16;
/** Half a block of zeroes: a forged id opens to something else, but for one try in 2^64. */
const emptyTag = Buffer.alloc(8);

interface IdSeal {
  seal(id: bigint): string;
  /** Null for anything that this seal did not make. */
  open(text: string): bigint | null;
}

function createIdSeal(key: Buffer): IdSeal {
  const block = createBlock(key);
  return {
    seal(id) {
      const plain = Buffer.alloc(idBytes);
      plain.writeBigInt64BE(id);
      return block.seal(plain).toString('base64url');
    },
    open(text) {
      if (text.length !== 22) return null;
      const sealed = Buffer.from(text, 'base64url');
      // The last character carries spare bits: only the one canonical spelling is an id.
      if (sealed.length !== idBytes || sealed.toString('base64url') !== text) return null;
      const plain = block.open(sealed);
      return plain.subarray(8).equals(emptyTag) ? plain.readBigInt64BE() : null;
    },
  };
}

/** Two numbers in one block. */
function pair(first: bigint, second: bigint): Buffer {
  const plain = Buffer.alloc(idBytes);
  plain.writeBigInt64BE(first);
  plain.writeBigInt64BE(second, 8);
  return plain;
}

function numberBytes(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(number));
  return bytes;
}

export type RemovalKind = 'vent' | 'comment';

/** Somebody, with the session they came with. */
export interface Visitor {
  readonly sessionId: bigint;
  readonly userId: bigint;
}

export interface Seals {
  readonly user: IdSeal;
  readonly session: IdSeal;
  readonly vent: IdSeal;
  readonly comment: IdSeal;
  /** What others see in place of a vent's author: it belongs to that vent alone. */
  readonly alias: IdSeal;
  /** How content knows an author. The seed is in the user's row: delete the row and the link is cut for ever. */
  authorKey(authorSeed: Buffer): Buffer;
  /** How a vent knows who reacted or reported: another key on every vent, so that nothing can be compared. */
  reactorKey(userId: bigint, ventId: bigint): Buffer;
  /** How a vent knows who spoke as Anonymous under it. */
  commentKey(userId: bigint, ventId: bigint): Buffer;
  /**
   * Where somebody's first, second, … comment as Anonymous is found (docs/adr/0006). Made of the author key, and so of
   * the seed: with the user's row gone, nobody can make it again.
   */
  slotKey(authorKey: Buffer, place: number): Buffer;
  /** That this place was ever taken: another key, so that no value stands in two tables. */
  takenKey(authorKey: Buffer, place: number): Buffer;
  /** How Redis knows who was here on a day: another key every day, so that no two days can be compared. */
  visit(day: Day, visitor: Visitor): string;
  /** Null for what can be nobody. */
  openVisit(day: Day, text: string): Visitor | null;
  /** An entry in the queue of things to be removed. */
  removalKey(kind: RemovalKind, itemId: bigint): Buffer;
  openRemoval(key: Buffer): { kind: RemovalKind; itemId: bigint };
  readonly match: IdSeal;
  /** How matching knows what somebody feels. */
  matchKey(userId: bigint): Buffer;
  /** Any number of match keys, one behind the other. */
  openMatchKeys(keys: Buffer): bigint[];
  /** How matching knows with whom somebody is paired: another key, so that no copy shows what the two feel. */
  pairKey(userId: bigint): Buffer;
  openPairKey(key: Buffer): bigint;
  /** The number of a pair: it follows from the two, and from nothing that happened. */
  pairNumber(aKey: Buffer, bKey: Buffer): bigint;
}

/** Ids are counted from 1, and what another key made opens to numbers that nobody will ever count to. */
const isId = (id: bigint) => id > 0n && id <= Number.MAX_SAFE_INTEGER;

export function createSeals(keys: Keys): Seals {
  const author = createBlock(keys.lasting('author/1'));
  const reactor = createBlock(keys.lasting('reactor/1'));
  const commenter = createBlock(keys.lasting('commenter/1'));
  const slot = keys.lasting('comment-slot/1');
  const taken = keys.lasting('comment-slot-taken/1');
  const removal = createBlock(keys.lasting('removal/1'));
  const match = createBlock(keys.lasting('match/1'));
  const paired = createBlock(keys.lasting('pair/1'));
  const pairNumberKey = keys.lasting('pair-number/1');
  const visitKey = keys.lasting('visit/1');
  const visitBlocks = new Map<Day, ReturnType<typeof createBlock>>();
  function visitBlock(day: Day) {
    let block = visitBlocks.get(day);
    if (!block) {
      block = createBlock(hmac(visitKey, day));
      visitBlocks.set(day, block);
    }
    return block;
  }
  return {
    user: createIdSeal(keys.lasting('id-user/1')),
    session: createIdSeal(keys.lasting('id-session/1')),
    vent: createIdSeal(keys.lasting('id-vent/1')),
    comment: createIdSeal(keys.lasting('id-comment/1')),
    alias: createIdSeal(keys.lasting('id-alias/1')),
    authorKey: (authorSeed) => author.seal(authorSeed),
    reactorKey: (userId, ventId) => reactor.seal(pair(userId, ventId)),
    commentKey: (userId, ventId) => commenter.seal(pair(userId, ventId)),
    slotKey: (authorKey, place) => hmac(slot, authorKey, numberBytes(place)).subarray(0, idBytes),
    takenKey: (authorKey, place) => hmac(taken, authorKey, numberBytes(place)).subarray(0, idBytes),
    visit: (day, { sessionId, userId }) =>
      visitBlock(day).seal(pair(sessionId, userId)).toString('base64url'),
    openVisit(day, text) {
      const sealed = Buffer.from(text, 'base64url');
      if (sealed.length !== idBytes) return null;
      const plain = visitBlock(day).open(sealed);
      const [sessionId, userId] = [plain.readBigInt64BE(), plain.readBigInt64BE(8)];
      return isId(sessionId) && isId(userId) ? { sessionId, userId } : null;
    },
    removalKey: (kind, itemId) => removal.seal(pair(itemId, kind === 'vent' ? 1n : 2n)),
    openRemoval(key) {
      const plain = removal.open(key);
      return { kind: plain.readBigInt64BE(8) === 1n ? 'vent' : 'comment', itemId: plain.readBigInt64BE() };
    },
    match: createIdSeal(keys.lasting('id-match/1')),
    matchKey: (userId) => match.seal(pair(userId, 0n)),
    openMatchKeys(sealed) {
      const plain = match.open(sealed);
      return Array.from({ length: plain.length / idBytes }, (_, n) => plain.readBigInt64BE(n * idBytes));
    },
    pairKey: (userId) => paired.seal(pair(userId, 0n)),
    openPairKey: (key) => paired.open(key).readBigInt64BE(),
    pairNumber: (aKey, bKey) => BigInt.asUintN(63, hmac(pairNumberKey, aKey, bKey).readBigUInt64BE()),
  };
}
