import { blockBytes, blockOf, createBlock, type Block } from '../../platform/crypto/block.ts';
import { hmac, type Keys } from '../../platform/crypto/keys.ts';
import type { Day } from '../../platform/clock.ts';

/** A user with the session of the visit. */
export interface Visitor {
  readonly sessionId: bigint;
  readonly userId: bigint;
}

/** Visits as Redis stores them: one AES block, under a different key every day, so that no two days can be compared. */
interface VisitCodec {
  encode(day: Day, visitor: Visitor): string;
  /** Null for anything that does not decrypt to ids. */
  decode(day: Day, text: string): Visitor | null;
}

/** Ids are of 52 bits; a block of another key decrypts to numbers far outside that range. */
const isId = (id: bigint) => id > 0n && id <= Number.MAX_SAFE_INTEGER;

export function createVisitCodec(keys: Keys): VisitCodec {
  const key = keys.of('visit/1');
  const blocks = new Map<Day, Block>();
  function blockFor(day: Day): Block {
    let block = blocks.get(day);
    if (!block) {
      block = createBlock(hmac(key, day));
      blocks.set(day, block);
    }
    return block;
  }
  return {
    encode: (day, { sessionId, userId }) =>
      blockFor(day).encrypt(blockOf(sessionId, userId)).toString('base64url'),
    decode(day, text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== blockBytes) return null;
      const plain = blockFor(day).decrypt(bytes);
      const [sessionId, userId] = [plain.readBigInt64BE(), plain.readBigInt64BE(8)];
      return isId(sessionId) && isId(userId) ? { sessionId, userId } : null;
    },
  };
}
