import { blockBytes, blockOf, createBlock } from './block.ts';
import type { Day } from './clock.ts';
import { hmac, type Keys } from './keys.ts';

/**
 * Ids and keys that leave a row, each one AES block under a key that is not in the database.
 * Outside they show no order, no time, and cannot be guessed or forged (docs/adr/0002).
 */

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
      const plain = Buffer.alloc(blockBytes);
      plain.writeBigInt64BE(id);
      return block.encrypt(plain).toString('base64url');
    },
    open(text) {
      if (text.length !== 22) return null;
      const sealed = Buffer.from(text, 'base64url');
      // The last character carries spare bits: only the one canonical spelling is an id.
      if (sealed.length !== blockBytes || sealed.toString('base64url') !== text) return null;
      const plain = block.decrypt(sealed);
      return plain.subarray(8).equals(emptyTag) ? plain.readBigInt64BE() : null;
    },
  };
}

/** A comment has a number within its vent and no other. */
export interface CommentId {
  readonly ventId: bigint;
  readonly no: number;
}

/** What a repeated write is answered with: a comment, or a vent as number 0. */
type ItemId = CommentId;

interface ItemSeal {
  seal(item: ItemId): Buffer;
  /** Null for anything that this seal did not make, but for one try in 2^32. */
  open(sealed: Buffer): ItemId | null;
}

function createItemSeal(key: Buffer): ItemSeal {
  const block = createBlock(key);
  return {
    seal({ ventId, no }) {
      const plain = Buffer.alloc(blockBytes);
      plain.writeBigInt64BE(ventId);
      plain.writeUInt32BE(no, 8);
      return block.encrypt(plain);
    },
    open(sealed) {
      if (sealed.length !== blockBytes) return null;
      const plain = block.decrypt(sealed);
      return plain.readUInt32BE(12) === 0
        ? { ventId: plain.readBigInt64BE(), no: plain.readUInt32BE(8) }
        : null;
    },
  };
}

/** Somebody, with the session they came with. */
export interface Visitor {
  readonly sessionId: bigint;
  readonly userId: bigint;
}

export interface Seals {
  readonly user: IdSeal;
  readonly session: IdSeal;
  readonly vent: IdSeal;
  readonly comment: {
    seal(id: CommentId): string;
    open(text: string): CommentId | null;
  };
  /** What others see in place of a vent's author: it belongs to that vent alone. */
  readonly alias: IdSeal;
  /** How Redis knows who was here on a day: another key every day, so that no two days can be compared. */
  visit(day: Day, visitor: Visitor): string;
  /** Null for what can be nobody. */
  openVisit(day: Day, text: string): Visitor | null;
  /** What a write that was sent with a key has made. */
  readonly result: ItemSeal;
  readonly match: IdSeal;
  /** The other person of a pair, to either of the two: it ends with the pair, and nobody else can use it. */
  readonly peer: IdSeal;
  /** An account in matching.pairs. */
  pairKey(userId: bigint): Buffer;
  openPairKey(key: Buffer): bigint;
  /** The number of an account's lock in matching: not its pair key, since every login of the database sees locks. */
  pairLock(userId: bigint): bigint;
}

/** Ids are counted from 1, and what another key made opens to numbers that nobody will ever count to. */
const isId = (id: bigint) => id > 0n && id <= Number.MAX_SAFE_INTEGER;

export function createSeals(keys: Keys): Seals {
  const comment = createItemSeal(keys.lasting('id-comment/2'));
  const paired = createBlock(keys.lasting('pair/1'));
  const pairLocks = createBlock(keys.lasting('pair-lock/1'));
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
    comment: {
      seal: (id) => comment.seal(id).toString('base64url'),
      open(text) {
        const sealed = Buffer.from(text, 'base64url');
        return sealed.toString('base64url') === text ? comment.open(sealed) : null;
      },
    },
    alias: createIdSeal(keys.lasting('id-alias/1')),
    visit: (day, { sessionId, userId }) =>
      visitBlock(day).encrypt(blockOf(sessionId, userId)).toString('base64url'),
    openVisit(day, text) {
      const sealed = Buffer.from(text, 'base64url');
      if (sealed.length !== blockBytes) return null;
      const plain = visitBlock(day).decrypt(sealed);
      const [sessionId, userId] = [plain.readBigInt64BE(), plain.readBigInt64BE(8)];
      return isId(sessionId) && isId(userId) ? { sessionId, userId } : null;
    },
    result: createItemSeal(keys.lasting('result/1')),
    match: createIdSeal(keys.lasting('id-match/1')),
    peer: createIdSeal(keys.lasting('id-peer/1')),
    pairKey: (userId) => paired.encrypt(blockOf(userId, 0n)),
    openPairKey: (key) => paired.decrypt(key).readBigInt64BE(),
    pairLock: (userId) => pairLocks.encrypt(blockOf(userId, 0n)).readBigInt64BE(),
  };
}
